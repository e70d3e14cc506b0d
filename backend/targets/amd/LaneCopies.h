// SPDX-License-Identifier: MIT
//
// What the code generator knows of loads to LDS.
#pragma once

namespace llvm {
class Module;
}

namespace tl::backend::amd {

/// Has reads of LDS and barriers wait for loads to LDS only where the code says so. Called when
/// nothing else changes the code.
void orderCopies(llvm::Module &module);

} // namespace tl::backend::amd
