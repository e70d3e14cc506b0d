// SPDX-License-Identifier: MIT
//
// What CUDA's device library has besides mathematics, as LLVM IR for those that have no such
// library: bits of floats, questions about them, conversions, powers of two, and integers.
// Arithmetic and conversions that round upwards, downwards or, but for those to integers, to zero
// are not here.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tl::backend {

/// The function on scalars or vectors of f32, f64, i32 and i64, or null if there is none of this
/// name (without its __nv_) with these types. `result` is the type of an element.
llvm::Value *emitLibraryFunction(llvm::IRBuilder<> &builder, llvm::StringRef name,
                                 llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result);

} // namespace tl::backend
