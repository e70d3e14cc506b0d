// SPDX-License-Identifier: MIT
//
// Loads and stores of global memory. The form of the pointer chooses the access: neighbours are a
// plain or masked vector access, one address for all lanes a scalar access, anything else a gather
// or scatter.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

Value *FunctionLowering::fromMemory(Value *value, mlir::Type element) {
  if (!element.isInteger(1))
    return value;
  return builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value *FunctionLowering::toMemory(Value *value, mlir::Type element) {
  if (!element.isInteger(1))
    return value;
  return builder.CreateZExt(value, value->getType()->getWithNewType(builder.getInt8Ty()));
}

namespace {
bool isConstant(const Lanes &mask, bool value) {
  if (!mask.value)
    return value;
  auto *known = mask.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(mask.value) : nullptr;
  return known && known->isOne() == value;
}
bool isStride(const Lanes &pointer, int64_t bytes) {
  auto *known = pointer.isAffine() ? llvm::dyn_cast<llvm::ConstantInt>(pointer.stride) : nullptr;
  return known && known->getSExtValue() == bytes;
}
} // namespace

/// An address or an offset of 64 bits at an index, where neighbours of 32 bits are taken to be
/// neighbours in memory. They are, unless they wrap: then the kernel would access the two ends of
/// 2^32 elements at once, or one of them by its mask, and what it accesses is undefined, as
/// tensor.hpp says. No other stride is taken for more than it is, so the result is usable only as
/// the address of neighbours if it `assumesNoWrap`.
Lanes FunctionLowering::address(Nest &nest, mlir::Value value, const Index &index) {
  mlir::Operation *operation = value.getDefiningOp();
  mlir::Type element = elementType(value.getType());
  bool narrow = element.isInteger() && element.getIntOrFloatBitWidth() < 64;
  if (!operation || !mlir::isa<mlir::RankedTensorType>(value.getType()) || narrow ||
      buffers.contains(value) || nest.copies.contains(value) ||
      !(operation->hasTrait<tt::MovesElements>() || hasAffineRule(operation)))
    return evaluate(nest, value, index);
  unsigned level = index.level();
  for (auto &[known, lanes] : nest.levels[level].addresses[value])
    if (known == index)
      return lanes;
  Lanes lanes;
  if (auto moved = source(nest, value, index)) {
    lanes = address(nest, moved->first, moved->second);
  } else {
    llvm::SmallVector<Lanes, 2> operands;
    for (mlir::Value operand : operation->getOperands())
      operands.push_back(address(nest, operand, index));
    at(nest, level);
    lanes = affineOf(operation, operands, true);
    if (!lanes.value)
      lanes = evaluate(nest, value, index);
  }
  nest.levels[level].addresses[value].push_back({index, lanes});
  return lanes;
}

/// Pointers at an index. Along the innermost loop an affine pointer moves by a fixed amount, so
/// what is computed for its first position, outside of the loop, is right for all.
Lanes FunctionLowering::pointerAt(Nest &nest, mlir::Value pointer, const Index &index) {
  unsigned innermost = nest.levels.size() - 1;
  auto pointee = mlir::cast<tt::PointerType>(elementType(pointer.getType())).getPointeeType();
  auto isUsable = [&](const Lanes &lanes) {
    return !lanes.assumesNoWrap || isStride(lanes, memoryBytes(pointee));
  };
  auto here = [&] {
    Lanes lanes = address(nest, pointer, index);
    return isUsable(lanes) ? lanes : evaluate(nest, pointer, index);
  };
  if (index.digits.empty() || innermost == 0 || nest.lanes == 1)
    return here();
  const Digit &last = index.digits.back();
  if (last.level != innermost || last.general || last.laneShift != 0 ||
      last.laneBits != bitsOf(nest.lanes) || llvm::isa<llvm::Constant>(last.base))
    return here();
  Index start = index;
  start.digits.back().base = i64(0);
  start.digits.back().level = 0;
  if (start.level() == innermost)
    return here();
  Lanes first = address(nest, pointer, start);
  if (!first.isAffine() || !isUsable(first))
    return here();
  at(nest, innermost);
  llvm::Value *moved = builder.CreateGEP(builder.getInt8Ty(), first.value,
                                         builder.CreateMul(last.base, first.stride));
  return Lanes::affine(moved, first.stride);
}

Lanes FunctionLowering::evaluateLoad(Nest &nest, tt::LoadOp load, const Index &index) {
  mlir::Type element = elementType(load.getType());
  llvm::Type *type = memoryType(context, element);
  llvm::Align align(1);
  Lanes mask, other;
  if (load.getMask()) {
    mask = evaluate(nest, load.getMask(), index);
    if (load.getOther())
      other = evaluate(nest, load.getOther(), index);
    else
      other = Lanes::uniform(llvm::Constant::getNullValue(registerType(context, element)));
    if (isConstant(mask, false))
      return other;
  }
  Lanes pointer = pointerAt(nest, load.getPtr(), index);
  at(nest, index.level());
  bool always = isConstant(mask, true);
  if (pointer.isUniform() && always)
    return Lanes::uniform(
        fromMemory(builder.CreateAlignedLoad(type, pointer.value, align), element));
  if (pointer.isUniform() && mask.isUniform() && other.isUniform()) {
    // One element that may have to be left alone: a masked access of one lane.
    auto *one = llvm::FixedVectorType::get(type, 1);
    Value *loaded = builder.CreateMaskedLoad(
        one, pointer.value, align, builder.CreateVectorSplat(1, mask.value),
        builder.CreateVectorSplat(1, toMemory(other.value, element)));
    return Lanes::uniform(fromMemory(builder.CreateExtractElement(loaded, uint64_t(0)), element));
  }
  auto *vectorType = llvm::FixedVectorType::get(type, nest.lanes);
  Value *result;
  if (isStride(pointer, memoryBytes(element))) {
    if (always)
      result = builder.CreateAlignedLoad(vectorType, pointer.value, align);
    else
      result = builder.CreateMaskedLoad(vectorType, pointer.value, align, toVector(nest, mask),
                                        toMemory(toVector(nest, other), element));
  } else {
    Value *active = always ? llvm::ConstantInt::getTrue(
                                 llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes))
                           : toVector(nest, mask);
    Value *passThrough = always ? static_cast<Value *>(llvm::PoisonValue::get(vectorType))
                                : toMemory(toVector(nest, other), element);
    result =
        builder.CreateMaskedGather(vectorType, toVector(nest, pointer), align, active, passThrough);
  }
  return Lanes::vector(fromMemory(result, element));
}

