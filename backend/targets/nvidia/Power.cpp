// SPDX-License-Identifier: MIT
//
// pow of f32: 2^(y * log2|x|) with the logarithm and the product as sums of two floats, then the
// sign and the exceptions of IEEE 754.
#include "targets/nvidia/MathFunctions.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

/// high + low, where low is at most half a unit in the last place of high.
struct Pair {
  Value *high, *low;
};

Pair product(MathBuilder &m, Value *x, Value *y) {
  Value *high = m.mul(x, y);
  return {high, m.fma(x, y, m.neg(high))};
}

/// x + y for |x| >= |y|, or x = 0.
Pair sum(MathBuilder &m, Value *x, Value *y) {
  Value *high = m.add(x, y);
  return {high, m.sub(y, m.sub(high, x))};
}

/// log2 of a positive finite number within 2^-34 of it. With u = 2 * (mantissa - 1) / (mantissa +
/// 1), the logarithm of the mantissa is that of e times u + u^3 * (1/12 + u^2/80 + …).
Pair emitLog2Pair(MathBuilder &m, Value *x) {
  constexpr double scale = 0x1.71547652b82fep+0, scaleHigh = float(scale);
  Parts parts = decompose(m, x);
  Value *f = m.sub(parts.mantissa, m.real(1));
  Value *reciprocal = emitReciprocal(m, m.add(parts.mantissa, m.real(1)));
  Value *u = m.mul(m.add(f, f), reciprocal);
  // What u misses: the rest of the division, 2 * f - u * (2 + f).
  Value *difference = m.sub(f, u);
  Value *uLow = m.mul(reciprocal, m.fnma(u, f, m.add(difference, difference)));

  Pair square = product(m, u, u);
  square.low = m.fma(m.add(u, u), uLow, square.low);
  Pair cube = product(m, u, square.high);
  cube.low = m.fma(u, square.low, cube.low);
  cube.low = m.fma(uLow, square.high, cube.low);

  // The leading coefficient with two floats, the others with one.
  Value *leading = m.real(0x1.ec709ep-4);
  Value *p =
      m.mul(square.high, m.polynomial(square.high, {0x1.2776e2p-6, 0x1.a5ced4p-9, 0x1.58b08ep-11}));
  Pair linear = product(m, u, m.real(scaleHigh)), cubic = product(m, cube.high, leading);
  Pair mantissa = sum(m, linear.high, cubic.high);
  Value *low = m.add(m.add(linear.low, cubic.low), mantissa.low);
  low = m.fma(u, m.real(scale - scaleHigh), low);
  low = m.fma(uLow, m.real(scaleHigh), low);
  low = m.fma(cube.high, p, low);
  low = m.fma(cube.low, leading, low);

  Pair whole = sum(m, parts.exponent, mantissa.high);
  return sum(m, whole.high, m.add(low, whole.low));
}

/// 2^(high + low) with one rounding, into the subnormal numbers and beyond the largest.
Value *emitExp2Pair(MathBuilder &m, Pair x) {
  llvm::IRBuilderBase &b = m.b;
  Value *n = m.rounded(x.high, MathFunction::roundEven);
  Value *power = emitExp2(m, m.add(m.sub(x.high, n), x.low));
  // In two steps, both normal numbers; far outside they are nonsense that is not used.
  Value *exponent = b.CreateIntrinsic(llvm::Intrinsic::nvvm_f2i_rn, {}, {n}); // saturates
  Value *half = b.CreateAShr(exponent, 1);
  auto scale = [&](Value *by) {
    return m.fromBits(b.CreateAdd(b.CreateShl(by, 23), m.integer(0x3f800000)));
  };
  power = m.mul(m.mul(power, scale(half)), scale(b.CreateSub(exponent, half)));
  power = m.select(m.less(m.real(130), x.high), m.infinity(), power);
  return m.select(m.less(x.high, m.real(-152)), m.real(0), power);
}

} // namespace

Value *emitPow(MathBuilder &m, Value *x, Value *y) {
  llvm::IRBuilderBase &b = m.b;
  Value *zero = m.real(0), *one = m.real(1), *infinity = m.infinity(), *a = m.abs(x);
  Pair log = emitLog2Pair(m, a);
  Pair power = product(m, y, log.high);
  power.low = m.fma(y, log.low, power.low);
  // Of 0 and infinity the logarithm is infinite.
  Value *isZero = m.equal(a, zero);
  Value *special = b.CreateOr(isZero, b.CreateFCmpUEQ(a, infinity)); // NaN too
  Value *infinite = m.mul(y, m.select(isZero, m.neg(infinity), a));
  power.high = m.select(special, infinite, power.high);
  Value *result = emitExp2Pair(m, power);

  // Negative bases: NaN unless the exponent is an integer, negative where it is odd.
  auto isWhole = [&](Value *value) {
    return m.equal(m.rounded(value, MathFunction::trunc), value);
  };
  Value *whole = isWhole(y);
  Value *odd = b.CreateAnd(whole, b.CreateNot(isWhole(m.mul(y, m.real(0.5)))));
  Value *negative = b.CreateICmpSLT(m.bits(x), m.integer(0)); // -0 too
  result = m.select(b.CreateAnd(negative, odd), m.neg(result), result);
  Value *finiteNegative = b.CreateAnd(m.less(x, zero), m.less(a, infinity));
  result = m.select(b.CreateAnd(finiteNegative, b.CreateNot(whole)), m.nan(), result);
  // 1 to any power, and anything to the power 0, is 1; -1 to an infinite power too.
  Value *unit = b.CreateOr(m.equal(x, one), m.equal(y, zero));
  Value *infinitePower = b.CreateAnd(m.equal(a, one), m.equal(m.abs(y), infinity));
  return m.select(b.CreateOr(unit, infinitePower), one, result);
}

} // namespace tl::backend::nvidia
