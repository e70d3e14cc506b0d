// SPDX-License-Identifier: MIT
//
// Atomic operations, one element at a time by the one thread that speaks for it. What the hardware
// has no instruction for (narrow floats, products of types) is a loop of compare-and-swap. A scalar
// is done by the first thread, and all threads learn its result through shared memory.
#include "lowering/GpuLowering.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

Value *GpuLowering::broadcastFromFirstThread(Value *value) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(value->getType());
  Scratch scratch = acquire(bytes);
  emitIf(isFirstThread(), [&] { builder.CreateStore(value, sharedPointer(scratch.begin)); });
  reads(scratch);
  Value *result = builder.CreateLoad(value->getType(), sharedPointer(scratch.begin));
  release(scratch);
  return result;
}

/// Reads, computes, and tries to write until nobody came between.
Value *GpuLowering::emitCasLoop(tt::AtomicRMWOp op, const AtomicAccess &access, Value *value) {
  mlir::Type element = elementType(op.getVal().getType());
  unsigned bits = memoryBytes(element) * 8;
  llvm::Type *word = builder.getIntNTy(bits);
  Value *initial = builder.CreateAlignedLoad(word, access.pointer, llvm::Align(bits / 8), true);
  auto *before = builder.GetInsertBlock(), *loop = newBlock("retry"), *done = newBlock("swapped");
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *old = builder.CreatePHI(word, 2);
  old->addIncoming(initial, before);
  Value *current = fromMemory(old, element);
  auto format = floatFormat(element);
  auto integer = [&](llvm::Intrinsic::ID id) {
    return builder.CreateBinaryIntrinsic(id, current, value);
  };
  auto floating = [&](llvm::function_ref<Value *(Value *, Value *)> compute) {
    return narrow(compute(widen(current, *format), widen(value, *format)), *format);
  };
  Value *next = nullptr;
  switch (op.getAtomicRmwOp()) {
  case tt::RMWOp::AND:
    next = builder.CreateAnd(current, value);
    break;
  case tt::RMWOp::OR:
    next = builder.CreateOr(current, value);
    break;
  case tt::RMWOp::XOR:
    next = builder.CreateXor(current, value);
    break;
  case tt::RMWOp::ADD:
    next = builder.CreateAdd(current, value);
    break;
  case tt::RMWOp::FADD:
    next = floating([&](Value *a, Value *b) { return builder.CreateFAdd(a, b); });
    break;
  case tt::RMWOp::MAX:
    next = integer(llvm::Intrinsic::smax);
    break;
  case tt::RMWOp::MIN:
    next = integer(llvm::Intrinsic::smin);
    break;
  case tt::RMWOp::UMAX:
    next = integer(llvm::Intrinsic::umax);
    break;
  case tt::RMWOp::UMIN:
    next = integer(llvm::Intrinsic::umin);
    break;
  case tt::RMWOp::XCHG:
    next = value;
    break;
  }
  AtomicAccess always = access;
  always.predicate = nullptr;
  Value *seen = target.compareAndSwap(builder, always, old, toMemory(next, element));
  old->addIncoming(seen, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpEQ(seen, old), done, loop);
  builder.SetInsertPoint(done);
  return fromMemory(seen, element);
}

Value *GpuLowering::emitAtomicElement(mlir::Operation *op, llvm::ArrayRef<Value *> operands,
                                      Value *predicate) {
  AtomicAccess access;
  access.pointer = operands[0];
  access.predicate = predicate;
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp>(
          [&](auto atomic) {
            access.semantic = atomic.getSem();
            access.scope = atomic.getScope();
          });
  mlir::Type element = elementType(tt::getPointeeType(op->getOperand(0).getType()));
  /// Code with its own branches, under the predicate.
  auto guarded = [&](llvm::function_ref<Value *()> body) -> Value * {
    if (!predicate)
      return body();
    auto *before = builder.GetInsertBlock(), *then = newBlock("atomic"), *after = newBlock("after");
    builder.CreateCondBr(predicate, then, after);
    builder.SetInsertPoint(then);
    Value *value = body();
    auto *end = builder.GetInsertBlock();
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
    llvm::PHINode *result = builder.CreatePHI(value->getType(), 2);
    result->addIncoming(value, end);
    result->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
    return result;
  };
  return llvm::TypeSwitch<mlir::Operation *, Value *>(op)
      .Case([&](tt::AtomicRMWOp rmw) -> Value * {
        bool used = !rmw.getResult().use_empty();
        if (Value *old = target.atomic(builder, access, rmw.getAtomicRmwOp(),
                                       toMemory(operands[1], element), element, used))
          return fromMemory(old, element);
        return guarded([&] { return emitCasLoop(rmw, access, operands[1]); });
      })
      .Case([&](tt::AtomicCASOp) {
        Value *expected = toMemory(operands[1], element), *value = toMemory(operands[2], element);
        return guarded([&] {
          AtomicAccess always = access;
          always.predicate = nullptr;
          return fromMemory(target.compareAndSwap(builder, always, expected, value), element);
        });
      })
      .Case([&](tt::AtomicLoadOp) {
        return fromMemory(target.atomicLoad(builder, access, memoryBytes(element) * 8), element);
      })
      .Case([&](tt::AtomicStoreOp) -> Value * {
        target.atomicStore(builder, access, toMemory(operands[1], element));
        return nullptr;
      });
}

