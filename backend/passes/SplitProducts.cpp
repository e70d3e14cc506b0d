// SPDX-License-Identifier: MIT
//
// A product is written as products that a matrix instruction computes.
//
// A number of f32 has 24 bits, an element of tf32 has 11 and one of bf16 has 8. So x is the sum of
// parts, each the nearest element to what the parts before it have left:
//
//     tf32x3           x = big + small                 24 bits ~ 11 + 11, a sign between them
//     bf16x3           x = big + small                 16 of the 24 bits
//     bf16x6           x = big + medium + small        24 bits = 8 + 8 + 8
//
// and x y is the sum of products of parts, those left out that are below the error of the others:
//
//     tf32x3, bf16x3   small y_big + big y_small + big y_big
//     bf16x6           medium y_medium + small y_big + big y_small + medium y_big + big y_medium
//                      + big y_big
//
// The smallest come first, and all are sums of one chain, which begins with zero. The accumulator
// is added to it by an addition of f32: matrix units cut off sums where an addition rounds, and of
// a long sum every step would lose in the same direction.
//
// An operand that is infinite has a big part alone, and what remains of it is infinity minus
// infinity. A product of that, or of infinity and a small part of zero, is NaN where x y is
// infinite. So sums that are not finite before the product of the big parts count as zero; that one
// is what x y is. Numbers whose big part rounds to infinity, 2^128 - 2^116 (for bf16 2^128 - 2^119)
// and above, count as infinite.
//
// A result narrower than f32 is a sum in f32, rounded once.
#include "dialect/Dialect.h"
#include "passes/GpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tl::ttg {

#define GEN_PASS_DEF_SPLITPRODUCTS
#include "passes/GpuPasses.h.inc"

namespace {

using tt::InputPrecision;
using Parts = SmallVector<Value, 3>; // the biggest first

/// Whether one of the module's instructions multiplies such elements, and the product is no smaller
/// than it.
bool hasInstruction(GpuAttr gpu, tt::DotOp dot, Type element) {
  ArrayRef<int64_t> shape = dot.getType().getShape().take_back(2);
  auto instructions = gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>();
  return llvm::any_of(instructions, [&](MatrixInstructionAttr instruction) {
    return instruction.getElement() == element && shape[0] >= instruction.getM() &&
           shape[1] >= instruction.getN() &&
           dot.getA().getType().getShape().back() >= instruction.getK();
  });
}

bool isRoundedToTf32(InputPrecision precision) {
  return precision == InputPrecision::TF32 || precision == InputPrecision::TF32x3;
}

/// Parts of operands, each made once, where its operand is computed.
class OperandParts {
public:
  Parts of(Value operand, InputPrecision precision) {
    // Parts of what a load brings may be put into memory as that lies there.
    if (auto trans = operand.getDefiningOp<tt::TransOp>()) {
      Parts parts;
      OpBuilder b(trans);
      for (Value part : of(trans.getSrc(), precision))
        parts.push_back(tt::TransOp::create(b, trans.getLoc(), part, trans.getOrder()));
      return parts;
    }
    Parts &parts = known[{operand, unsigned(precision)}];
    if (parts.empty())
      parts = split(operand, precision);
    return parts;
  }

private:
  Parts split(Value operand, InputPrecision precision) {
    OpBuilder b(operand.getContext());
    b.setInsertionPointAfterValue(operand);
    Location where = operand.getLoc();
    const unsigned count = precision == InputPrecision::BF16x6 ? 3 : 2;
    Parts parts;
    Value rest = operand;
    for (unsigned i = 0; i < count; ++i) {
      Value part = isRoundedToTf32(precision)
                       ? roundToTf32(b, where, rest)
                       : arith::TruncFOp::create(b, where, typeOf(rest, b.getBF16Type()), rest);
      parts.push_back(part);
      if (i + 1 == count)
        break;
      Value subtracted = part.getType() == rest.getType()
                             ? part
                             : arith::ExtFOp::create(b, where, rest.getType(), part).getResult();
      rest = arith::SubFOp::create(b, where, rest, subtracted);
    }
    return parts;
  }

  static Type typeOf(Value tensor, Type element) {
    return tt::withElementType(tensor.getType(), element);
  }

