// SPDX-License-Identifier: MIT
//
// pow of f32 lanes, in f64: e^(y log|x|) with errors far below the last place of an f32, then the
// sign and the exceptions of IEEE 754.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

Value *emitPower(MathBuilder &m, MathFunction, MathOperands operands) {
  Value *x = operands[0], *y = operands[1];
  MathBuilder wide(m.b, m.otherType(), m.features);
  llvm::IRBuilderBase &b = m.b;
  Value *zero = m.real(0), *one = m.real(1);
  Value *a = m.abs(x);
  Value *log = emitLogarithm(wide, MathFunction::log, b.CreateFPExt(a, wide.type));
  Value *product = wide.mul(log, b.CreateFPExt(y, wide.type));
  Value *result = b.CreateFPTrunc(emitScaledExp(wide, product, 0), m.type);

  // Negative bases: NaN unless the exponent is an integer, negative where it is odd.
  Value *whole = m.equal(m.rounded(y, MathFunction::trunc), y);
  Value *half = m.mul(y, m.real(0.5));
  Value *even = m.equal(m.rounded(half, MathFunction::trunc), half);
  Value *negative = b.CreateICmpSLT(m.bits(x), m.integer(0)); // -0 too
  Value *odd = b.CreateAnd(whole, b.CreateNot(even));
  Value *flipped = m.select(b.CreateAnd(negative, odd), m.neg(result), result);
  Value *finiteNegative = b.CreateAnd(m.less(x, zero), m.less(a, m.infinity()));
  result = m.select(b.CreateAnd(finiteNegative, b.CreateNot(whole)), m.nan(), flipped);
  // 1 to any power, and anything to the power 0, is 1; -1 to an infinite power too.
  Value *unit = b.CreateOr(m.equal(x, one), m.equal(y, zero));
  Value *infinitePower = b.CreateAnd(m.equal(a, one), m.equal(m.abs(y), m.infinity()));
  return m.select(b.CreateOr(unit, infinitePower), one, result);
}

} // namespace tl::backend
