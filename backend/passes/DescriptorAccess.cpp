// SPDX-License-Identifier: MIT
//
// Blocks of a described tensor as pointers and masks.
//
// The first element of the block gives a scalar pointer; what is added to it for the other elements
// depends on the strides alone, so that it can leave loops. An axis of extent 1 in the block takes
// part in the scalar pointer and in a scalar condition only:
//
//     pointer[i, j] = (base + y * stride0 + x * stride1) + i * stride0 + j * stride1
//     mask[i, j]    = 0 <= y + i < shape0  and  0 <= x + j < shape1
#include "mlir/IR/Builders.h"
#include "passes/DescriptorParts.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// Builds the pointers and the mask of one access.
class Access {
public:
  Access(Operation *op, Value descriptor, RankedTensorType block)
      : builder(op), op(op), loc(op->getLoc()), block(block),
        type(cast<TensorDescType>(descriptor.getType())), parts(partsOf(builder, descriptor)) {}

  /// A block whose first element has the given indices. The block may lack leading axes.
  void addressBlock(ValueRange indices) {
    ArrayRef<int64_t> extents = type.getShape();
    int64_t missing = static_cast<int64_t>(extents.size()) - block.getRank();
    Value base = parts.base;
    for (auto [axis, index] : llvm::enumerate(indices)) {
      Value start = wide(index);
      base = advance(base, multiply(start, parts.strides[axis]));
      if (extents[axis] == 1)
        narrow(inBounds(start, parts.shape[axis]));
      else
        addAxis(static_cast<int64_t>(axis) - missing, axis, range(extents[axis]), start);
    }
    finish(base);
  }

  /// Rows `rows` (a 1-D tensor), and consecutive columns from `column` on.
  void addressRows(Value rows, Value column) {
    Value start = wide(column);
    Value base = advance(parts.base, multiply(start, parts.strides[1]));
    addAxis(0, 0, wide(rows), Value());
    if (block.getDimSize(1) == 1)
      narrow(inBounds(start, parts.shape[1]));
    else
      addAxis(1, 1, range(block.getDimSize(1)), start);
    finish(base);
  }

  /// What elements out of bounds read as.
  Value padding() {
    Type element = block.getElementType();
    TypedAttr zero = cast<TypedAttr>(builder.getZeroAttr(element));
    Value value = constant(zero);
    if (auto real = dyn_cast<FloatType>(element)) {
      Value nan = constant(FloatAttr::get(real, APFloat::getNaN(real.getFloatSemantics())));
      value = arith::SelectOp::create(builder, loc, parts.padNan, nan, value);
    }
    return SplatOp::create(builder, loc, block, value);
  }

  OpBuilder builder;
  Operation *op;
  Location loc;
  RankedTensorType block;
  TensorDescType type;
  Value pointers, mask;

private:
  Type i64() { return builder.getI64Type(); }

  Value constant(TypedAttr value) { return arith::ConstantOp::create(builder, loc, value); }

  Value wide(Value value) {
    Type to = withElementType(value.getType(), i64());
    return value.getType() == to ? value : arith::ExtSIOp::create(builder, loc, to, value);
  }

  Value multiply(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }

  Value advance(Value pointer, Value offset) {
    return AddPtrOp::create(builder, loc, pointer.getType(), pointer, offset);
  }

  Value splat(Value scalar, RankedTensorType like) {
    return SplatOp::create(builder, loc, withElementType(like, scalar.getType()), scalar);
  }

  /// `0, 1, ... extent - 1` in 64 bits.
  Value range(int64_t extent) {
    auto type = RankedTensorType::get({extent}, builder.getI32Type());
    return wide(MakeRangeOp::create(builder, loc, type, 0, static_cast<int32_t>(extent)));
  }

