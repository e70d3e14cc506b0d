// SPDX-License-Identifier: MIT
//
// Atomic operations, element after element, so that equal addresses in one block are each applied.
// Integers use the processor's read-modify-write instructions, floats a compare-and-exchange loop
// on their bits. Every ordering is at least as strong as asked for. A lane whose mask is false
// touches nothing and gives zero.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
llvm::AtomicOrdering orderingOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return llvm::AtomicOrdering::Monotonic;
  case tt::MemSemantic::ACQUIRE:
    return llvm::AtomicOrdering::Acquire;
  case tt::MemSemantic::RELEASE:
    return llvm::AtomicOrdering::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return llvm::AtomicOrdering::AcquireRelease;
  }
  llvm_unreachable("memory semantic");
}

std::optional<llvm::AtomicRMWInst::BinOp> integerOperation(tt::RMWOp operation) {
  switch (operation) {
  case tt::RMWOp::AND:
    return llvm::AtomicRMWInst::And;
  case tt::RMWOp::OR:
    return llvm::AtomicRMWInst::Or;
  case tt::RMWOp::XOR:
    return llvm::AtomicRMWInst::Xor;
  case tt::RMWOp::ADD:
    return llvm::AtomicRMWInst::Add;
  case tt::RMWOp::MAX:
    return llvm::AtomicRMWInst::Max;
  case tt::RMWOp::MIN:
    return llvm::AtomicRMWInst::Min;
  case tt::RMWOp::UMAX:
    return llvm::AtomicRMWInst::UMax;
  case tt::RMWOp::UMIN:
    return llvm::AtomicRMWInst::UMin;
  case tt::RMWOp::XCHG:
    return llvm::AtomicRMWInst::Xchg;
  case tt::RMWOp::FADD:
    return std::nullopt;
  }
  llvm_unreachable("atomic operation");
}
} // namespace

static Value *emitAtomicElement(FunctionLowering &f, mlir::Operation *operation,
                                llvm::ArrayRef<Value *> operands) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  mlir::Type element =
      mlir::cast<tt::PointerType>(elementType(operation->getOperand(0).getType())).getPointeeType();
  llvm::Type *type = memoryType(context, element);
  unsigned bytes = memoryBytes(element);
  llvm::Type *bits = builder.getIntNTy(bytes * 8);
  llvm::Align align(bytes);
  Value *pointer = operands[0];
  auto toBits = [&](Value *value) -> Value * {
    value = f.toMemory(value, element);
    return type->isPointerTy() ? builder.CreatePtrToInt(value, bits)
                               : builder.CreateBitCast(value, bits);
  };
  auto fromBits = [&](Value *value) -> Value * {
    value = type->isPointerTy() ? builder.CreateIntToPtr(value, type)
                                : builder.CreateBitCast(value, type);
    return f.fromMemory(value, element);
  };
  if (auto load = mlir::dyn_cast<tt::AtomicLoadOp>(operation)) {
    auto *loaded = builder.CreateAlignedLoad(bits, pointer, align);
    loaded->setAtomic(orderingOf(load.getSem()));
    return fromBits(loaded);
  }
  if (auto store = mlir::dyn_cast<tt::AtomicStoreOp>(operation)) {
    auto *stored = builder.CreateAlignedStore(toBits(operands[1]), pointer, align);
    stored->setAtomic(orderingOf(store.getSem()));
    return nullptr;
  }
  if (auto cas = mlir::dyn_cast<tt::AtomicCASOp>(operation)) {
    auto success = orderingOf(cas.getSem());
    auto *pair = builder.CreateAtomicCmpXchg(
        pointer, toBits(operands[1]), toBits(operands[2]), align, success,
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success));
    return fromBits(builder.CreateExtractValue(pair, 0));
  }
  auto rmw = mlir::cast<tt::AtomicRMWOp>(operation);
  auto ordering = orderingOf(rmw.getSem());
  auto kind = rmw.getAtomicRmwOp();
  auto format = floatFormat(element);
  bool onBits = !format || kind == tt::RMWOp::XCHG || kind == tt::RMWOp::AND ||
                kind == tt::RMWOp::OR || kind == tt::RMWOp::XOR;
  if (onBits) {
    auto integer = integerOperation(kind);
    if (!integer)
      integer = llvm::AtomicRMWInst::Add;
    return fromBits(
        builder.CreateAtomicRMW(*integer, pointer, toBits(operands[1]), align, ordering));
  }
  auto *before = builder.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "exchange", f.code);
  auto *done = llvm::BasicBlock::Create(context, "exchanged", f.code);
  auto *first = builder.CreateAlignedLoad(bits, pointer, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  auto *old = builder.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  Value *current = f.widen(fromBits(old), *format), *value = f.widen(operands[1], *format);
  Value *next;
  switch (kind) {
  case tt::RMWOp::MAX:
  case tt::RMWOp::UMAX:
    next = builder.CreateBinaryIntrinsic(llvm::Intrinsic::maximumnum, current, value);
    break;
  case tt::RMWOp::MIN:
  case tt::RMWOp::UMIN:
    next = builder.CreateBinaryIntrinsic(llvm::Intrinsic::minimumnum, current, value);
    break;
  default:
    next = builder.CreateFAdd(current, value);
  }
  auto *pair =
      builder.CreateAtomicCmpXchg(pointer, old, toBits(f.narrow(next, *format)), align, ordering,
                                  llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(ordering));
  old->addIncoming(builder.CreateExtractValue(pair, 0), builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateExtractValue(pair, 1), done, loop);
  builder.SetInsertPoint(done);
  return fromBits(old);
}