void FunctionLowering::emitStore(Nest &nest, tt::StoreOp store, const Lanes &pointer,
                                 const Lanes &value, const Lanes &mask) {
  if (isConstant(mask, false))
    return;
  atTail(nest);
  mlir::Type element = elementType(store.getValue().getType());
  llvm::Align align(1);
  bool always = isConstant(mask, true);
  if (nest.lanes == 1 || (pointer.isUniform() && value.isUniform() && mask.isUniform())) {
    Value *stored = toMemory(value.value, element);
    if (always)
      builder.CreateAlignedStore(stored, pointer.value, align);
    else
      builder.CreateMaskedStore(builder.CreateVectorSplat(1, stored), pointer.value, align,
                                builder.CreateVectorSplat(1, mask.value));
    return;
  }
  Value *stored = toMemory(toVector(nest, value), element);
  if (isStride(pointer, memoryBytes(element))) {
    if (!always)
      builder.CreateMaskedStore(stored, pointer.value, align, toVector(nest, mask));
    else if (auto *plain = builder.CreateAlignedStore(stored, pointer.value, align); nest.streaming)
      markStreaming(plain);
    return;
  }
  Value *active =
      always
          ? llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes))
          : toVector(nest, mask);
  builder.CreateMaskedScatter(stored, toVector(nest, pointer), align, active);
}

