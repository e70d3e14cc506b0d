// SPDX-License-Identifier: MIT
#include "targets/amd/SpecialRegisters.h"

#include "lowering/AssemblyComment.h"
#include "support/SpecialRegister.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace tl::backend::amd {

namespace {

std::optional<SpecialRegister> readBy(const llvm::CallInst &call) {
  auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!assembly || !call.getType()->isIntegerTy() || !call.arg_empty())
    return std::nullopt;
  llvm::StringRef text = assembly->getAsmString();
  if (text.consume_front(assemblyComment))
    text = text.split('\n').second;
  return specialRegisterOf(text);
}

} // namespace

void replaceSpecialRegisters(llvm::Module &module, const GpuProgram &program) {
  llvm::SmallVector<llvm::CallInst *> reads;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && readBy(*call))
          reads.push_back(call);
  for (llvm::CallInst *read : reads) {
    llvm::IRBuilder<> b(read);
    llvm::Value *value = llvm::ConstantInt::get(read->getType(), 0);
    if (readBy(*read) == SpecialRegister::GlobalTimer)
      value = b.CreateZExtOrTrunc(program.nanoseconds(b), read->getType());
    read->replaceAllUsesWith(value);
    read->eraseFromParent();
  }
}

} // namespace tl::backend::amd
