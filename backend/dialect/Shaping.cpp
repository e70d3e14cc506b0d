// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "dialect/Shaping.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerShapingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Shaping.cpp.inc"
      >();
}

namespace {

/// A constant that is the same everywhere, in another shape.
OpFoldResult foldSplat(Attribute value, Type type) {
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(value))
    return splat.resizeSplat(cast<ShapedType>(type));
  return {};
}

/// The result must have the shape that follows from the operands; `describe` says what those are.
LogicalResult verifyShape(Operation *op, RankedTensorType found, RankedTensorType expected,
                          llvm::function_ref<void(InFlightDiagnostic &)> describe) {
  if (found.getShape() == expected.getShape())
    return success();
  InFlightDiagnostic error = op->emitOpError();
  describe(error);
  return error << " gives " << shapeText(expected) << ", found " << shapeText(found);
}

} // namespace

// ---- tt.expand_dims

static RankedTensorType expandedType(RankedTensorType type, uint32_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  return RankedTensorType::get(shape, type.getElementType());
}

void ExpandDimsOp::build(OpBuilder &builder, OperationState &state, Value src, uint32_t axis) {
  build(builder, state, expandedType(cast<RankedTensorType>(src.getType()), axis), src, axis);
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType from = getSrc().getType();
  int32_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis > from.getRank())
    return emitOpError() << "axis " << axis << " is out of range for an expanded tensor of rank "
                         << from.getRank() + 1;
  return verifyShape(*this, getType(), expandedType(from, axis), [&](InFlightDiagnostic &error) {
    error << "axis " << axis << " in " << shapeText(from);
  });
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (auto splat = dyn_cast_if_present<SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  // Expanding the small tensor and repeating it afterwards is less work than the other way round.
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(source)) {
    Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), broadcast.getSrc(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
    return success();
  }
  return failure();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSrc(), getType());
}

// ---- tt.broadcast

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getRank() != to.getRank())
    return emitOpError() << "keeps the rank: source is " << shapeText(from) << ", result is "
                         << shapeText(to);
  for (auto [axis, extents] : llvm::enumerate(llvm::zip(from.getShape(), to.getShape()))) {
    auto [before, after] = extents;
    if (before != after && before != 1)
      return emitOpError() << "repeats only extents of 1: axis " << axis << " of "
                           << shapeText(from) << " cannot become " << after;
  }
  return success();
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (auto splat = dyn_cast_if_present<SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  if (auto inner = dyn_cast_if_present<BroadcastOp>(source)) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  return failure();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

// ---- tt.reshape

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "keeps the number of elements: " << shapeText(from) << " has "
                         << from.getNumElements() << ", " << shapeText(to) << " has "
                         << to.getNumElements();
  if (bool(from.getEncoding()) != bool(to.getEncoding()))
    return emitOpError() << "needs a layout on both the source and the result, or on neither";
  return success();
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (op.getEfficientLayout())
    return failure();
  Operation *source = op.getSrc().getDefiningOp();
  if (auto inner = dyn_cast_if_present<ReshapeOp>(source)) {
    bool reorder = op.getAllowReorder() || inner.getAllowReorder();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(), reorder, false);
    return success();
  }
  if (auto splat = dyn_cast_if_present<SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  // A reshape that takes the axis out again.
  if (auto expand = dyn_cast_if_present<ExpandDimsOp>(source);
      expand && !op.getAllowReorder() && expand.getSrc().getType() == op.getType()) {
    rewriter.replaceOp(op, expand.getSrc());
    return success();
  }
  return failure();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

// ---- tt.trans

static RankedTensorType transposedType(RankedTensorType type, ArrayRef<int32_t> order) {
  SmallVector<int64_t> shape;
  for (int32_t axis : order)
    shape.push_back(type.getDimSize(axis));
  return RankedTensorType::get(shape, type.getElementType());
}

void TransOp::build(OpBuilder &builder, OperationState &state, Value src, ArrayRef<int32_t> order) {
  build(builder, state, transposedType(cast<RankedTensorType>(src.getType()), order), src,
        builder.getDenseI32ArrayAttr(order));
}

LogicalResult TransOp::verify() {
  RankedTensorType from = getSrc().getType();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<bool> seen(from.getRank(), false);
  bool permutation = static_cast<int64_t>(order.size()) == from.getRank();
  for (int32_t axis : order) {
    permutation = permutation && axis >= 0 && axis < from.getRank() && !seen[axis];
    if (permutation)
      seen[axis] = true;
  }
  if (!permutation)
    return emitOpError() << "order must be a permutation of the " << from.getRank()
                         << " axes of the source, found [" << order << "]";
  return verifyShape(*this, getType(), transposedType(from, order), [&](InFlightDiagnostic &error) {
    error << "order [" << order << "] of " << shapeText(from);
  });
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int32_t> order = getOrder();
  bool identity = true;
  for (auto [axis, from] : llvm::enumerate(order))
    identity = identity && static_cast<int32_t>(axis) == from;
  if (identity && getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> composed;
    for (int32_t axis : order)
      composed.push_back(inner.getOrder()[axis]);
    setOrder(composed);
    setOperand(inner.getSrc());
    return getResult();
  }
  return foldSplat(adaptor.getSrc(), getType());
}

// ---- tt.join, tt.split, tt.cat

static RankedTensorType joinedType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, type.getElementType());
}

void JoinOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs) {
  build(builder, state, joinedType(cast<RankedTensorType>(lhs.getType())), lhs, rhs);
}

LogicalResult JoinOp::verify() {
  RankedTensorType half = getLhs().getType();
  return verifyShape(*this, getType(), joinedType(half), [&](InFlightDiagnostic &error) {
    error << "joining two tensors of " << shapeText(half);
  });
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  // The halves of one split in their order are what was split.
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getRhs() == split.getOutRHS() && getLhs() == split.getOutLHS() &&
      split.getSrc().getType() == getType())
    return split.getSrc();
  if (adaptor.getLhs() && adaptor.getLhs() == adaptor.getRhs())
    return foldSplat(adaptor.getLhs(), getType());
  return {};
}

void SplitOp::build(OpBuilder &builder, OperationState &state, Value src) {
  auto type = cast<RankedTensorType>(src.getType());
  Type half = RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  build(builder, state, half, half, src);
}

LogicalResult SplitOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getOutLHS().getType();
  if (from.getRank() < 2 || from.getShape().back() != 2)
    return emitOpError() << "needs at least 2 axes and an innermost extent of 2, found "
                         << shapeText(from);
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "keeps the element type: source has " << from.getElementType()
                         << ", results have " << to.getElementType();
  return verifyShape(*this, to,
                     RankedTensorType::get(from.getShape().drop_back(), from.getElementType()),
                     [&](InFlightDiagnostic &error) { error << "splitting " << shapeText(from); });
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSrc().getDefiningOp<JoinOp>()) {
    results.append({join.getLhs(), join.getRhs()});
    return success();
  }
  if (isa_and_present<SplatElementsAttr>(adaptor.getSrc())) {
    OpFoldResult half = foldSplat(adaptor.getSrc(), getOutLHS().getType());
    results.append({half, half});
    return success();
  }
  return failure();
}

LogicalResult CatOp::verify() {
  RankedTensorType from = getLhs().getType(), to = getType();
  if (from.getRank() != 1 || to.getRank() != 1)
    return emitOpError() << "concatenates 1-D tensors, found " << shapeText(from);
  if (to.getDimSize(0) != 2 * from.getDimSize(0))
    return emitOpError() << "of two tensors of " << from.getDimSize(0) << " elements has "
                         << 2 * from.getDimSize(0) << " elements, found " << to.getDimSize(0);
  return success();
}

LogicalResult CatOp::canonicalize(CatOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value pairs = JoinOp::create(rewriter, loc, op.getLhs(), op.getRhs());
  Value rows = TransOp::create(rewriter, loc, pairs, ArrayRef<int32_t>{1, 0});
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), rows, false, false);
  return success();
}

// ---- tt.gather

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSrc().getType(), indices = getIndices().getType(), to = getType();
  if (source.getElementType() != to.getElementType())
    return emitOpError() << "keeps the element type: source has " << source.getElementType()
                         << ", result has " << to.getElementType();
  if (indices.getShape() != to.getShape())
    return emitOpError() << "result has the shape of the indices: indices are "
                         << shapeText(indices) << ", result is " << shapeText(to);
  if (source.getRank() != indices.getRank())
    return emitOpError() << "source and indices differ in rank: source is " << shapeText(source)
                         << ", indices are " << shapeText(indices);
  int32_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis >= source.getRank())
    return emitOpError() << "axis " << axis << " is out of range for a tensor of rank "
                         << source.getRank();
  for (int64_t i = 0; i < source.getRank(); ++i)
    if (i != axis && indices.getDimSize(i) > source.getDimSize(i))
      return emitOpError() << "indices exceed the source in axis " << i << ": source is "
                           << shapeText(source) << ", indices are " << shapeText(indices);
  return success();
}

} // namespace tl::tt