static void emitScalarLoad(FunctionLowering &f, tt::LoadOp load) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  mlir::Type element = load.getType();
  llvm::Type *type = memoryType(context, element);
  Value *pointer = f.scalar(load.getPtr());
  if (!load.getMask()) {
    auto *loaded = builder.CreateAlignedLoad(type, pointer, llvm::Align(1), load.getIsVolatile());
    return f.setScalar(load, f.fromMemory(loaded, element));
  }
  Value *mask = f.scalar(load.getMask());
  Value *other = load.getOther() ? f.scalar(load.getOther())
                                 : llvm::Constant::getNullValue(registerType(context, element));
  auto *then = llvm::BasicBlock::Create(context, "load", f.code);
  auto *after = llvm::BasicBlock::Create(context, "loaded", f.code);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  builder.CreateCondBr(mask, then, after);
  f.enterBlock(then);
  Value *loaded = f.fromMemory(
      builder.CreateAlignedLoad(type, pointer, llvm::Align(1), load.getIsVolatile()), element);
  builder.CreateBr(after);
  f.enterBlock(after);
  auto *phi = builder.CreatePHI(loaded->getType(), 2);
  phi->addIncoming(loaded, then);
  phi->addIncoming(other, before);
  f.setScalar(load, phi);
}

static void emitScalarStore(FunctionLowering &f, tt::StoreOp store) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  mlir::Type element = store.getValue().getType();
  Value *pointer = f.scalar(store.getPtr());
  Value *value = f.toMemory(f.scalar(store.getValue()), element);
  if (!store.getMask()) {
    builder.CreateAlignedStore(value, pointer, llvm::Align(1));
    return;
  }
  auto *then = llvm::BasicBlock::Create(context, "store", f.code);
  auto *after = llvm::BasicBlock::Create(context, "stored", f.code);
  builder.CreateCondBr(f.scalar(store.getMask()), then, after);
  f.enterBlock(then);
  builder.CreateAlignedStore(value, pointer, llvm::Align(1));
  builder.CreateBr(after);
  f.enterBlock(after);
}

/// Deferred loads that are still wanted after a write must have read before it.
void FunctionLowering::beforeWrite(mlir::Operation *operation, bool own) {
  llvm::SmallVector<tt::LoadOp> loads;
  std::swap(loads, deferredLoads);
  unsigned before = current;
  current = order.lookup(operation) + (own ? 0 : 1);
  for (tt::LoadOp load : loads)
    if (!buffers.contains(load.getResult()) && isWanted(load.getResult(), &open))
      materialise(load);
  current = before;
}

static void emitLoad(FunctionLowering &f, tt::LoadOp load) {
  if (mlir::isa<mlir::RankedTensorType>(load.getPtr().getType())) { // volatile: read once, here
    f.flush();
    f.materialise(load);
    f.flush();
    return;
  }
  if (llvm::any_of(f.open.roots,
                   [](const FusionRoot &root) { return root.kind == FusionRoot::Kind::store; }))
    f.flush();
  emitScalarLoad(f, load);
}

static void emitStoreOperation(FunctionLowering &f, tt::StoreOp store) {
  if (!mlir::isa<mlir::RankedTensorType>(store.getPtr().getType())) {
    f.flush();
    f.beforeWrite(store, false);
    f.flush();
    return emitScalarStore(f, store);
  }
  f.beforeWrite(store, false);
  FusionRoot root;
  root.kind = FusionRoot::Kind::store;
  root.operation = store;
  f.addRoot(root);
}

void addMemory(EmitterTable &table) {
  table.add<emitLoad>();
  table.add<emitStoreOperation>();
  // A launch of the CPU device begins after those before it have ended.
  table.addAll<tt::GridDependencyWaitOp, tt::GridDependencyLaunchDependentsOp>(
      [](FunctionLowering &, mlir::Operation *) {});
}

} // namespace tl::backend::cpu
