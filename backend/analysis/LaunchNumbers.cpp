// SPDX-License-Identifier: MIT
#include "analysis/LaunchNumbers.h"

#include "dialect/GpuTarget.h"
#include "dialect/Hints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

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

/// A launch number whose parameters and product may be narrower than the value that it is.
struct Product {
  LaunchNumber number;
  unsigned narrowest = 64; // bits among the parameters

  /// Whether it is the product of its factors in `bits` bits as well: it wraps around there, or is
  /// a single factor, which does not wrap around at all.
  bool isOf(unsigned bits) const {
    return number.bits == bits || number.isConstant() ||
           (number.factors == 1 && number.constant == 1);
  }
};

std::optional<Product> productOf(mlir::Value value);

std::optional<Product> extended(mlir::Value narrow, bool byZeros) {
  auto product = productOf(narrow);
  if (!product)
    return {};
  LaunchNumber &number = product->number;
  const unsigned bits = narrow.getType().getIntOrFloatBitWidth();
  if (number.isConstant()) {
    if (byZeros && bits < 64)
      number.constant &= (int64_t(1) << bits) - 1;
    return product;
  }
  if (number.bits < bits) // has been extended before: its highest bit is the sign, or zero
    return byZeros && !number.isUnsigned ? std::nullopt : product;
  // Factors are extended in the same way as the product.
  if (byZeros && product->narrowest < bits && !number.isUnsigned)
    return {};
  number.isUnsigned = byZeros;
  return product;
}

std::optional<Product> multiplied(arith::MulIOp op) {
  auto a = productOf(op.getLhs()), b = productOf(op.getRhs());
  const unsigned bits = op.getType().getIntOrFloatBitWidth();
  if (!a || !b || !a->isOf(bits) || !b->isOf(bits))
    return {};
  LaunchNumber &number = a->number;
  const LaunchNumber &other = b->number;
  if (number.factors + other.factors > LaunchNumber::mostFactors)
    return {};
  const bool aExtends = a->narrowest < bits, bExtends = b->narrowest < bits;
  if (aExtends && bExtends && number.isUnsigned != other.isUnsigned)
    return {};
  number.isUnsigned = aExtends ? number.isUnsigned : bExtends && other.isUnsigned;
  // The product has a sign again where its type says nothing else.
  if (number.isUnsigned && bits < 64)
    return {};
  std::copy_n(other.parameters, other.factors, number.parameters + number.factors);
  number.factors += other.factors;
  number.constant = int64_t(uint64_t(number.constant) * uint64_t(other.constant));
  number.bits = bits;
  if (number.isConstant())
    number = LaunchNumber::ofConstant(llvm::SignExtend64(uint64_t(number.constant), bits));
  a->narrowest = std::min(a->narrowest, b->narrowest);
  return a;
}

std::optional<Product> productOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(value.getType());
  if (!type || type.getWidth() < 8 || type.getWidth() > 64)
    return {};
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return Product{
        LaunchNumber::ofConstant(mlir::cast<mlir::IntegerAttr>(constant.getValue()).getInt())};
  if (auto parameter = parameterOf(value))
    return Product{LaunchNumber::ofParameter(*parameter, type.getWidth()), type.getWidth()};
  if (auto wider = value.getDefiningOp<arith::ExtSIOp>())
    return extended(wider.getIn(), false);
  if (auto wider = value.getDefiningOp<arith::ExtUIOp>())
    return extended(wider.getIn(), true);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return multiplied(product);
  return {};
}

} // namespace

std::optional<LaunchNumber> launchNumberOf(mlir::Value value) {
  auto product = productOf(value);
  if (!product)
    return {};
  return product->number;
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
  if (unsigned blocks = tt::blocksOf(op, tt::multicastName); blocks > 1)
    box[1] /= blocks; // each brings a part of the rows
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
  recipe.elementBytes = tt::memoryBytes(element);
  recipe.padWithNan = op.getPadding() == tt::PaddingOption::PAD_NAN;
  if (auto counts = op->getAttrOfType<mlir::DenseI32ArrayAttr>(tt::fromPointersName)) {
    recipe.isOfPointers = true;
    // A text may name any.
    auto function = op->getParentOfType<tt::FuncOp>();
    for (int32_t index : counts.asArrayRef())
      if (index >= 0 && unsigned(index) < function.getNumArguments() &&
          function.getArgument(unsigned(index)).getType().isInteger())
        recipe.counts.push_back(unsigned(index));
  }
  return recipe;
}

} // namespace tl::backend
