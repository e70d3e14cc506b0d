// SPDX-License-Identifier: MIT
//
// What CUDA's device library has besides mathematics, as LLVM IR for all targets: bits of floats,
// questions about them, arithmetic and conversions that are rounded to nearest, conversions to
// integers, powers of two, and integers. Their types are in tl/impl/libdevice_functions.hpp.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tl::impl {
struct library_function;
}

namespace tl::backend {

/// The library's function with the symbol (without its __nv_) and these types; null if there is
/// none. `result` is the type of an element.
const impl::library_function *findLibraryFunction(llvm::StringRef symbol,
                                                  llvm::ArrayRef<llvm::Value *> operands,
                                                  llvm::Type *result);

/// The function on scalars or vectors, whose types are right, or null if it is not one of these.
llvm::Value *emitLibraryFunction(llvm::IRBuilder<> &builder, llvm::StringRef symbol,
                                 llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result);

} // namespace tl::backend
