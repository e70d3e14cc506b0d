// SPDX-License-Identifier: MIT
#include "passes/LayoutConversions.h"

#include "analysis/LayoutInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

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

SmallVector<Value> operandsFor(Operation *op, LayoutAttr layout,
                               llvm::function_ref<Value(Value, LayoutAttr)> inLayout) {
  SmallVector<Value> operands(op->getOperands());
  for (auto [index, operand] : llvm::enumerate(operands))
    if (isa<RankedTensorType>(operand.getType()))
      operand =
          inLayout(operand, LayoutAttr::get(op->getContext(),
                                            *backwardLayout(op, unsigned(index), layout.getMap())));
  return operands;
}

Value computeAgain(OpBuilder &b, Operation *op, LayoutAttr layout, ValueRange operands) {
  Operation *made = b.clone(*op);
  made->setOperands(operands);
  setLayout(made->getResult(0), layout);
  return made->getResult(0);
}

Value computeAgain(Operation *op, LayoutAttr layout,
                   llvm::function_ref<Value(Value, LayoutAttr)> inLayout) {
  SmallVector<Value> operands = operandsFor(op, layout, inLayout);
  OpBuilder b(op);
  return computeAgain(b, op, layout, operands);
}

void eraseUnused(ValueRange values, llvm::function_ref<void(Value)> onErase) {
  llvm::SetVector<Operation *> open;
  for (Value value : values)
    open.insert(value.getDefiningOp());
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!op || !op->use_empty() || !isPure(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    if (onErase)
      llvm::for_each(op->getResults(), onErase);
    op->erase();
    for (Value operand : operands)
      open.insert(operand.getDefiningOp());
  }
}

Value convertTo(Value tensor, LayoutAttr layout) {
  OpBuilder builder(tensor.getContext());
  builder.setInsertionPointAfterValue(tensor);
  return ConvertLayoutOp::create(builder, tensor.getLoc(), inLayout(tensor, layout), tensor);
}

} // namespace tl::ttg
