// SPDX-License-Identifier: MIT
//
// Structured loops and branches, and the branches of functions with several blocks. Scalars cross
// as phis; tensors cross in slots that both sides know, updated in place where that is safe.
#include "targets/cpu/FunctionLowering.h"

#include "dialect/Context.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

/// What a round hands to the next: tensors go to their slots, scalars are returned in their places.
FunctionLowering::Values FunctionLowering::passOn(llvm::ArrayRef<Slot *> carried,
                                                  mlir::ValueRange values) {
  llvm::SmallVector<Passed> passed;
  Values next;
  flush();
  for (auto [slot, value] : llvm::zip(carried, values)) {
    next.push_back(slot ? nullptr : scalar(value));
    if (slot)
      passed.push_back({value, slot});
  }
  pass(passed);
  return next;
}

void FunctionLowering::emitFor(mlir::scf::ForOp loop) {
  prepareRegions(loop);
  Value *lower = scalar(loop.getLowerBound()), *upper = scalar(loop.getUpperBound());
  Value *step = scalar(loop.getStep());
  llvm::SmallVector<Slot *> carried;
  for (mlir::Value initial : loop.getInitArgs())
    carried.push_back(isTensor(initial) ? carriedSlot(initial, loop) : nullptr);
  flush();
  llvm::Type *type = lower->getType();
  llvm::Constant *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(step); !known || known->isZero()) {
    Site site;
    site.message = "the step of a range is 0";
    reportIf(builder.CreateICmpEQ(step, zero), addSite(lowering, site, loop.getLoc()), nullptr);
  }
  Value *count = emitTripCount(lower, upper, step, loop.getUnsignedCmp());

  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "for", code);
  auto *body = llvm::BasicBlock::Create(context, "for.body", code);
  auto *exit = llvm::BasicBlock::Create(context, "for.end", code);
  builder.CreateBr(header);
  enterBlock(header);
  auto *remaining = builder.CreatePHI(type, 2, "remaining");
  remaining->addIncoming(count, before);
  auto *variable = builder.CreatePHI(type, 2, "iv");
  variable->addIncoming(lower, before);
  setScalar(loop.getInductionVar(), variable);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [slot, initial, argument, result] :
       llvm::zip(carried, loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    phis.push_back(nullptr);
    if (slot) {
      slots[argument] = slots[result] = slot;
      scratch.use(*slot);
      continue;
    }
    Value *start = scalar(initial);
    phis.back() = builder.CreatePHI(start->getType(), 2);
    phis.back()->addIncoming(start, before);
    setScalar(argument, phis.back());
    setScalar(result, phis.back());
  }
  builder.CreateCondBr(builder.CreateICmpNE(remaining, zero), body, exit);
  enterBlock(body);
  scratch.enterLoop();
  emitBlock(*loop.getBody(), [&](mlir::Operation *yield) {
    Values next = passOn(carried, yield->getOperands());
    llvm::BasicBlock *latch = builder.GetInsertBlock();
    remaining->addIncoming(builder.CreateSub(remaining, one), latch);
    variable->addIncoming(builder.CreateAdd(variable, step), latch);
    for (auto [phi, value] : llvm::zip(phis, next))
      if (phi)
        phi->addIncoming(value, latch);
    builder.CreateBr(header);
  });
  scratch.leaveLoop();
  for (Slot *slot : carried)
    if (slot)
      scratch.use(*slot);
  enterBlock(exit);
}

