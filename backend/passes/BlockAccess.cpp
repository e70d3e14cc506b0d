// SPDX-License-Identifier: MIT
#include "passes/BlockAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tl::tt {

BlockAccess::BlockAccess(Operation *op, ArrayRef<int64_t> extents, RankedTensorType block,
                         StridedTensor tensor)
    : builder(op), loc(op->getLoc()), block(block), extents(extents), tensor(std::move(tensor)) {}

void BlockAccess::addressBlock(ValueRange indices, llvm::function_ref<bool(size_t)> isChecked) {
  const int64_t missing = int64_t(extents.size()) - block.getRank();
  Value first = tensor.base;
  for (auto [axis, index] : llvm::enumerate(indices)) {
    Value start = wide(index);
    first = advance(first, multiply(start, tensor.strides[axis]));
    if (extents[axis] == 1) {
      if (isChecked(axis))
        narrow(inBounds(start, tensor.shape[axis]));
      continue;
    }
    Value line = range(extents[axis]);
    if (isChecked(axis)) {
      Value starts = splat(start, cast<RankedTensorType>(line.getType()));
      check(int64_t(axis) - missing, axis, arith::AddIOp::create(builder, loc, starts, line));
    }
    addOffsets(int64_t(axis) - missing, axis, line);
  }
  finish(first);
}

void BlockAccess::addressRows(Value rows, Value column) {
  Value start = wide(column);
  Value first = advance(tensor.base, multiply(start, tensor.strides[1]));
  Value lines = wide(rows);
  check(0, 0, lines);
  addOffsets(0, 0, lines);
  if (block.getDimSize(1) == 1) {
    narrow(inBounds(start, tensor.shape[1]));
  } else {
    Value line = range(block.getDimSize(1));
    Value starts = splat(start, cast<RankedTensorType>(line.getType()));
    check(1, 1, arith::AddIOp::create(builder, loc, starts, line));
    addOffsets(1, 1, line);
  }
  finish(first);
}

Value BlockAccess::constant(TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, value);
}

Value BlockAccess::wide(Value value) {
  Type to = withElementType(value.getType(), builder.getI64Type());
  return value.getType() == to ? value : arith::ExtSIOp::create(builder, loc, to, value);
}

Value BlockAccess::multiply(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }

Value BlockAccess::advance(Value pointer, Value offset) {
  return AddPtrOp::create(builder, loc, pointer.getType(), pointer, offset);
}

Value BlockAccess::splat(Value scalar, RankedTensorType like) {
  return SplatOp::create(builder, loc, withElementType(like, scalar.getType()), scalar);
}

/// `0, 1, ... extent - 1` in 64 bits.
Value BlockAccess::range(int64_t extent) {
  auto type = RankedTensorType::get({extent}, builder.getI32Type());
  return wide(MakeRangeOp::create(builder, loc, type, 0, static_cast<int32_t>(extent)));
}

/// Whether `0 <= coordinate < extent`, of a scalar or of a 1-D tensor.
Value BlockAccess::inBounds(Value coordinate, Value extent) {
  Value zero = constant(builder.getI64IntegerAttr(0));
  if (auto line = dyn_cast<RankedTensorType>(coordinate.getType())) {
    zero = splat(zero, line);
    extent = splat(extent, line);
  }
  Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, coordinate, zero);
  Value high = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, coordinate, extent);
  return arith::AndIOp::create(builder, loc, low, high);
}

/// A 1-D tensor as axis `axis` of the block.
Value BlockAccess::spread(Value line, int64_t axis) {
  for (int64_t i = 0; i < block.getRank(); ++i)
    if (i != axis)
      line = ExpandDimsOp::create(builder, loc, line, static_cast<uint32_t>(i));
  Type whole = withElementType(block, getElementTypeOrSelf(line.getType()));
  return line.getType() == whole ? line : BroadcastOp::create(builder, loc, whole, line);
}

/// `line` counts elements along an axis from the scalar pointer on.
void BlockAccess::addOffsets(int64_t blockAxis, size_t axis, Value line) {
  Value stride = splat(tensor.strides[axis], cast<RankedTensorType>(line.getType()));
  Value offset = spread(multiply(line, stride), blockAxis);
  offsets = offsets ? Value(arith::AddIOp::create(builder, loc, offsets, offset)) : offset;
}

void BlockAccess::check(int64_t blockAxis, size_t axis, Value coordinate) {
  Value inside = spread(inBounds(coordinate, tensor.shape[axis]), blockAxis);
  mask = mask ? Value(arith::AndIOp::create(builder, loc, mask, inside)) : inside;
}

void BlockAccess::narrow(Value condition) {
  whole = whole ? Value(arith::AndIOp::create(builder, loc, whole, condition)) : condition;
}

void BlockAccess::finish(Value first) {
  pointers = splat(first, block);
  if (offsets)
    pointers = advance(pointers, offsets);
  if (!whole)
    return;
  whole = splat(whole, block);
  mask = mask ? Value(arith::AndIOp::create(builder, loc, mask, whole)) : whole;
}

} // namespace tl::tt
