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

} // namespace tl::ttg
