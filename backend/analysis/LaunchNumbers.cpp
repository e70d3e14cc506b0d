// SPDX-License-Identifier: MIT
#include "analysis/LaunchNumbers.h"

#include "dialect/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tl::backend {

namespace arith = mlir::arith;

namespace {

/// The index of the kernel's parameter that a value is.
std::optional<unsigned> parameterOf(mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  auto function = mlir::dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || !function.isPublic())
    return {};
  return argument.getArgNumber();
}

} // namespace

std::optional<LaunchNumber> launchNumberOf(mlir::Value value) {
  while (auto wider = value.getDefiningOp<arith::ExtSIOp>())
    value = wider.getIn();
  auto type = mlir::dyn_cast<mlir::IntegerType>(value.getType());
  if (!type || type.getWidth() < 8 || type.getWidth() > 64)
    return {};
  LaunchNumber number;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    number.constant = mlir::cast<mlir::IntegerAttr>(constant.getValue()).getInt();
    return number;
  }
  auto parameter = parameterOf(value);
  if (!parameter)
    return {};
  number.parameter = int(*parameter);
  return number;
}

std::optional<unsigned> pointerParameterOf(mlir::Value value) {
  return mlir::isa<tt::PointerType>(value.getType()) ? parameterOf(value) : std::nullopt;
}

TensorElement tensorElementOf(mlir::Type element, bool isUnsigned) {
  if (element.isF16())
    return TensorElement::f16;
  if (element.isF32())
    return TensorElement::f32;
  if (element.isF64())
    return TensorElement::f64;
  if (element.isBF16())
    return TensorElement::bf16;
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return TensorElement::u8;
  case 16:
    return TensorElement::u16;
  case 32:
    return isUnsigned ? TensorElement::u32 : TensorElement::s32;
  default:
    return isUnsigned ? TensorElement::u64 : TensorElement::s64;
  }
}

unsigned swizzleBytesOf(tt::MakeTensorDescOp op) {
  auto swizzle = op->getAttrOfType<mlir::IntegerAttr>(ttg::swizzleName);
  return swizzle ? unsigned(swizzle.getInt()) : 0;
}

std::vector<uint32_t> tensorBoxOf(tt::MakeTensorDescOp op) {
  std::vector<uint32_t> box;
  for (int64_t extent : llvm::reverse(op.getType().getShape()))
    box.push_back(uint32_t(extent));
  mlir::Type element = op.getType().getSignlessBlockType().getElementType();
  if (unsigned bytes = swizzleBytesOf(op))
    box[0] = std::min(box[0], bytes * 8 / tt::getElementBits(element));
  return box;
}

std::optional<TensorMapRecipe> tensorMapRecipeOf(tt::MakeTensorDescOp op) {
  tt::TensorDescType type = op.getType();
  TensorMapRecipe recipe;
  auto base = pointerParameterOf(op.getBase());
  if (!base)
    return {};
  recipe.base = *base;
  for (mlir::Value extent : llvm::reverse(op.getShape())) {
    auto number = launchNumberOf(extent);
    if (!number)
      return {};
    recipe.extents.push_back(*number);
  }
  for (mlir::Value stride : llvm::reverse(op.getStrides().drop_back())) {
    auto number = launchNumberOf(stride);
    if (!number)
      return {};
    recipe.strides.push_back(*number);
  }
  recipe.box = tensorBoxOf(op);
  recipe.swizzleBytes = swizzleBytesOf(op);
  mlir::Type element = type.getSignlessBlockType().getElementType();
  recipe.element = tensorElementOf(element, type.getElementType().isUnsignedInteger());
  recipe.elementBytes = tt::getElementBits(element) / 8;
  recipe.padWithNan = op.getPadding() == tt::PaddingOption::PAD_NAN;
  return recipe;
}

} // namespace tl::backend
