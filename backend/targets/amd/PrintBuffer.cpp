// SPDX-License-Identifier: MIT
#include "targets/amd/PrintBuffer.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;

/// The buffer begins with two words: how many bytes are taken, and how many there are for records,
/// which follow. Its address is one of the hidden parameters. Null where there is no room.
void definePrintBuffer(llvm::Module &module) {
  llvm::Function *function = module.getFunction("__printf_alloc");
  if (!function)
    return;
  constexpr uint64_t bufferParameter = 72; // since version 5 of the code object
  llvm::LLVMContext &context = module.getContext();
  auto newBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  llvm::BasicBlock *entry = newBlock("entry"), *attempt = newBlock("attempt"),
                   *take = newBlock("take"), *taken = newBlock("taken"), *full = newBlock("full");
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> b(entry);
  llvm::Type *word = b.getInt32Ty(), *pointer = b.getPtrTy(1);
  Value *implicit = b.CreateIntrinsic(llvm::Intrinsic::amdgcn_implicitarg_ptr, {});
  Value *buffer = b.CreateAlignedLoad(
      pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), implicit, bufferParameter),
      llvm::Align(8));
  Value *size =
      b.CreateAlignedLoad(word, b.CreateConstInBoundsGEP1_64(word, buffer, 1), llvm::Align(4));
  const llvm::SyncScope::ID scope = context.getOrInsertSyncScopeID("agent");
  llvm::LoadInst *first = b.CreateAlignedLoad(word, buffer, llvm::Align(4));
  first->setAtomic(llvm::AtomicOrdering::Monotonic, scope);
  b.CreateBr(attempt);

  b.SetInsertPoint(attempt);
  llvm::PHINode *begin = b.CreatePHI(word, 2);
  begin->addIncoming(first, entry);
  Value *end = b.CreateAdd(begin, function->getArg(0));
  b.CreateCondBr(b.CreateICmpUGT(end, size), full, take);

  b.SetInsertPoint(take);
  Value *swapped =
      b.CreateAtomicCmpXchg(buffer, begin, end, llvm::Align(4), llvm::AtomicOrdering::Monotonic,
                            llvm::AtomicOrdering::Monotonic, scope);
  begin->addIncoming(b.CreateExtractValue(swapped, 0), take);
  b.CreateCondBr(b.CreateExtractValue(swapped, 1), taken, attempt);

  b.SetInsertPoint(taken);
  b.CreateRet(b.CreateGEP(b.getInt8Ty(), b.CreateConstInBoundsGEP1_64(word, buffer, 2),
                          b.CreateZExt(begin, b.getInt64Ty())));
  b.SetInsertPoint(full);
  b.CreateRet(llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer)));
}

} // namespace tl::backend::amd