GpuLowering::Grouping GpuLowering::atomicGroups(mlir::Operation *op, mlir::Value mask) {
  auto rmw = mlir::dyn_cast<tt::AtomicRMWOp>(op);
  unsigned most =
      rmw ? target.atomicWidth(rmw.getAtomicRmwOp(), elementType(rmw.getVal().getType())) : 1;
  Grouping grouping;
  if (most > 1)
    grouping = groupsOf(rmw.getPtr(), mask);
  while (grouping.width() > most)
    grouping.bits.pop_back();
  return grouping;
}

GpuLowering::Values GpuLowering::emitAtomicVector(tt::AtomicRMWOp op, Value *pointer,
                                                  llvm::ArrayRef<Value *> values,
                                                  Value *predicate) {
  AtomicAccess access;
  access.pointer = pointer;
  access.predicate = predicate;
  access.semantic = op.getSem();
  access.scope = op.getScope();
  mlir::Type element = elementType(op.getVal().getType());
  Values words;
  for (Value *value : values)
    words.push_back(toMemory(value, element));
  bool used = !op.getResult().use_empty();
  Values olds;
  for (Value *old : target.atomicVector(builder, access, op.getAtomicRmwOp(), words, element, used))
    olds.push_back(fromMemory(old, element));
  return olds;
}

Value *GpuLowering::emitPoll(tt::AtomicPollOp poll) {
  mlir::Type element = poll.getExpected().getType();
  AtomicAccess access;
  access.pointer = scalar(poll.getPtr());
  access.semantic = poll.getSem();
  access.scope = poll.getScope();
  Value *expected = toMemory(scalar(poll.getExpected()), element);
  Value *start = poll.getTimeout() ? target.nanoseconds(builder) : nullptr;
  auto *before = builder.GetInsertBlock(), *loop = newBlock("poll"), *again = newBlock("again"),
       *done = newBlock("polled");
  // One thread asks, the others wait at the barrier.
  builder.CreateCondBr(isFirstThread(), loop, done);
  builder.SetInsertPoint(loop);
  Value *seen = target.atomicLoad(builder, access, memoryBytes(element) * 8);
  Value *equal = builder.CreateICmpEQ(seen, expected);
  builder.CreateCondBr(equal, done, again);
  builder.SetInsertPoint(again);
  Value *late = builder.getFalse();
  if (start)
    late = builder.CreateICmpUGT(builder.CreateSub(target.nanoseconds(builder), start),
                                 scalar(poll.getTimeout()));
  builder.CreateCondBr(late, done, loop);
  builder.SetInsertPoint(done);
  llvm::PHINode *result = builder.CreatePHI(builder.getInt1Ty(), 3);
  result->addIncoming(builder.getFalse(), before);
  result->addIncoming(builder.getTrue(), loop);
  result->addIncoming(builder.getFalse(), again);
  return builder.CreateTrunc(
      broadcastFromFirstThread(builder.CreateZExt(result, builder.getInt8Ty())),
      builder.getInt1Ty());
}

