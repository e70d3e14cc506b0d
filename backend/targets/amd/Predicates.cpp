// SPDX-License-Identifier: MIT
#include "targets/amd/Predicates.h"

#include "llvm/IR/CFG.h"

namespace tl::backend::amd {

using llvm::Value;

namespace {

/// The block that runs under the predicate and ends where the builder stands, if code that uses the
/// operands may be put at its end; null if not.
llvm::BasicBlock *joinable(GpuBuilder &b, Value *predicate, llvm::ArrayRef<Value *> operands) {
  llvm::BasicBlock *after = b.GetInsertBlock();
  if (b.GetInsertPoint() != after->end() || !after->hasNPredecessors(2))
    return nullptr;
  for (llvm::BasicBlock *then : llvm::predecessors(after)) {
    llvm::BasicBlock *before = then->getSinglePredecessor();
    auto *branch =
        before ? llvm::dyn_cast_or_null<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getCondition() != predicate ||
        branch->getSuccessor(0) != then || branch->getSuccessor(1) != after)
      continue;
    // What stands after it must not be passed: calls are marks of the plan of shared memory, too.
    for (const llvm::Instruction &instruction : *after)
      if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallBase>(instruction))
        return nullptr;
    for (Value *operand : operands)
      if (auto *known = llvm::dyn_cast<llvm::Instruction>(operand);
          known && known->getParent() == after)
        return nullptr;
    return then;
  }
  return nullptr;
}

} // namespace

Value *emitUnder(GpuBuilder &b, Value *predicate, llvm::ArrayRef<Value *> operands,
                 Value *otherwise, llvm::function_ref<Value *()> body) {
  if (!predicate)
    return body();
  llvm::SmallVector<Value *> used(operands);
  if (otherwise)
    used.push_back(otherwise);
  llvm::BasicBlock *then = joinable(b, predicate, used), *before, *after = b.GetInsertBlock();
  if (then) {
    before = then->getSinglePredecessor();
    b.SetInsertPoint(then->getTerminator());
  } else {
    before = after;
    llvm::Function *function = before->getParent();
    then = llvm::BasicBlock::Create(b.getContext(), "then", function);
    after = llvm::BasicBlock::Create(b.getContext(), "after", function);
    b.CreateCondBr(predicate, then, after);
    b.SetInsertPoint(then);
    b.SetInsertPoint(b.CreateBr(after));
  }
  Value *value = body();
  b.SetInsertPoint(after);
  if (!otherwise)
    return nullptr;
  llvm::IRBuilder<> at(after, after->begin());
  llvm::PHINode *result = at.CreatePHI(otherwise->getType(), 2);
  result->addIncoming(value, then);
  result->addIncoming(otherwise, before);
  return result;
}

} // namespace tl::backend::amd
