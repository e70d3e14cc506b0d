// SPDX-License-Identifier: MIT
//
// asin, acos, atan and atan2 of f32 lanes; f64 lanes go to the C library.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

namespace {

constexpr double halfPi = 0x1.921fb6p+0, halfPiLow = -0x1.777a5cp-25;
constexpr double pi = 0x1.921fb6p+1, piLow = -0x1.777a5cp-24;

/// x + x * z * (…) with z = x^2, for |x| at most 1/2.
Value *smallAsin(MathBuilder &m, Value *x, Value *z) {
  Value *p =
      m.polynomial(z, {0x1.5555c8p-3, 0x1.3301ccp-4, 0x1.7480dep-5, 0x1.8c0cbcp-6, 0x1.598624p-5});
  return m.fma(m.mul(x, z), p, x);
}

/// 0 <= x <= 1.
Value *smallAtan(MathBuilder &m, Value *x) {
  Value *z = m.square(x);
  Value *p =
      m.polynomial(z, {-0x1.55553ep-2, 0x1.9991fcp-3, -0x1.2421a8p-3, 0x1.c0996ep-4, -0x1.5832c4p-4,
                       0x1.dac336p-5, -0x1.fec30ap-6, 0x1.6595e6p-7, -0x1.d6109ep-10});
  return m.fma(m.mul(x, z), p, x);
}

/// high + low - x.
Value *from(MathBuilder &m, double high, double low, Value *x) {
  return m.add(m.sub(m.real(high), x), m.real(low));
}

Value *emitAsinAcos(MathBuilder &m, Value *x, bool cosine) {
  // Above 1/2: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
  Value *a = m.abs(x), *half = m.real(0.5);
  Value *large = m.less(half, a);
  Value *z = m.select(large, m.mul(m.sub(m.real(1), a), half), m.square(a));
  Value *y = smallAsin(m, m.select(large, m.sqrt(z), a), z);
  Value *twice = m.add(y, y);
  if (!cosine)
    return m.withSign(m.select(large, from(m, halfPi, halfPiLow, twice), y), x);
  Value *negative = m.less(x, m.real(0));
  Value *outer = m.select(negative, from(m, pi, piLow, twice), twice);
  Value *inner = from(m, halfPi, halfPiLow, m.withSign(y, x));
  return m.select(large, outer, inner);
}

Value *emitAtan(MathBuilder &m, Value *x) {
  Value *a = m.abs(x), *one = m.real(1);
  Value *large = m.less(one, a);
  Value *y = smallAtan(m, m.div(m.select(large, one, a), m.select(large, a, one)));
  return m.withSign(m.select(large, from(m, halfPi, halfPiLow, y), y), x);
}

Value *emitAtan2(MathBuilder &m, Value *y, Value *x) {
  Value *ax = m.abs(x), *ay = m.abs(y), *zero = m.real(0), *one = m.real(1);
  Value *steep = m.less(ax, ay);
  Value *large = m.select(steep, ay, ax), *small = m.select(steep, ax, ay);
  // Equal ones: 1, for infinities too; two zeros: 0.
  Value *t = m.select(m.equal(ax, ay), one, m.div(small, large));
  t = m.select(m.equal(large, zero), zero, t);
  Value *angle = smallAtan(m, t);
  angle = m.select(steep, from(m, halfPi, halfPiLow, angle), angle);
  Value *left = m.b.CreateICmpSLT(m.bits(x), m.integer(0)); // -0 too
  angle = m.withSign(m.select(left, from(m, pi, piLow, angle), angle), y);
  return m.select(m.b.CreateFCmpUNO(x, y), m.add(x, y), angle);
}

} // namespace

Value *emitInverseTrigonometry(MathBuilder &m, MathFunction function, MathOperands x) {
  if (m.isDouble)
    return nullptr;
  switch (function) {
  case MathFunction::asin:
    return emitAsinAcos(m, x[0], false);
  case MathFunction::acos:
    return emitAsinAcos(m, x[0], true);
  case MathFunction::atan:
    return emitAtan(m, x[0]);
  default:
    return emitAtan2(m, x[0], x[1]);
  }
}

} // namespace tl::backend
