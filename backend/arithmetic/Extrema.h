// SPDX-License-Identifier: MIT
//
// Minima and maxima that skip NaN, with one result wherever they are computed.
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace tl::backend {

/// The larger, or the smaller, of two; the other one if one of them is NaN. Which of two zeros is
/// open, but it depends on nothing else: not on what the code generator finds out about an operand
/// in one place and not in another. What is known of the operands is to be said here.
llvm::Value *emitExtremum(llvm::IRBuilderBase &builder, bool largest, llvm::Value *first,
                          llvm::Value *second, bool firstIsNumber = false,
                          bool secondIsNumber = false);

} // namespace tl::backend
