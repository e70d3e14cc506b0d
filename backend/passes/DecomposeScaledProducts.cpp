// SPDX-License-Identifier: MIT
//
// A product of scaled narrow floats becomes an ordinary product of elements that hold the scaled
// numbers, unless the GPU has an instruction for it. Which elements do depends on the bits of the
// mantissa, the hidden one counted:
//
//     e2m1 2, e5m2 3, e4m3 4, bf16 8, f16 11          a scale of e4m3 adds 4, an exponent none
//
//     up to 8 bits     bf16       the exponents of f32
//     up to 11 bits    tf32       likewise; f16 if nothing is scaled, which might leave its range
//     more             f32        a product of full precision
//
// So products are exact, unless a scale makes numbers too small or too large for the exponent.
//
// Scales are multiplied where the group has an axis of its own. Its elements then lie as the
// operand does, and of the scales no more is moved than there is:
//
//     a [m, k]  ->  [m, k / 32, 32] * scales [m, k / 32, 1]  ->  [m, k]
#include "dialect/Dialect.h"
#include "passes/GpuPasses.h"
#include "passes/ScaledInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tl::ttg {

#define GEN_PASS_DEF_DECOMPOSESCALEDPRODUCTS
#include "passes/GpuPasses.h.inc"

namespace {

using tt::ScaleDotElemType;

struct Operand {
  Value value, scales; // no scales: null
  ScaleDotElemType format;
  unsigned axisOfK, packedAxis;

  /// Bits of the mantissa of an element times its scale.
  unsigned bits() const {
    unsigned scaleBits = scales && isa<FloatType>(getElementTypeOrSelf(scales.getType())) ? 4 : 0;
    switch (format) {
    case ScaleDotElemType::E2M1:
      return 2 + scaleBits;
    case ScaleDotElemType::E5M2:
      return 3 + scaleBits;
    case ScaleDotElemType::BF16:
      return 8 + scaleBits;
    case ScaleDotElemType::FP16:
      return 11 + scaleBits;
    default:
      return 4 + scaleBits;
    }
  }
};

class Decomposition {
public:
  explicit Decomposition(tt::DotScaledOp op)
      : op(op), b(op), where(op.getLoc()), rank(unsigned(op.getType().getRank())) {}

  void run() {
    Operand lhs{op.getA(), op.getAScale(), op.getAElemType(), rank - 1,
                op.getLhsKPack() ? rank - 1 : rank - 2};
    Operand rhs{op.getB(), op.getBScale(), op.getBElemType(), rank - 2,
                op.getRhsKPack() ? rank - 2 : rank - 1};
    unsigned bits = std::max(lhs.bits(), rhs.bits());
    bool scaled = lhs.scales || rhs.scales;
    Type element = bits <= 8             ? Type(b.getBF16Type())
                   : bits > 11 || scaled ? Type(b.getF32Type())
                                         : Type(b.getF16Type());
    auto precision =
        element.isF32() && bits <= 11 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE;
    Value product = tt::DotOp::create(b, where, op.getType(), scaledAs(element, lhs),
                                      scaledAs(element, rhs), op.getC(), precision, 0u);
    op.replaceAllUsesWith(product);
    op.erase();
  }

private:
  Value scaledAs(Type element, const Operand &operand) {
    if (getElementTypeOrSelf(operand.value.getType()) == element && !operand.scales)
      return operand.value;
    Value number = widened(operand);
    if (operand.scales)
      number = timesScales(number, operand);
    if (element.isF32())
      return number;
    return arith::TruncFOp::create(b, where, as(number, element), number);
  }

  /// The elements as f32.
  Value widened(const Operand &operand) {
    Value value = operand.value;
    switch (operand.format) {
    case ScaleDotElemType::E2M1:
      return unpacked(value, operand.packedAxis);
    case ScaleDotElemType::E4M3:
      return widenedFp8(value, Float8E4M3FNType::get(op.getContext()));
    case ScaleDotElemType::E5M2:
      return widenedFp8(value, Float8E5M2Type::get(op.getContext()));
    default:
      return arith::ExtFOp::create(b, where, as(value, b.getF32Type()), value);
    }
  }

  Value widenedFp8(Value value, Type format) {
    if (value.getType() != as(value, format))
      value = tt::BitcastOp::create(b, where, as(value, format), value);
    return tt::FpToFpOp::create(b, where, as(value, b.getF32Type()), value, nullptr);
  }

  /// Two numbers of four bits from each byte, the lower first along the axis.
  Value unpacked(Value bytes, unsigned axis) {
    auto type = cast<RankedTensorType>(as(bytes, b.getI32Type()));
    Value words = arith::ExtUIOp::create(b, where, type, bytes);
    Value pairs = tt::JoinOp::create(b, where, decoded(words, 0), decoded(words, 4));
    if (axis + 1 < rank) {
      SmallVector<int32_t> order;
      for (unsigned i = 0; i <= axis; ++i)
        order.push_back(int32_t(i));
      order.push_back(int32_t(rank));
      for (unsigned i = axis + 1; i < rank; ++i)
        order.push_back(int32_t(i));
      pairs = tt::TransOp::create(b, where, pairs, order);
    }
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] *= 2;
    return reshaped(pairs, shape);
  }

