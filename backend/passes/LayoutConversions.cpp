// SPDX-License-Identifier: MIT
#include "passes/LayoutConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tl::ttg {

namespace {

RankedTensorType inLayout(Value tensor, LayoutAttr layout) {
  return cast<RankedTensorType>(tensor.getType()).cloneWithEncoding(layout);
}

} // namespace

LayoutAttr layoutAttrOf(Value tensor) {
  return cast_or_null<LayoutAttr>(cast<RankedTensorType>(tensor.getType()).getEncoding());
}

void setLayout(Value tensor, LayoutAttr layout) {
  tensor.setType(inLayout(tensor, layout));
  if (auto constant = tensor.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
}

Value beforeConversion(Value tensor) {
  while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
    tensor = convert.getSrc();
  return tensor;
}

Value convertTo(Value tensor, LayoutAttr layout) {
  OpBuilder builder(tensor.getContext());
  builder.setInsertionPointAfterValue(tensor);
  return ConvertLayoutOp::create(builder, tensor.getLoc(), inLayout(tensor, layout), tensor);
}

} // namespace tl::ttg
