// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/Creation.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Creation.cpp.inc"
      >();
}

LogicalResult MakeRangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart()), end = static_cast<int32_t>(getEnd());
  RankedTensorType type = getType();
  if (start >= end)
    return emitOpError() << "needs start < end, found " << start << " and " << end;
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return emitOpError() << "makes a 1-D tensor of i32, found " << type;
  if (type.getDimSize(0) != end - start)
    return emitOpError() << "from " << start << " to " << end << " has " << end - start
                         << " elements, found a tensor of " << type.getDimSize(0);
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() == 1)
    return SplatElementsAttr::get(getType(), getStartAttr());
  return {};
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_present<IntegerAttr, FloatAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult UnsplatOp::verify() {
  if (getSrc().getType().getNumElements() != 1)
    return emitOpError() << "needs a tensor of exactly one element, found "
                         << shapeText(getSrc().getType());
  return success();
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto value = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc()))
    return value.getSplatValue<Attribute>();
  return {};
}

} // namespace tl::tt
