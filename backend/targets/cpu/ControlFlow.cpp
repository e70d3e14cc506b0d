// SPDX-License-Identifier: MIT
//
// Structured loops and branches, and the branches of functions with several blocks. Scalars cross
// as phis; tensors cross in slots that both sides know, updated in place where that is safe.
#include "targets/cpu/FunctionLowering.h"

#include "dialect/Context.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

bool FunctionLowering::hasWrites(mlir::Operation *operation) {
  return operation
      ->walk([](mlir::Operation *inner) {
        bool writes = mlir::isa<tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicStoreOp,
                                tt::CallOp, tt::AtomicPollOp>(inner);
        return writes ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Before the regions of an operation: computes what would be computed again and again in a loop,
/// and performs loads that a write in the regions might come before.
void FunctionLowering::prepareRegions(mlir::Operation *operation) {
  bool loop = mlir::isa<mlir::LoopLikeOpInterface>(operation);
  bool writes = hasWrites(operation);
  if (writes)
    for (tt::LoadOp load : llvm::SmallVector<tt::LoadOp>(deferredLoads))
      if (!slots.contains(load.getResult()) && isWanted(load.getResult()))
        materialise(load);
  if (loop) {
    llvm::SmallVector<mlir::Value> outside;
    operation->walk([&](mlir::Operation *inner) {
      for (mlir::OpOperand &operand : inner->getOpOperands()) {
        mlir::Value value = operand.get();
        if (inner == operation || !isTensor(value) || slots.contains(value) ||
            operation->isProperAncestor(value.getParentBlock()->getParentOp()) ||
            value.getParentBlock()->getParentOp() == operation)
          continue;
        mlir::Operation *definition = value.getDefiningOp();
        if (!definition || !isDeferred(definition))
          continue;
        bool whole = mlir::isa<tt::ScanOp>(inner) ||
                     (mlir::isa<tt::DotOp>(inner) && operand.getOperandNumber() < 2) ||
                     (mlir::isa<tt::DotScaledOp>(inner) && operand.getOperandNumber() != 2);
        if (whole || cost(value) >= 8)
          outside.push_back(value);
      }
    });
    for (mlir::Value value : outside)
      materialise(value);
  }
  flush();
}

void FunctionLowering::pass(llvm::ArrayRef<Passed> all) {
  llvm::SmallVector<Passed> left;
  for (const Passed &one : all)
    if (slots.lookup(one.from) != one.to)
      left.push_back(one);
  auto slice = [&](const Passed &one) {
    Sink sink;
    sink.value = one.from;
    sink.slot = one.to;
    sink.copy = slots.contains(one.from);
    return sliceOf(sink);
  };
  auto add = [&](mlir::Value from, Slot *to) {
    Sink sink;
    sink.value = from;
    sink.slot = to;
    sink.copy = true;
    addSink(sink);
  };
  std::vector<Slice> slices;
  for (const Passed &one : left)
    slices.push_back(slice(one));
  llvm::SmallVector<std::pair<Slot *, Passed>> parked;
  llvm::SmallVector<bool> done(left.size(), false);
  auto reads = [&](size_t k, Slot *slot, bool identityOnly) {
    for (const Slice::Use &use : slices[k].slots)
      if (slots.lookup(use.value) == slot && !(identityOnly && use.identity))
        return true;
    return false;
  };
  for (size_t count = left.size(); count > 0; --count) {
    size_t chosen = left.size();
    for (size_t k = 0; k < left.size() && chosen == left.size(); ++k) {
      if (done[k] || reads(k, left[k].to, true))
        continue;
      bool free = true;
      for (size_t m = 0; m < left.size(); ++m)
        free &= m == k || done[m] || !reads(m, left[k].to, false);
      if (free)
        chosen = k;
    }
    if (chosen < left.size()) {
      add(left[chosen].from, left[chosen].to);
    } else {
      // Values cross: one of them waits in memory of its own.
      chosen = std::find(done.begin(), done.end(), false) - done.begin();
      Slot *aside = scratch.allocate(left[chosen].to->bytes);
      add(left[chosen].from, aside);
      parked.push_back({aside, left[chosen]});
    }
    done[chosen] = true;
  }
  flush();
  for (auto &[aside, one] : parked) {
    scratch.use(*aside);
    scratch.use(*one.to);
    builder.CreateMemCpy(one.to->pointer, llvm::MaybeAlign(64), aside->pointer,
                         llvm::MaybeAlign(64), slotBytes(one.from.getType()));
  }
  for (const Passed &one : all)
    scratch.use(*one.to);
}

/// The slot of a value that a loop changes, holding its first value.
Slot *FunctionLowering::carriedSlot(mlir::Value initial, mlir::Operation *loop) {
  unsigned before = current;
  current = order.lookup(loop) + 1;
  auto known = slots.find(initial);
  if (known != slots.end() && known->second->address && initial.getParentBlock() == block &&
      scratch.isOfThisLoop(*known->second) && llvm::count(loop->getOperands(), initial) == 1 &&
      llvm::none_of(slots, [&](auto &entry) {
        return entry.second == known->second && isWanted(entry.first);
      })) {
    current = before;
    return known->second;
  }
  current = before;
  Slot *slot = scratch.allocate(slotBytes(initial.getType()));
  Sink sink;
  sink.value = initial;
  sink.slot = slot;
  sink.copy = true;
  addSink(sink);
  return slot;
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
  // The number of iterations, so that the loop variable may overflow after the last one.
  bool isUnsigned = loop.getUnsignedCmp();
  auto less = [&](Value *a, Value *b) {
    return isUnsigned ? builder.CreateICmpULT(a, b) : builder.CreateICmpSLT(a, b);
  };
  auto trips = [&](Value *from, Value *to, Value *by) {
    Value *span = builder.CreateSub(builder.CreateSub(to, from), one);
    Value *count = builder.CreateAdd(builder.CreateUDiv(span, by), one);
    return builder.CreateSelect(less(from, to), count, zero);
  };
  Value *count;
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(step);
  if (known && !known->isZero() && (isUnsigned || !known->isNegative())) {
    count = trips(lower, upper, step);
  } else {
    Value *isZero = builder.CreateICmpEQ(step, zero);
    Site site;
    site.message = "the step of a range is 0";
    reportIf(isZero, addSite(lowering, site, loop.getLoc()), nullptr);
    Value *backwards =
        isUnsigned ? static_cast<Value *>(builder.getFalse()) : builder.CreateICmpSLT(step, zero);
    Value *size = builder.CreateSelect(backwards, builder.CreateNeg(step), step);
    size = builder.CreateSelect(isZero, one, size);
    count = builder.CreateSelect(backwards, trips(upper, lower, size), trips(lower, upper, size));
    count = builder.CreateSelect(isZero, zero, count);
  }

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
    llvm::SmallVector<Passed> passed;
    Values next;
    flush();
    for (auto [slot, value] : llvm::zip(carried, yield->getOperands())) {
      next.push_back(slot ? nullptr : scalar(value));
      if (slot)
        passed.push_back({value, slot});
    }
    pass(passed);
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
    llvm::SmallVector<Passed> passed;
    Values next;
    flush();
    for (auto [slot, value] : llvm::zip(carried, yield->getOperands())) {
      next.push_back(slot ? nullptr : scalar(value));
      if (slot)
        passed.push_back({value, slot});
    }
    pass(passed);
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

/// A region whose blocks branch to each other, until a block leaves it by `leave`.
void FunctionLowering::emitBranches(mlir::Region &region,
                                    llvm::function_ref<void(mlir::Operation *)> leave) {
  bool several = !region.hasOneBlock();
  if (several)
    scratch.keepAll();
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> blocks;
  llvm::ReversePostOrderTraversal<mlir::Region *> ordered(&region);
  for (mlir::Block *one : ordered) {
    blocks[one] = one->isEntryBlock() ? builder.GetInsertBlock()
                                      : llvm::BasicBlock::Create(context, "block", code);
    if (one->isEntryBlock())
      continue;
    enterBlockForPhis(blocks[one], *one);
  }
  auto jump = [&](mlir::Block *target, mlir::ValueRange operands) {
    llvm::SmallVector<Passed> passed;
    Values values;
    for (auto [argument, operand] : llvm::zip(target->getArguments(), operands)) {
      if (isTensor(argument))
        passed.push_back({operand, slots.lookup(argument)});
      else
        values.push_back(scalar(operand));
    }
    pass(passed);
    auto phi = blocks[target]->phis().begin();
    for (Value *value : values)
      (phi++)->addIncoming(value, builder.GetInsertBlock());
    builder.CreateBr(blocks[target]);
  };
  enterBlock(blocks[&region.front()]);
  for (mlir::Block *one : ordered) {
    enterBlock(blocks[one]);
    emitBlock(*one, [&](mlir::Operation *terminator) {
      flush();
      if (several)
        keepForOtherBlocks(*one);
      if (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(terminator))
        return jump(branch.getDest(), branch.getDestOperands());
      if (auto branch = mlir::dyn_cast<mlir::cf::CondBranchOp>(terminator)) {
        auto *yes = llvm::BasicBlock::Create(context, "yes", code);
        auto *no = llvm::BasicBlock::Create(context, "no", code);
        builder.CreateCondBr(scalar(branch.getCondition()), yes, no);
        enterBlock(yes);
        jump(branch.getTrueDest(), branch.getTrueDestOperands());
        enterBlock(no);
        return jump(branch.getFalseDest(), branch.getFalseDestOperands());
      }
      leave(terminator);
    });
  }
}

void FunctionLowering::enterBlockForPhis(llvm::BasicBlock *target, mlir::Block &from) {
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(target);
  for (mlir::Value argument : from.getArguments()) {
    if (isTensor(argument))
      slots[argument] = scratch.allocate(slotBytes(argument.getType()));
    else
      setScalar(argument, builder.CreatePHI(registerType(context, argument.getType()), 2));
  }
}

/// At the end of a block: what other blocks use and should not, or must not, compute again.
void FunctionLowering::keepForOtherBlocks(mlir::Block &from) {
  for (mlir::Operation &operation : from) {
    if (!isDeferred(&operation))
      continue;
    for (mlir::Value value : operation.getResults()) {
      bool outside = llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
        return from.findAncestorOpInBlock(*user) == nullptr;
      });
      if (!outside || slots.contains(value))
        continue;
      Slice slice;
      slice.bits = bitsOf(elementCount(value.getType()));
      Bits bits;
      for (unsigned b = 0; b < slice.bits; ++b)
        bits.push_back(int8_t(b));
      walk(slice, value, bits);
      if (!slice.loads.empty() || cost(value) >= 8)
        materialise(value);
    }
  }
  flush();
}

FunctionLowering::Values FunctionLowering::emitBranchingRegion(mlir::Region &region,
                                                               llvm::ArrayRef<Value *> arguments) {
  unsigned before = current;
  Group pending = std::move(open);
  open = Group();
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
    setScalar(argument, value);
  auto *start = llvm::BasicBlock::Create(context, "region", code);
  auto *after = llvm::BasicBlock::Create(context, "region.end", code);
  builder.CreateBr(start);
  enterBlock(start);
  llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> ends;
  emitBranches(region, [&](mlir::Operation *terminator) {
    Values values;
    for (mlir::Value value : terminator->getOperands())
      values.push_back(scalar(value));
    ends.push_back({builder.GetInsertBlock(), values});
    builder.CreateBr(after);
  });
  enterBlock(after);
  Values results;
  for (size_t k = 0; k < ends.front().second.size(); ++k) {
    auto *phi = builder.CreatePHI(ends.front().second[k]->getType(), ends.size());
    for (auto &[end, values] : ends)
      phi->addIncoming(values[k], end);
    results.push_back(phi);
  }
  open = std::move(pending);
  current = before;
  return results;
}

} // namespace tl::backend::cpu
