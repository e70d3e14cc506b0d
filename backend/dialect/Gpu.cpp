// SPDX-License-Identifier: MIT
#include "dialect/Gpu.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/Gpu.cpp.inc"

using namespace mlir;

namespace tl::ttg {

void TTGDialect::registerGpuOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Gpu.cpp.inc"
      >();
  registerTransferOps();
  registerMatrixProductOps();
}

namespace {

LogicalResult verifyLayout(Operation *op, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto layout = dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
  if (!layout)
    return op->emitOpError() << "needs a tensor with a layout, found " << type;
  const backend::LinearLayout &map = layout.getMap();
  for (int64_t axis = 0; axis < tensor.getRank(); ++axis)
    if (int64_t(1) << map.outBits("dim" + std::to_string(axis)) != tensor.getDimSize(axis))
      return op->emitOpError() << "has a layout that covers another shape: " << type;
  return success();
}

LogicalResult verifyAccess(Operation *op, Type tensor, MemDescType memory) {
  auto type = cast<RankedTensorType>(tensor);
  if (failed(verifyLayout(op, tensor)))
    return failure();
  if (type.getShape() != memory.getShape() || type.getElementType() != memory.getElementType())
    return op->emitOpError() << "moves between a tensor and shared memory of one shape and "
                                "element type, found "
                             << type << " and " << memory;
  return success();
}

} // namespace

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyLayout(*this, getSrc().getType())))
    return failure();
  return verifyLayout(*this, getType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

LogicalResult LocalAllocOp::verify() {
  return getSrc() ? verifyAccess(*this, getSrc().getType(), getType()) : success();
}

LogicalResult LocalLoadOp::verify() { return verifyAccess(*this, getType(), getSrc().getType()); }

LogicalResult LocalStoreOp::verify() {
  return verifyAccess(*this, getSrc().getType(), getDst().getType());
}

// ---- Views

LogicalResult MemDescIndexOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (from.getShape().empty() || from.getShape().drop_front() != to.getShape() ||
      from.getLayout() != to.getLayout() || from.getElementType() != to.getElementType())
    return emitOpError() << "chooses one of several tensors, which the result must be like: found "
                         << from << " and " << to;
  return success();
}

LogicalResult MemDescSubviewOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  const backend::LinearLayout &whole = from.getLayout().getMap(), &part = to.getLayout().getMap();
  size_t rank = from.getShape().size();
  if (to.getShape().size() != rank || getOffsets().size() != rank ||
      from.getElementType() != to.getElementType() || whole.outs().size() != rank)
    return emitOpError()
           << "needs a part of the same rank and element type, and one offset an axis";
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t extent = to.getShape()[axis], offset = getOffsets()[axis];
    if (offset < 0 || offset % extent || offset + extent > from.getShape()[axis])
      return emitOpError() << "begins at a multiple of its extents within the whole; offset "
                           << offset << " along axis " << axis << " does not";
  }
  for (unsigned bit = 0; bit < part.inBits("offset"); ++bit)
    for (size_t axis = 0; axis < rank; ++axis) {
      std::string dim = "dim" + std::to_string(axis);
      if (whole.image("offset", bit, dim) !=
          (part.outBits(dim) ? part.image("offset", bit, dim) : 0))
        return emitOpError() << "does not lie in one piece, as its layout would have it";
    }
  return success();
}

LogicalResult MemDescTransOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  size_t rank = from.getShape().size();
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  for (size_t axis = 0; axis < sorted.size(); ++axis)
    if (sorted[axis] != int32_t(axis))
      return emitOpError() << "has an order that is no permutation of the axes";
  const backend::LinearLayout &old = from.getLayout().getMap(), &made = to.getLayout().getMap();
  if (sorted.size() != rank || to.getShape().size() != rank ||
      from.getElementType() != to.getElementType() || old.outs().size() != rank ||
      made.inBits("offset") != old.inBits("offset"))
    return emitOpError() << "keeps rank, size and element type";
  for (size_t axis = 0; axis < rank; ++axis) {
    std::string is = "dim" + std::to_string(axis), was = "dim" + std::to_string(getOrder()[axis]);
    bool same = made.outBits(is) == old.outBits(was);
    for (unsigned bit = 0; same && made.outBits(is) && bit < old.inBits("offset"); ++bit)
      same = made.image("offset", bit, is) == old.image("offset", bit, was);
    if (!same)
      return emitOpError() << "moves no data, but the layout of the result has axis " << axis
                           << " elsewhere";
  }
  return success();
}

} // namespace tl::ttg
