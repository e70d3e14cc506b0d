// SPDX-License-Identifier: MIT
//
// Functions of the user's own libraries, files of LLVM bitcode for the target, which
// `tt.extern_elementwise` names with its `libpath`. Their code becomes a part of the kernel's
// module.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <string>

namespace tl::backend {

/// Thrown for a library or function that cannot be called; the message is a sentence without the
/// name of the target.
struct BitcodeLibraryError {
  std::string message;
};

/// Calls the function on scalars or vectors, once a lane. `paths` are one or several files, with
/// colons between them, which may call each other; the first that has the function counts. `result`
/// is the type of an element. A function that is not `pure` stays where it is.
llvm::Value *emitBitcodeCall(llvm::IRBuilderBase &b, llvm::StringRef paths, llvm::StringRef symbol,
                             llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result, bool pure);

} // namespace tl::backend
