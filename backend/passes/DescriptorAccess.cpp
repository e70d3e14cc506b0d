// SPDX-License-Identifier: MIT
//
// Accesses of described tensors as those by pointers and masks (BlockAccess.h).
#include "dialect/Context.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/BlockAccess.h"
#include "passes/DescriptorParts.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// The access of a block of the given type by a descriptor.
BlockAccess accessBy(Operation *op, TypedValue<TensorDescType> descriptor, RankedTensorType block) {
  OpBuilder builder(op);
  return BlockAccess(op, descriptor.getType().getShape(), block,
                     descriptorPartsOf(builder, descriptor).tensor);
}

/// What elements out of bounds read as.
Value paddingOf(BlockAccess &access, Value descriptor) {
  OpBuilder &builder = access.builder;
  Type element = access.block.getElementType();
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, access.loc, value);
  };
  Value value = constant(cast<TypedAttr>(builder.getZeroAttr(element)));
  if (auto real = dyn_cast<FloatType>(element)) {
    Value nan = constant(FloatAttr::get(real, APFloat::getNaN(real.getFloatSemantics())));
    Value isNan = descriptorPartsOf(builder, descriptor).padNan;
    value = builder.createOrFold<arith::SelectOp>(access.loc, isNan, nan, value);
  }
  return SplatOp::create(builder, access.loc, access.block, value);
}

/// The atomic that combines integers, or adds floats.
std::optional<RMWOp> atomicFor(DescriptorReduceKind kind, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  bool isUnsigned = integer && integer.isUnsigned();
  switch (kind) {
  case DescriptorReduceKind::ADD:
    return integer ? RMWOp::ADD : RMWOp::FADD;
  case DescriptorReduceKind::MIN:
    return isUnsigned ? RMWOp::UMIN : RMWOp::MIN;
  case DescriptorReduceKind::MAX:
    return isUnsigned ? RMWOp::UMAX : RMWOp::MAX;
  case DescriptorReduceKind::AND:
    return RMWOp::AND;
  case DescriptorReduceKind::OR:
    return RMWOp::OR;
  case DescriptorReduceKind::XOR:
    return RMWOp::XOR;
  case DescriptorReduceKind::INC:
  case DescriptorReduceKind::DEC:
    return {};
  }
  return {};
}

void createAtomic(BlockAccess &access, RMWOp kind, Value pointers, Value value, Value mask) {
  AtomicRMWOp::create(access.builder, access.loc, value.getType(), kind, pointers, value, mask,
                      MemSemantic::RELAXED, MemSyncScope::GPU);
}

/// The least or greatest of floats by comparing their bits: without a sign bit they order as signed
/// integers, with one in reverse as unsigned integers.
void reduceFloats(BlockAccess &access, DescriptorReduceKind kind, Value value) {
  OpBuilder &builder = access.builder;
  Location loc = access.loc;
  unsigned bits = getElementBits(access.block);
  Type integers = withElementType(access.block, builder.getIntegerType(bits));
  Type pointers = getPointerTypeSameShape(integers);
  Value bitsOfValue = BitcastOp::create(builder, loc, integers, value);
  Value integerPointers = BitcastOp::create(builder, loc, pointers, access.pointers);
  Value zero =
      arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(integers)));
  bool isMax = kind == DescriptorReduceKind::MAX;
  for (bool negative : {false, true}) {
    auto predicate = negative ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge;
    Value lanes = arith::CmpIOp::create(builder, loc, predicate, bitsOfValue, zero);
    if (access.mask)
      lanes = arith::AndIOp::create(builder, loc, access.mask, lanes);
    RMWOp op =
        isMax ? (negative ? RMWOp::UMIN : RMWOp::MAX) : (negative ? RMWOp::UMAX : RMWOp::MIN);
    createAtomic(access, op, integerPointers, bitsOfValue, lanes);
  }
}

LogicalResult rewriteReduce(DescriptorReduceOp op) {
  BlockAccess access = accessBy(op, op.getDesc(), op.getSrc().getType());
  access.addressBlock(op.getIndices());
  Type element = op.getDesc().getType().getElementType();
  DescriptorReduceKind kind = op.getKind();
  bool isOrder = kind == DescriptorReduceKind::MIN || kind == DescriptorReduceKind::MAX;
  if (isa<FloatType>(element) && isOrder) {
    reduceFloats(access, kind, op.getSrc());
    return success();
  }
  std::optional<RMWOp> atomic = atomicFor(kind, element);
  if (!atomic)
    return emitUnsupported(op) << stringifyDescriptorReduceKind(kind)
                               << " needs a target with hardware for tensor descriptors, and a "
                                  "block whose extents are powers of two";
  createAtomic(access, *atomic, access.pointers, op.getSrc(), access.mask);
  return success();
}

} // namespace

LogicalResult rewriteAccess(Operation *op) {
  if (auto load = dyn_cast<DescriptorLoadOp>(op)) {
    BlockAccess access = accessBy(op, load.getDesc(), load.getType());
    access.addressBlock(load.getIndices());
    Value other = access.mask ? paddingOf(access, load.getDesc()) : Value();
    Value value = LoadOp::create(access.builder, access.loc, access.pointers, access.mask, other,
                                 load.getCache(), load.getEvict());
    load.replaceAllUsesWith(value);
  } else if (auto store = dyn_cast<DescriptorStoreOp>(op)) {
    BlockAccess access = accessBy(op, store.getDesc(), store.getSrc().getType());
    access.addressBlock(store.getIndices());
    StoreOp::create(access.builder, access.loc, access.pointers, store.getSrc(), access.mask);
  } else if (auto reduce = dyn_cast<DescriptorReduceOp>(op)) {
    if (failed(rewriteReduce(reduce)))
      return failure();
  } else if (auto gather = dyn_cast<DescriptorGatherOp>(op)) {
    BlockAccess access = accessBy(op, gather.getDesc(), gather.getType());
    access.addressRows(gather.getXOffsets(), gather.getYOffset());
    Value value = LoadOp::create(access.builder, access.loc, access.pointers, access.mask,
                                 paddingOf(access, gather.getDesc()));
    gather.replaceAllUsesWith(value);
  } else if (auto scatter = dyn_cast<DescriptorScatterOp>(op)) {
    BlockAccess access = accessBy(op, scatter.getDesc(), scatter.getSrc().getType());
    access.addressRows(scatter.getXOffsets(), scatter.getYOffset());
    StoreOp::create(access.builder, access.loc, access.pointers, scatter.getSrc(), access.mask);
  }
  op->erase();
  return success();
}

} // namespace tl::tt