static void emitAtomic(FunctionLowering &f, mlir::Operation *operation) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  f.flush();
  f.beforeWrite(operation, true);
  f.flush();
  mlir::Value mask = mlir::cast<tt::AccessOpInterface>(operation).getMask();
  unsigned operandCount = operation->getNumOperands();
  if (mask)
    --operandCount;
  mlir::Value result = operation->getNumResults() ? operation->getResult(0) : mlir::Value();
  auto guarded = [&](Value *condition, llvm::ArrayRef<Value *> operands) -> Value * {
    if (!condition)
      return emitAtomicElement(f, operation, operands);
    llvm::BasicBlock *before = builder.GetInsertBlock();
    auto *then = llvm::BasicBlock::Create(context, "atomic", f.code);
    auto *after = llvm::BasicBlock::Create(context, "atomic.end", f.code);
    builder.CreateCondBr(condition, then, after);
    f.enterBlock(then);
    Value *old = emitAtomicElement(f, operation, operands);
    llvm::BasicBlock *end = builder.GetInsertBlock();
    builder.CreateBr(after);
    f.enterBlock(after);
    if (!old)
      return nullptr;
    auto *phi = builder.CreatePHI(old->getType(), 2);
    phi->addIncoming(old, end);
    phi->addIncoming(llvm::Constant::getNullValue(old->getType()), before);
    return phi;
  };
  mlir::Type type = operation->getOperand(0).getType();
  if (!mlir::isa<mlir::RankedTensorType>(type)) {
    Values operands;
    for (unsigned k = 0; k < operandCount; ++k)
      operands.push_back(f.scalar(operation->getOperand(k)));
    Value *old = guarded(mask ? f.scalar(mask) : nullptr, operands);
    if (result)
      f.setScalar(result, old);
    return;
  }
  ScratchBuffer *buffer = nullptr;
  if (result && !result.use_empty()) {
    buffer = scratch.allocate(f.bufferBytes(result.getType()));
    f.buffers[result] = buffer;
  }
  f.forEachElement(type, [&](Nest &nest, const Index &index) {
    Values operands;
    for (unsigned k = 0; k < operandCount; ++k)
      operands.push_back(f.evaluate(nest, operation->getOperand(k), index).value);
    Value *condition = mask ? f.evaluate(nest, mask, index).value : nullptr;
    f.atTail(nest);
    Value *old = guarded(condition, operands);
    nest.levels.back().setup = nest.levels.back().tail = builder.GetInsertBlock();
    if (buffer)
      f.storeBuffer(nest, *buffer, elementType(result.getType()), index, Lanes::uniform(old));
  });
  scratch.tick();
}

static void emitPoll(FunctionLowering &f, tt::AtomicPollOp poll) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  f.flush();
  f.beforeWrite(poll, true);
  f.flush();
  mlir::Type element = poll.getExpected().getType();
  llvm::Type *type = memoryType(context, element);
  Value *pointer = f.scalar(poll.getPtr());
  Value *expected = f.toMemory(f.scalar(poll.getExpected()), element);
  Value *limit = poll.getTimeout() ? f.scalar(poll.getTimeout()) : nullptr;
  auto clockType = llvm::FunctionType::get(builder.getInt64Ty(), false);
  auto now = [&] {
    return builder.CreateCall(f.lowering.module.getOrInsertFunction(clockHook, clockType));
  };
  Value *begin = limit ? now() : nullptr;
  auto *loop = llvm::BasicBlock::Create(context, "poll", f.code);
  auto *wait = llvm::BasicBlock::Create(context, "poll.wait", f.code);
  auto *done = llvm::BasicBlock::Create(context, "poll.end", f.code);
  builder.CreateBr(loop);
  f.enterBlock(loop);
  auto *seen = builder.CreateAlignedLoad(type, pointer, llvm::Align(memoryBytes(element)));
  seen->setAtomic(orderingOf(poll.getSem()));
  Value *equal = builder.CreateICmpEQ(seen, expected);
  builder.CreateCondBr(equal, done, wait);
  f.enterBlock(wait);
  // Another program may have to run before the value appears.
  auto yieldType = llvm::FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(f.lowering.module.getOrInsertFunction(yieldHook, yieldType));
  if (limit) {
    Value *elapsed = builder.CreateSub(now(), begin);
    builder.CreateCondBr(builder.CreateICmpUGE(elapsed, limit), done, loop);
  } else {
    builder.CreateBr(loop);
  }
  f.enterBlock(done);
  auto *result = builder.CreatePHI(builder.getInt1Ty(), 2);
  result->addIncoming(builder.getTrue(), loop);
  if (limit)
    result->addIncoming(builder.getFalse(), wait);
  f.setScalar(poll, result);
}

void addAtomics(EmitterTable &table) {
  table.addAll<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp>(emitAtomic);
  table.add<emitPoll>();
}

} // namespace tl::backend::cpu