  /// Whether `0 <= coordinate < extent`, of a scalar or of a 1-D tensor.
  Value inBounds(Value coordinate, Value extent) {
    Value zero = constant(builder.getI64IntegerAttr(0));
    if (auto tensor = dyn_cast<RankedTensorType>(coordinate.getType())) {
      zero = splat(zero, tensor);
      extent = splat(extent, tensor);
    }
    Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, coordinate, zero);
    Value high = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, coordinate, extent);
    return arith::AndIOp::create(builder, loc, low, high);
  }

  /// A 1-D tensor as axis `axis` of the block.
  Value spread(Value line, int64_t axis) {
    for (int64_t i = 0; i < block.getRank(); ++i)
      if (i != axis)
        line = ExpandDimsOp::create(builder, loc, line, static_cast<uint32_t>(i));
    Type whole = withElementType(block, getElementTypeOrSelf(line.getType()));
    return line.getType() == whole ? line : BroadcastOp::create(builder, loc, whole, line);
  }

  /// Elements along an axis: `line` counts from the scalar pointer on, `start` is what the
  /// coordinate has besides (none: `line` is the coordinate).
  void addAxis(int64_t blockAxis, int64_t axis, Value line, Value start) {
    auto lineType = cast<RankedTensorType>(line.getType());
    Value coordinate =
        start ? Value(arith::AddIOp::create(builder, loc, splat(start, lineType), line)) : line;
    Value offset = spread(multiply(line, splat(parts.strides[axis], lineType)), blockAxis);
    offsets = offsets ? Value(arith::AddIOp::create(builder, loc, offsets, offset)) : offset;
    Value inside = spread(inBounds(coordinate, parts.shape[axis]), blockAxis);
    mask = mask ? Value(arith::AndIOp::create(builder, loc, mask, inside)) : inside;
  }

  /// A condition that holds for the whole block or for nothing of it.
  void narrow(Value condition) {
    whole = whole ? Value(arith::AndIOp::create(builder, loc, whole, condition)) : condition;
  }

  void finish(Value base) {
    pointers = splat(base, block);
    if (offsets)
      pointers = advance(pointers, offsets);
    if (!whole)
      return;
    whole = splat(whole, block);
    mask = mask ? Value(arith::AndIOp::create(builder, loc, mask, whole)) : whole;
  }

  DescriptorParts parts;
  Value offsets, whole;
};

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

void createAtomic(Access &access, RMWOp kind, Value pointers, Value value, Value mask) {
  AtomicRMWOp::create(access.builder, access.loc, value.getType(), kind, pointers, value, mask,
                      MemSemantic::RELAXED, MemSyncScope::GPU);
}

/// The least or greatest of floats by comparing their bits: without a sign bit they order as signed
/// integers, with one in reverse as unsigned integers.
void reduceFloats(Access &access, DescriptorReduceKind kind, Value value) {
  OpBuilder &builder = access.builder;
  Location loc = access.loc;
  unsigned bits = getElementBits(access.block);
  Type integers = withElementType(access.block, builder.getIntegerType(bits));
  Type pointers = getPointerTypeSameShape(integers);
  Value bitsOfValue = arith::BitcastOp::create(builder, loc, integers, value);
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
  Access access(op, op.getDesc(), op.getSrc().getType());
  access.addressBlock(op.getIndices());
  Type element = access.type.getElementType();
  DescriptorReduceKind kind = op.getKind();
  bool isOrder = kind == DescriptorReduceKind::MIN || kind == DescriptorReduceKind::MAX;
  if (isa<FloatType>(element) && isOrder) {
    reduceFloats(access, kind, op.getSrc());
    return success();
  }
  std::optional<RMWOp> atomic = atomicFor(kind, element);
  if (!atomic)
    return op.emitOpError() << stringifyDescriptorReduceKind(kind)
                            << " needs a target with hardware for tensor descriptors";
  createAtomic(access, *atomic, access.pointers, op.getSrc(), access.mask);
  return success();
}

} // namespace

LogicalResult rewriteAccess(Operation *op) {
  if (auto load = dyn_cast<DescriptorLoadOp>(op)) {
    Access access(op, load.getDesc(), load.getType());
    access.addressBlock(load.getIndices());
    Value other = access.mask ? access.padding() : Value();
    Value value = LoadOp::create(access.builder, access.loc, access.pointers, access.mask, other,
                                 load.getCache(), load.getEvict());
    load.replaceAllUsesWith(value);
  } else if (auto store = dyn_cast<DescriptorStoreOp>(op)) {
    Access access(op, store.getDesc(), store.getSrc().getType());
    access.addressBlock(store.getIndices());
    StoreOp::create(access.builder, access.loc, access.pointers, store.getSrc(), access.mask);
  } else if (auto reduce = dyn_cast<DescriptorReduceOp>(op)) {
    if (failed(rewriteReduce(reduce)))
      return failure();
  } else if (auto gather = dyn_cast<DescriptorGatherOp>(op)) {
    Access access(op, gather.getDesc(), gather.getType());
    access.addressRows(gather.getXOffsets(), gather.getYOffset());
    Value value =
        LoadOp::create(access.builder, access.loc, access.pointers, access.mask, access.padding());
    gather.replaceAllUsesWith(value);
  } else if (auto scatter = dyn_cast<DescriptorScatterOp>(op)) {
    Access access(op, scatter.getDesc(), scatter.getSrc().getType());
    access.addressRows(scatter.getXOffsets(), scatter.getYOffset());
    StoreOp::create(access.builder, access.loc, access.pointers, scatter.getSrc(), access.mask);
  }
  op->erase();
  return success();
}

} // namespace tl::tt