void FunctionLowering::emitWhile(mlir::scf::WhileOp loop) {
  prepareRegions(loop);
  llvm::SmallVector<Slot *> carried;
  for (mlir::Value initial : loop.getInits())
    carried.push_back(isTensor(initial) ? carriedSlot(initial, loop) : nullptr);
  flush();
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(context, "while", code);
  auto *body = llvm::BasicBlock::Create(context, "while.body", code);
  auto *exit = llvm::BasicBlock::Create(context, "while.end", code);
  Values starts;
  for (mlir::Value initial : loop.getInits())
    starts.push_back(isTensor(initial) ? nullptr : scalar(initial));
  builder.CreateBr(header);
  enterBlock(header);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [slot, start, argument] : llvm::zip(carried, starts, loop.getBeforeArguments())) {
    phis.push_back(nullptr);
    if (slot) {
      slots[argument] = slot;
      continue;
    }
    phis.back() = builder.CreatePHI(start->getType(), 2);
    phis.back()->addIncoming(start, before);
    setScalar(argument, phis.back());
  }
  // What the condition hands on lives in slots that were made before the loop.
  llvm::SmallVector<Slot *> handed;
  auto condition = mlir::cast<mlir::scf::ConditionOp>(loop.getBeforeBody()->getTerminator());
  for (mlir::Value value : condition.getArgs())
    handed.push_back(isTensor(value) ? scratch.allocate(slotBytes(value.getType())) : nullptr);
  scratch.enterLoop();
  emitBlock(*loop.getBeforeBody(), [&](mlir::Operation *) {
    llvm::SmallVector<Passed> passed;
    flush();
    Value *proceed = scalar(condition.getCondition());
    for (auto [slot, value, argument, result] :
         llvm::zip(handed, condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
      if (slot) {
        passed.push_back({value, slot});
        slots[argument] = slots[result] = slot;
        continue;
      }
      Value *handedOn = scalar(value);
      setScalar(argument, handedOn);
      setScalar(result, handedOn);
    }
    pass(passed);
    builder.CreateCondBr(proceed, body, exit);
  });
  enterBlock(body);
  emitBlock(*loop.getAfterBody(), [&](mlir::Operation *yield) {
    Values next = passOn(carried, yield->getOperands());
    llvm::BasicBlock *latch = builder.GetInsertBlock();
    for (auto [phi, value] : llvm::zip(phis, next))
      if (phi)
        phi->addIncoming(value, latch);
    builder.CreateBr(header);
  });
  scratch.leaveLoop();
  for (Slot *slot : handed)
    if (slot)
      scratch.use(*slot);
  enterBlock(exit);
}

void FunctionLowering::emitIf(mlir::scf::IfOp branch) {
  prepareRegions(branch);
  Value *condition = scalar(branch.getCondition());
  flush();
  llvm::SmallVector<Slot *> results;
  for (mlir::Value result : branch.getResults())
    results.push_back(isTensor(result) ? scratch.allocate(slotBytes(result.getType())) : nullptr);
  auto *then = llvm::BasicBlock::Create(context, "then", code);
  auto *otherwise = llvm::BasicBlock::Create(context, "else", code);
  auto *after = llvm::BasicBlock::Create(context, "endif", code);
  bool hasElse = !branch.getElseRegion().empty();
  builder.CreateCondBr(condition, then, hasElse ? otherwise : after);
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> ends;
  auto emit = [&](mlir::Region &region, llvm::BasicBlock *start) {
    enterBlock(start);
    emitBlock(region.front(), [&](mlir::Operation *yield) {
      llvm::SmallVector<Passed> passed;
      Values values;
      flush();
      for (auto [slot, value] : llvm::zip(results, yield->getOperands())) {
        values.push_back(slot ? nullptr : scalar(value));
        if (slot)
          passed.push_back({value, slot});
      }
      pass(passed);
      ends.push_back({builder.GetInsertBlock(), values});
      builder.CreateBr(after);
    });
  };
  emit(branch.getThenRegion(), then);
  if (hasElse)
    emit(branch.getElseRegion(), otherwise);
  else
    otherwise->eraseFromParent();
  enterBlock(after);
  for (auto [k, result] : llvm::enumerate(branch.getResults())) {
    if (results[k]) {
      slots[result] = results[k];
      continue;
    }
    auto *phi = builder.CreatePHI(registerType(context, result.getType()), 2);
    for (auto &[end, values] : ends)
      phi->addIncoming(values[k], end);
    setScalar(result, phi);
  }
}

void FunctionLowering::emitGridBarrier(tt::GridBarrierOp barrier) {
  flush();
  beforeWrite(barrier, true); // other programs write while this one waits
  flush();
  Site site;
  site.message = "other programs ended before they came to the tl::grid_barrier";
  site.help = "each program must come to it equally often";
  uint32_t number = addSite(lowering, site, barrier.getLoc());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {builder.getInt32Ty(), builder.getInt64Ty()}, false);
  builder.CreateCall(lowering.module.getOrInsertFunction(gridBarrierHook, type),
                     {builder.getInt32(number), program});
}

} // namespace tl::backend::cpu