void GpuLowering::emitAtomic(mlir::Operation *op) {
  if (auto poll = mlir::dyn_cast<tt::AtomicPollOp>(op)) {
    orderAccess(poll.getPtr(), true);
    barrier();
    set(poll, {emitPoll(poll)});
    return;
  }
  auto semantic = tt::MemSemantic::RELAXED;
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp>(
          [&](auto atomic) { semantic = atomic.getSem(); });
  // The whole program releases what it has written: all threads come first.
  bool releases =
      semantic == tt::MemSemantic::RELEASE || semantic == tt::MemSemantic::ACQUIRE_RELEASE;
  bool acquires =
      semantic == tt::MemSemantic::ACQUIRE || semantic == tt::MemSemantic::ACQUIRE_RELEASE;
  if (releases)
    mark({SharedEventKind::Release});
  orderAccess(op->getOperand(0), true);
  mlir::Value mask;
  if (auto rmw = mlir::dyn_cast<tt::AtomicRMWOp>(op))
    mask = rmw.getMask();
  if (auto cas = mlir::dyn_cast<tt::AtomicCASOp>(op))
    mask = cas.getMask();
  if (auto load = mlir::dyn_cast<tt::AtomicLoadOp>(op))
    mask = load.getMask();
  if (auto store = mlir::dyn_cast<tt::AtomicStoreOp>(op))
    mask = store.getMask();
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  unsigned count = type ? registersOf(type) : 1;
  Value *holder = type ? isFirstHolder(ttg::layoutOf(type)) : isFirstThread();
  Values results(count, nullptr);
  Grouping grouping = atomicGroups(op, mask);
  for (unsigned reg = 0; reg < count; ++reg) {
    if (!grouping.isFirst(reg) || (type && isCopy(ttg::layoutOf(type), reg)))
      continue;
    Value *predicate = holder;
    if (mask) {
      Value *own = get(mask)[reg];
      predicate = predicate ? builder.CreateAnd(predicate, own) : own;
    }
    if (grouping.width() > 1) {
      Values values;
      const Values &all = get(op->getOperand(1));
      for (unsigned i = 0; i < grouping.width(); ++i)
        values.push_back(all[grouping.registerOf(reg, i)]);
      Values olds = emitAtomicVector(mlir::cast<tt::AtomicRMWOp>(op), get(op->getOperand(0))[reg],
                                     values, predicate);
      for (unsigned i = 0; i < grouping.width(); ++i)
        results[grouping.registerOf(reg, i)] = olds[i];
      continue;
    }
    Values operands;
    // The mask, where there is one, comes last.
    for (mlir::Value operand : op->getOperands().drop_back(mask ? 1 : 0))
      operands.push_back(get(operand)[reg]);
    results[reg] = emitAtomicElement(op, operands, predicate);
  }
  bool used = op->getNumResults() && !op->getResult(0).use_empty();
  // What other threads do from here on comes behind it; without its result nobody can tell.
  if (acquires && used)
    mark({SharedEventKind::Acquire});
  if (op->getNumResults() && used) {
    if (!type) {
      results[0] = broadcastFromFirstThread(results[0]);
    } else {
      const LinearLayout &layout = ttg::layoutOf(type);
      // Holders of copies learn the result of the one that did it.
      for (unsigned reg = 0; reg < count; ++reg)
        if (!results[reg]) {
          uint64_t clear = 0;
          for (const auto &[name, bits] : layout.freeBits())
            if (name == "register")
              clear = bits;
          results[reg] = results[reg & ~clear];
        }
      if (holder) {
        mlir::Type element = elementType(op->getResult(0).getType());
        Scratch scratch = acquire(uint64_t(type.getNumElements()) * memoryBytes(element));
        emitIf(holder, [&] {
          for (unsigned reg = 0; reg < count; ++reg)
            if (!isCopy(layout, reg))
              builder.CreateStore(
                  toMemory(results[reg], element),
                  sharedElement(scratch, flatElement(layout, reg, type.getShape()), element));
        });
        reads(scratch);
        for (unsigned reg = 0; reg < count; ++reg)
          results[reg] = fromMemory(
              builder.CreateLoad(
                  builder.getIntNTy(memoryBytes(element) * 8),
                  sharedElement(scratch, flatElement(layout, reg, type.getShape()), element)),
              element);
        release(scratch);
      }
    }
  }
  if (op->getNumResults()) {
    for (Value *&result : results)
      if (!result)
        result = llvm::Constant::getNullValue(registerTypeOf(op->getResult(0).getType()));
    set(op->getResult(0), std::move(results));
  }
}

} // namespace tl::backend
