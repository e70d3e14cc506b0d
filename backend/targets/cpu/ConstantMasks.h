// SPDX-License-Identifier: MIT
//
// Masked stores whose mask turned out to be constant, written as what they are.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace tl::backend::cpu {

/// Replaces masked stores under a constant mask of no lane, one lane or all lanes by nothing, a
/// scalar store or a plain store.
///
/// It is more than tidy: LLVM 22 selects a truncation that is stored under a mask of one lane as a
/// store of the wide element, which overwrites the neighbours.
void expandConstantMasks(llvm::Function &function);

} // namespace tl::backend::cpu
