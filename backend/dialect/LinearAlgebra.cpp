// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/LinearAlgebra.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/LinearAlgebra.cpp.inc"
      >();
}

namespace {

/// Shapes `[batch,] M x K`, `[batch,] K x N` and `[batch,] M x N`.
LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                            ArrayRef<int64_t> c) {
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || c.size() != rank)
    return op->emitOpError() << "operands must all have rank 2 or all rank 3: lhs is "
                             << shapeText(a) << ", rhs is " << shapeText(b) << ", accumulator is "
                             << shapeText(c);
  if (rank == 3 && (a[0] != b[0] || a[0] != c[0]))
    return op->emitOpError() << "batch extents differ: lhs is " << shapeText(a) << ", rhs is "
                             << shapeText(b) << ", accumulator is " << shapeText(c);
  if (a[rank - 1] != b[rank - 2])
    return op->emitOpError() << "inner dimensions differ: lhs is " << shapeText(a) << ", rhs is "
                             << shapeText(b);
  if (c[rank - 2] != a[rank - 2] || c[rank - 1] != b[rank - 1])
    return op->emitOpError() << "accumulator has the wrong shape: lhs is " << shapeText(a)
                             << ", rhs is " << shapeText(b) << ", accumulator is " << shapeText(c);
  return success();
}

} // namespace

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (failed(verifyProduct(*this, a.getShape(), b.getShape(), c.getShape())))
    return failure();
  Type x = a.getElementType(), y = b.getElementType(), z = c.getElementType();
  if (!x.isIntOrFloat() || !y.isIntOrFloat() || !z.isIntOrFloat())
    return emitOpError() << "needs numbers, found elements " << x << ", " << y << " and " << z;
  if (x.getIntOrFloatBitWidth() != y.getIntOrFloatBitWidth() ||
      isa<FloatType>(x) != isa<FloatType>(y))
    return emitOpError() << "element types do not go together: lhs has " << x << ", rhs has " << y;
  if (isa<FloatType>(x) != isa<FloatType>(z))
    return emitOpError() << "accumulator of " << x << " products cannot have elements " << z;
  if (static_cast<int32_t>(getMaxNumImpreciseAcc()) < 0)
    return emitOpError() << "needs maxNumImpreciseAcc >= 0, found "
                         << static_cast<int32_t>(getMaxNumImpreciseAcc());
  return success();
}

// ---- tt.dot_scaled

namespace {

/// Elements of one format in one element of the tensor.
int64_t elementsPerItem(ScaleDotElemType format) {
  return format == ScaleDotElemType::E2M1 ? 2 : 1;
}

LogicalResult verifyFormat(Operation *op, StringRef side, ScaleDotElemType format, Type element) {
  bool fits = false;
  switch (format) {
  case ScaleDotElemType::E4M3:
    fits = isa<Float8E4M3FNType>(element) || element.isInteger(8);
    break;
  case ScaleDotElemType::E5M2:
    fits = isa<Float8E5M2Type>(element) || element.isInteger(8);
    break;
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
  case ScaleDotElemType::E2M1:
    fits = element.isInteger(8);
    break;
  case ScaleDotElemType::BF16:
    fits = element.isBF16();
    break;
  case ScaleDotElemType::FP16:
    fits = element.isF16();
    break;
  }
  if (fits)
    return success();
  return op->emitOpError() << side << " of format " << stringifyScaleDotElemType(format)
                           << " cannot have elements " << element;
}

/// Shapes of an operand in elements rather than in bytes.
SmallVector<int64_t> unpacked(RankedTensorType type, ScaleDotElemType format, unsigned axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] *= elementsPerItem(format);
  return shape;
}

LogicalResult verifyScale(Operation *op, StringRef side, Value scale, ArrayRef<int64_t> outer,
                          int64_t k, int64_t factor) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  Type element = type.getElementType();
  if (!element.isInteger(8) && !isa<Float8E4M3FNType>(element))
    return op->emitOpError() << side << " scale must have elements i8 or f8E4M3FN, found "
                             << element;
  SmallVector<int64_t> expected(outer);
  expected.push_back(k / factor);
  if (type.getShape() != ArrayRef(expected))
    return op->emitOpError() << side << " scale must be " << shapeText(expected) << ", found "
                             << shapeText(type);
  return success();
}

} // namespace

int64_t DotScaledOp::getReductionExtent() {
  RankedTensorType a = getA().getType();
  int64_t k = a.getShape().back();
  return getLhsKPack() ? k * elementsPerItem(getAElemType()) : k;
}

int32_t DotScaledOp::getScaleFactor() {
  int64_t k = getReductionExtent();
  for (Value scale : {getAScale(), getBScale()})
    if (scale) {
      auto type = cast<RankedTensorType>(scale.getType());
      int64_t groups = type.getRank() == 0 ? 0 : type.getShape().back();
      return groups > 0 ? static_cast<int32_t>(k / groups) : 0;
    }
  return 32;
}

LogicalResult DotScaledOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getC().getType();
  size_t rank = a.getRank();
  if (rank < 2 || rank > 3 || b.getRank() != a.getRank() || c.getRank() != a.getRank())
    return emitOpError() << "operands must all have rank 2 or all rank 3: lhs is " << shapeText(a)
                         << ", rhs is " << shapeText(b) << ", accumulator is " << shapeText(c);
  if (failed(verifyFormat(*this, "lhs", getAElemType(), a.getElementType())) ||
      failed(verifyFormat(*this, "rhs", getBElemType(), b.getElementType())))
    return failure();
  SmallVector<int64_t> lhs = unpacked(a, getAElemType(), getLhsKPack() ? rank - 1 : rank - 2);
  SmallVector<int64_t> rhs = unpacked(b, getBElemType(), getRhsKPack() ? rank - 2 : rank - 1);
  if (failed(verifyProduct(*this, lhs, rhs, c.getShape())))
    return failure();
  int64_t k = lhs[rank - 1];
  int32_t factor = getScaleFactor();
  if (factor != 16 && factor != 32)
    return emitOpError() << "scales must cover 16 or 32 elements each, found " << factor;
  if ((getAScale() || getBScale()) && k % factor)
    return emitOpError() << "scales of " << factor << " elements each must cover all, found " << k;
  SmallVector<int64_t> rows(lhs.begin(), lhs.end() - 1);
  SmallVector<int64_t> columns(rhs.begin(), rhs.end() - 2);
  columns.push_back(rhs[rank - 1]);
  if (failed(verifyScale(*this, "lhs", getAScale(), rows, k, factor)))
    return failure();
  return verifyScale(*this, "rhs", getBScale(), columns, k, factor);
}

} // namespace tl::tt
