// SPDX-License-Identifier: MIT
//
// Inline PTX as a call: for the instructions that LLVM has no right intrinsic for.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

#include <array>
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

/// A copy of a box by TMA from `places[1]`, a map, to `places[0]`, counted at `places[2]`; both
/// in shared memory. LLVM's intrinsic wants an address in shared memory of the cluster, which takes
/// instructions to compute. `blocks`, i16 with a bit for each, for the form `how` that has them.
inline void emitBoxLoad(llvm::IRBuilderBase &b, const std::string &how,
                        std::array<llvm::Value *, 3> places,
                        llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *blocks = nullptr) {
  llvm::SmallVector<llvm::Value *> operands(places.begin(), places.end());
  std::string constraints = "r,l,r", at, to;
  for (llvm::Value *coordinate : coordinates) {
    at += (at.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(coordinate);
  }
  if (blocks) {
    to = ", $" + std::to_string(operands.size());
    constraints += ",h";
    operands.push_back(blocks);
  }
  emitPtx(b, b.getVoidTy(),
          "cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
              "d.shared::cluster.global.mbarrier::complete_tx::bytes" + how + " [$0], [$1, {" + at +
              "}], [$2]" + to + ";",
          constraints, operands, true);
}

} // namespace tl::backend::nvidia
