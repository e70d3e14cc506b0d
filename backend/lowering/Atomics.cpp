// SPDX-License-Identifier: MIT
//
// Atomic operations, by the one thread that speaks for an element. What the hardware has no
// instruction for (narrow floats, products of types) is a loop of compare-and-swap. A scalar is
// done by the first thread, and all threads learn its result through shared memory.
#include "analysis/MemoryOrder.h"
#include "lowering/Access.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

// ---- One element

/// Reads, computes, and tries to write until nobody came between.
Value *emitCasLoop(KernelLowering &kernel, tt::AtomicRMWOp op, const AtomicAccess &access,
                   Value *value) {
  auto &b = kernel.builder;
  mlir::Type element = elementType(op.getVal().getType());
  unsigned bits = memoryBytes(element) * 8;
  llvm::Type *word = b.getIntNTy(bits);
  AtomicAccess first{.pointer = access.pointer}; // others write at the same time
  first.semantic = tt::MemSemantic::RELAXED;
  first.scope = access.scope;
  Value *initial = kernel.target.atomics.load(b, first, bits);
  auto *before = b.GetInsertBlock(), *loop = kernel.newBlock("retry"),
       *done = kernel.newBlock("swapped");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *old = b.CreatePHI(word, 2);
  old->addIncoming(initial, before);
  Value *current = kernel.fromMemory(old, element);
  auto format = floatFormat(element);
  auto integer = [&](llvm::Intrinsic::ID id) {
    return b.CreateBinaryIntrinsic(id, current, value);
  };
  auto floating = [&](llvm::function_ref<Value *(Value *, Value *)> compute) {
    return kernel.scalars.narrow(
        compute(kernel.scalars.widen(current, *format), kernel.scalars.widen(value, *format)),
        *format);
  };
  Value *next = nullptr;
  switch (op.getAtomicRmwOp()) {
  case tt::RMWOp::AND:
    next = b.CreateAnd(current, value);
    break;
  case tt::RMWOp::OR:
    next = b.CreateOr(current, value);
    break;
  case tt::RMWOp::XOR:
    next = b.CreateXor(current, value);
    break;
  case tt::RMWOp::ADD:
    next = b.CreateAdd(current, value);
    break;
  case tt::RMWOp::FADD:
    next = floating([&](Value *x, Value *y) { return b.CreateFAdd(x, y); });
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
  Value *seen =
      kernel.target.atomics.compareAndSwap(b, access, old, kernel.toMemory(next, element));
  old->addIncoming(seen, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(seen, old), done, loop);
  b.SetInsertPoint(done);
  return kernel.fromMemory(seen, element);
}

/// Code with its own branches, under the access's predicate; its value, or 0 where that is false.
Value *underPredicate(KernelLowering &kernel, Value *predicate,
                      llvm::function_ref<Value *()> body) {
  if (!predicate)
    return body();
  auto &b = kernel.builder;
  auto *before = b.GetInsertBlock(), *then = kernel.newBlock("atomic"),
       *after = kernel.newBlock("after");
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  Value *value = body();
  auto *end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode *result = b.CreatePHI(value->getType(), 2);
  result->addIncoming(value, end);
  result->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
  return result;
}

// ---- All elements

/// An atomic operation, and what one instruction changes together.
struct AtomicOperation {
  tt::AtomicOpInterface op;
  RegisterGroups groups = {};
  bool releasesOnce = false; // before all operations of a thread
  bool hasLoops = false;     // in which some threads may try again when others are done

  mlir::Type element() { return elementType(tt::getPointeeType(op.getPtr().getType())); }
  bool isUsed() { return op->getNumResults() && !op->getResult(0).use_empty(); }
};

/// The results of a tensor's elements in all threads that hold them: `results` has them in the
/// holder's registers that are no copies, and null in the others.
void shareResults(KernelLowering &kernel, mlir::RankedTensorType type, mlir::Type element,
                  Value *holder, Values &results) {
  auto &b = kernel.builder;
  const LinearLayout &layout = ttg::layoutOf(type);
  uint64_t copies = 0;
  for (const auto &[name, bits] : layout.freeBits())
    if (name == "register")
      copies = bits;
  for (unsigned reg = 0; reg < results.size(); ++reg)
    if (!results[reg])
      results[reg] = results[reg & ~copies];
  if (!holder)
    return;
  Scratch scratch = kernel.shared.acquire(uint64_t(type.getNumElements()) * memoryBytes(element));
  auto pointer = [&](unsigned reg) {
    return kernel.shared.element(scratch, kernel.threads.flatElement(layout, reg, type.getShape()),
                                 element);
  };
  kernel.emitIf(holder, [&] {
    for (unsigned reg = 0; reg < results.size(); ++reg)
      if (!isCopy(layout, reg)) {
        Value *bits = kernel.toMemory(results[reg], element);
        b.CreateStore(bits, pointer(reg));
      }
  });
  kernel.shared.reads(scratch);
  for (unsigned reg = 0; reg < results.size(); ++reg)
    results[reg] = kernel.fromMemory(
        b.CreateLoad(b.getIntNTy(memoryBytes(element) * 8), pointer(reg)), element);
  kernel.shared.release(scratch);
}

/// Calls `emit` for each group of registers, with its first register; it returns the old values of
/// the group, or nothing if the operation has no result.
void emitAtomic(KernelLowering &kernel, AtomicOperation &atomic,
                llvm::function_ref<Values(const AtomicAccess &, unsigned)> emit) {
  auto &b = kernel.builder;
  // All threads come first.
  if (releases(atomic.op))
    kernel.shared.mark({SharedEventKind::Release});
  orderAccess(kernel, atomic.op.getPtr(), true);
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(atomic.op.getPtr().getType());
  Value *holder =
      type ? kernel.threads.isFirstHolder(ttg::layoutOf(type)) : kernel.threads.isFirstThread();
  const Values pointers = kernel.get(atomic.op.getPtr()),
               masks = kernel.getOptional(atomic.op.getMask());
  Values results(pointers.size(), nullptr);
  tt::MemSemantic semantic = atomic.op.getSem();
  // One fence serves all operations of a thread, and all attempts of each.
  if (releases(atomic.op) && atomic.releasesOnce) {
    kernel.target.atomics.release(b, {nullptr, holder, semantic, atomic.op.getScope()});
    semantic =
        semantic == tt::MemSemantic::RELEASE ? tt::MemSemantic::RELAXED : tt::MemSemantic::ACQUIRE;
  }
  for (unsigned first = 0; first < pointers.size(); ++first) {
    if (!atomic.groups.isFirst(first) || (type && isCopy(ttg::layoutOf(type), first)))
      continue;
    AtomicAccess access;
    access.pointer = pointers[first];
    access.predicate = holder;
    if (!masks.empty())
      access.predicate = holder ? b.CreateAnd(holder, masks[first]) : masks[first];
    access.semantic = semantic;
    access.scope = atomic.op.getScope();
    for (auto [i, old] : llvm::enumerate(emit(access, first)))
      results[atomic.groups.registerOf(first, unsigned(i))] = old;
  }
  if (atomic.hasLoops && !kernel.shared.isDivergent())
    kernel.target.threads.reconverge(b);
  if (!atomic.op->getNumResults())
    return;
  // What other threads do from here on comes after it; without its result nobody can tell.
  if (acquires(atomic.op) && atomic.isUsed())
    kernel.shared.mark({SharedEventKind::Acquire});
  mlir::Value result = atomic.op->getResult(0);
  if (atomic.isUsed() && type)
    shareResults(kernel, type, elementType(result.getType()), holder, results);
  else if (atomic.isUsed())
    results[0] = broadcastFromFirstThread(kernel, results[0]);
  for (Value *&old : results)
    if (!old)
      old = llvm::Constant::getNullValue(kernel.registerTypeOf(result.getType()));
  kernel.set(result, std::move(results));
}

// ---- Operations

void emitAtomicRmw(KernelLowering &kernel, tt::AtomicRMWOp op) {
  auto &b = kernel.builder;
  const GpuAtomics &atomics = kernel.target.atomics;
  AtomicOperation atomic{op};
  mlir::Type element = atomic.element();
  unsigned most = atomics.vectorWidth(op.getAtomicRmwOp(), element);
  if (most > 1)
    atomic.groups = groupsOf(kernel, op.getPtr(), op.getMask());
  while (atomic.groups.width() > most)
    atomic.groups.bits.pop_back();
  const Values values = kernel.get(op.getVal());
  // Additions of less than a word may be loops in the hardware's hands, too.
  atomic.releasesOnce =
      values.size() > atomic.groups.width() || memoryBytes(element) * atomic.groups.width() < 4;
  emitAtomic(kernel, atomic, [&](const AtomicAccess &access, unsigned first) -> Values {
    if (atomic.groups.width() > 1) {
      Values words, olds;
      for (unsigned i = 0; i < atomic.groups.width(); ++i)
        words.push_back(kernel.toMemory(values[atomic.groups.registerOf(first, i)], element));
      for (Value *old : atomics.readModifyWriteVector(b, access, op.getAtomicRmwOp(), words,
                                                      element, atomic.isUsed()))
        olds.push_back(kernel.fromMemory(old, element));
      return olds;
    }
    if (Value *old = atomics.readModifyWrite(b, access, op.getAtomicRmwOp(),
                                             kernel.toMemory(values[first], element), element,
                                             atomic.isUsed()))
      return {kernel.fromMemory(old, element)};
    atomic.hasLoops = true;
    return {underPredicate(kernel, access.predicate,
                           [&] { return emitCasLoop(kernel, op, access, values[first]); })};
  });
}

void emitAtomicCas(KernelLowering &kernel, tt::AtomicCASOp op) {
  AtomicOperation atomic{op};
  mlir::Type element = atomic.element();
  const Values expected = kernel.get(op.getCmp()), values = kernel.get(op.getVal());
  emitAtomic(kernel, atomic, [&](const AtomicAccess &access, unsigned reg) -> Values {
    Value *from = kernel.toMemory(expected[reg], element);
    Value *to = kernel.toMemory(values[reg], element);
    return {underPredicate(kernel, access.predicate, [&] {
      Value *old = kernel.target.atomics.compareAndSwap(kernel.builder, access, from, to);
      return kernel.fromMemory(old, element);
    })};
  });
}

void emitAtomicLoad(KernelLowering &kernel, tt::AtomicLoadOp op) {
  AtomicOperation atomic{op};
  mlir::Type element = atomic.element();
  emitAtomic(kernel, atomic, [&](const AtomicAccess &access, unsigned) -> Values {
    return {kernel.fromMemory(
        kernel.target.atomics.load(kernel.builder, access, memoryBytes(element) * 8), element)};
  });
}

void emitAtomicStore(KernelLowering &kernel, tt::AtomicStoreOp op) {
  AtomicOperation atomic{op};
  mlir::Type element = atomic.element();
  const Values values = kernel.get(op.getVal());
  emitAtomic(kernel, atomic, [&](const AtomicAccess &access, unsigned reg) -> Values {
    kernel.target.atomics.store(kernel.builder, access, kernel.toMemory(values[reg], element));
    return {};
  });
}

void emitAtomicPoll(KernelLowering &kernel, tt::AtomicPollOp poll) {
  orderAccess(kernel, poll.getPtr(), true);
  kernel.shared.barrier();
  auto &b = kernel.builder;
  mlir::Type element = poll.getExpected().getType();
  AtomicAccess access;
  access.pointer = kernel.scalar(poll.getPtr());
  access.semantic = poll.getSem();
  access.scope = poll.getScope();
  Value *expected = kernel.toMemory(kernel.scalar(poll.getExpected()), element);
  Value *start = poll.getTimeout() ? kernel.target.program.nanoseconds(b) : nullptr;
  auto *before = b.GetInsertBlock(), *loop = kernel.newBlock("poll"),
       *again = kernel.newBlock("again"), *done = kernel.newBlock("polled");
  // One thread asks, the others wait at the barrier.
  b.CreateCondBr(kernel.threads.isFirstThread(), loop, done);
  b.SetInsertPoint(loop);
  Value *seen = kernel.target.atomics.load(b, access, memoryBytes(element) * 8);
  Value *equal = b.CreateICmpEQ(seen, expected);
  b.CreateCondBr(equal, done, again);
  b.SetInsertPoint(again);
  Value *late = b.getFalse();
  if (start)
    late = b.CreateICmpUGT(b.CreateSub(kernel.target.program.nanoseconds(b), start),
                           kernel.scalar(poll.getTimeout()));
  b.CreateCondBr(late, done, loop);
  b.SetInsertPoint(done);
  llvm::PHINode *result = b.CreatePHI(b.getInt1Ty(), 3);
  result->addIncoming(b.getFalse(), before);
  result->addIncoming(b.getTrue(), loop);
  result->addIncoming(b.getFalse(), again);
  kernel.target.threads.reconverge(b);
  Value *answer = broadcastFromFirstThread(kernel, b.CreateZExt(result, b.getInt8Ty()));
  kernel.set(poll, {b.CreateTrunc(answer, b.getInt1Ty())});
}

} // namespace

void registerAtomics(OperationTable &table) {
  table.add<emitAtomicCas>();
  table.add<emitAtomicLoad>();
  table.add<emitAtomicPoll>();
  table.add<emitAtomicRmw>();
  table.add<emitAtomicStore>();
}

} // namespace tl::backend