  /// To nearest, ties away from zero, as the conversion of the hardware does. Adding half a unit of
  /// the last place to the bits of a NaN might make a number of them.
  static Value roundToTf32(OpBuilder &b, Location where, Value value) {
    auto bits = cast<RankedTensorType>(typeOf(value, b.getI32Type()));
    auto constant = [&](uint32_t word) -> Value {
      return arith::ConstantOp::create(b, where, DenseElementsAttr::get(bits, APInt(32, word)));
    };
    constexpr uint32_t half = 0x1000, kept = 0xffffe000;
    Value word = tt::BitcastOp::create(b, where, bits, value);
    word = arith::AddIOp::create(b, where, word, constant(half));
    word = arith::AndIOp::create(b, where, word, constant(kept));
    Value rounded = tt::BitcastOp::create(b, where, value.getType(), word);
    Value isNan = arith::CmpFOp::create(b, where, arith::CmpFPredicate::UNO, value, value);
    return arith::SelectOp::create(b, where, isNan, value, rounded);
  }

  DenseMap<std::pair<Value, unsigned>, Parts> known;
};

Value zerosLike(OpBuilder &b, Location where, Value tensor) {
  return arith::ConstantOp::create(b, where, cast<TypedAttr>(b.getZeroAttr(tensor.getType())));
}

/// A product of f32 by parts.
void splitOperands(tt::DotOp dot, OperandParts &known) {
  const InputPrecision precision = dot.getInputPrecision();
  Parts a = known.of(dot.getA(), precision), bs = known.of(dot.getB(), precision);
  // Parts of the first and of the second operand, the smallest products first.
  using Pair = std::pair<unsigned, unsigned>;
  SmallVector<Pair> pairs = {{1, 0}, {0, 1}};
  if (precision == InputPrecision::BF16x6)
    pairs = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};

  OpBuilder b(dot);
  Location where = dot.getLoc();
  Value zeros = zerosLike(b, where, dot.getC()), sum = zeros;
  auto add = [&](Pair pair) {
    InputPrecision of = isRoundedToTf32(precision) ? InputPrecision::TF32 : InputPrecision::IEEE;
    sum = tt::DotOp::create(b, where, dot.getType(), a[pair.first], bs[pair.second], sum, of, 0u);
  };
  for (Pair pair : pairs)
    add(pair);
  Value infinity =
      arith::ConstantOp::create(b, where,
                                DenseElementsAttr::get(cast<ShapedType>(sum.getType()),
                                                       APFloat::getInf(APFloat::IEEEsingle())));
  Value isFinite = arith::CmpFOp::create(b, where, arith::CmpFPredicate::OLT,
                                         math::AbsFOp::create(b, where, sum), infinity);
  sum = arith::SelectOp::create(b, where, isFinite, sum, zeros);
  add({0, 0});
  if (!matchPattern(dot.getC(), m_AnyZeroFloat()))
    sum = arith::AddFOp::create(b, where, dot.getC(), sum);
  dot.replaceAllUsesWith(sum);
  dot.erase();
}

/// Sums in f32 of a product whose result is narrower.
tt::DotOp widenSums(tt::DotOp dot) {
  OpBuilder b(dot);
  Location where = dot.getLoc();
  Type wide = tt::withElementType(dot.getType(), b.getF32Type());
  Value c = arith::ExtFOp::create(b, where, wide, dot.getC());
  auto sums = tt::DotOp::create(b, where, wide, dot.getA(), dot.getB(), c, dot.getInputPrecision(),
                                dot.getMaxNumImpreciseAcc());
  dot.replaceAllUsesWith(
      arith::TruncFOp::create(b, where, dot.getType(), sums.getResult()).getResult());
  dot.erase();
  return sums;
}

struct SplitProducts : impl::SplitProductsBase<SplitProducts> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
    OperandParts parts;
    for (tt::DotOp dot : dots) {
      Type element = dot.getType().getElementType();
      if (element.isF16() || element.isBF16())
        dot = widenSums(dot);
      InputPrecision precision = dot.getInputPrecision();
      if (!dot.getA().getType().getElementType().isF32() ||
          !dot.getType().getElementType().isF32() || precision == InputPrecision::IEEE ||
          precision == InputPrecision::TF32)
        continue;
      Builder b(&getContext());
      Type part = isRoundedToTf32(precision) ? Type(b.getTF32Type()) : Type(b.getBF16Type());
      if (hasInstruction(gpu, dot, part))
        splitOperands(dot, parts);
    }
  }
};

} // namespace
} // namespace tl::ttg
