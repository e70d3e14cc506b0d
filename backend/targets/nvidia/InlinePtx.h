// SPDX-License-Identifier: MIT
//
// Inline PTX as a call: for the instructions that LLVM has no right intrinsic for.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <string>

namespace tl::backend::nvidia {

/// `effects`: reads or writes memory, so that it stays where it is. `convergent`: all lanes of the
/// warp take part.
inline llvm::CallInst *emitPtx(llvm::IRBuilderBase &b, llvm::Type *result, const std::string &text,
                               const std::string &constraints,
                               llvm::ArrayRef<llvm::Value *> operands, bool effects,
                               bool convergent = false) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *code = llvm::InlineAsm::get(
      llvm::FunctionType::get(result, types, false), text,
      effects ? constraints + (constraints.empty() ? "" : ",") + "~{memory}" : constraints,
      effects);
  llvm::CallInst *call = b.CreateCall(code, operands);
  if (convergent)
    call->addFnAttr(llvm::Attribute::Convergent);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

/// The 32-bit address that instructions on shared memory take.
inline llvm::Value *sharedAddress(llvm::IRBuilderBase &b, llvm::Value *pointer) {
  return b.CreatePtrToInt(pointer, b.getInt32Ty());
}

} // namespace tl::backend::nvidia