  /// Four bits from `shift` on: sign, two of exponent, one of mantissa. The three of the magnitude
  /// go where the exponent of f32 ends and its mantissa begins; 2^126 then moves the exponent's
  /// bias from 1 to 127, and the one denormal becomes 0.5 by itself.
  Value decoded(Value words, unsigned shift) {
    Type f32 = as(words, b.getF32Type());
    auto bitsAt = [&](unsigned mask, unsigned to) -> Value {
      Value bits = arith::AndIOp::create(b, where, words, constantLike(words, mask << shift));
      return arith::ShLIOp::create(b, where, bits, constantLike(words, to - shift));
    };
    Value magnitude = tt::BitcastOp::create(b, where, f32, bitsAt(7, 22));
    magnitude = arith::MulFOp::create(b, where, magnitude, constantLike(magnitude, 0x1p126f));
    magnitude = tt::BitcastOp::create(b, where, words.getType(), magnitude);
    Value bits = arith::OrIOp::create(b, where, magnitude, bitsAt(8, 28));
    return tt::BitcastOp::create(b, where, f32, bits);
  }

  /// `number`, as f32, times the scale of its group.
  Value timesScales(Value number, const Operand &operand) {
    auto type = cast<RankedTensorType>(number.getType());
    Value scales = decodedScales(operand.scales);
    int64_t groups = cast<RankedTensorType>(scales.getType()).getShape().back();
    unsigned k = operand.axisOfK;
    // Scales have their groups last.
    if (k + 1 < rank) {
      SmallVector<int32_t> order;
      for (unsigned i = 0; i < rank; ++i)
        order.push_back(int32_t(i));
      std::swap(order[rank - 1], order[rank - 2]);
      scales = tt::TransOp::create(b, where, scales, order);
    }
    SmallVector<int64_t> shape(type.getShape());
    shape[k] = groups;
    shape.insert(shape.begin() + k + 1, type.getDimSize(k) / groups);
    Value grouped = reshaped(number, shape);
    scales = tt::ExpandDimsOp::create(b, where, scales, k + 1);
    scales = tt::BroadcastOp::create(b, where, grouped.getType(), scales);
    Value products = arith::MulFOp::create(b, where, grouped, scales);
    return reshaped(products, type.getShape());
  }

  /// Scales as f32. An i8 is the exponent's bits; 0 is the denormal 2^-127, 255 NaN.
  Value decodedScales(Value scales) {
    if (isa<FloatType>(getElementTypeOrSelf(scales.getType())))
      return tt::FpToFpOp::create(b, where, as(scales, b.getF32Type()), scales, nullptr);
    Value words = arith::ExtUIOp::create(b, where, as(scales, b.getI32Type()), scales);
    Value bits = arith::ShLIOp::create(b, where, words, constantLike(words, 23u));
    for (auto [special, as] : {std::pair(0u, 0x00400000u), std::pair(255u, 0x7fc00000u)}) {
      Value is = arith::CmpIOp::create(b, where, arith::CmpIPredicate::eq, words,
                                       constantLike(words, special));
      bits = arith::SelectOp::create(b, where, is, constantLike(words, as), bits);
    }
    return tt::BitcastOp::create(b, where, as(scales, b.getF32Type()), bits);
  }

  static Type as(Value tensor, Type element) {
    return tt::withElementType(tensor.getType(), element);
  }

  Value reshaped(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
    return tt::ReshapeOp::create(b, where, type, value, false, false);
  }

  Value constantLike(Value tensor, uint32_t word) {
    return arith::ConstantOp::create(
        b, where, DenseElementsAttr::get(cast<ShapedType>(tensor.getType()), APInt(32, word)));
  }
  Value constantLike(Value tensor, float number) {
    return arith::ConstantOp::create(
        b, where, DenseElementsAttr::get(cast<ShapedType>(tensor.getType()), APFloat(number)));
  }

  tt::DotScaledOp op;
  OpBuilder b;
  Location where;
  unsigned rank;
};

/// The target says that it does not know formats of six bits.
bool isKnown(ScaleDotElemType format) {
  return format != ScaleDotElemType::E2M3 && format != ScaleDotElemType::E3M2;
}

struct DecomposeScaledProducts : impl::DecomposeScaledProductsBase<DecomposeScaledProducts> {
  void runOnOperation() override {
    SmallVector<tt::DotScaledOp> products;
    getOperation().walk([&](tt::DotScaledOp op) { products.push_back(op); });
    auto gpu = getOperation()->getAttrOfType<GpuAttr>(gpuName);
    for (tt::DotScaledOp op : products)
      if (isKnown(op.getAElemType()) && isKnown(op.getBElemType()) &&
          !(gpu && isComputedAsItIs(op, gpu)))
        Decomposition(op).run();
  }
};

} // namespace
} // namespace tl::ttg
