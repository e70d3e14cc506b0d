// SPDX-License-Identifier: MIT
#include "targets/nvidia/MathFunctions.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

Value *call(MathBuilder &m, Intrinsic::ID id, llvm::ArrayRef<Value *> operands) {
  return m.b.CreateIntrinsic(id, {}, operands);
}

Value *bitsMinus(MathBuilder &m, Value *x, Value *n) { return m.b.CreateSub(m.bits(x), n); }

/// 2^23 times the exponent that brings the mantissa of x between sqrt(1/2) and sqrt(2).
Value *exponentBits(MathBuilder &m, Value *x) {
  Value *fromRoot = bitsMinus(m, x, m.integer(0x3f3504f3));
  return m.b.CreateAnd(fromRoot, m.integer(0xff800000));
}

/// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2).
Value *logOfFraction(MathBuilder &m, Value *f) {
  Value *p = m.polynomial(f, {-0.5, 0x1.555554p-2, -0x1.000226p-2, 0x1.99a008p-3, -0x1.547244p-3,
                              0x1.22da1cp-3, -0x1.0d853ep-3, 0x1.055b6ap-3, -0x1.38b58cp-4});
  return m.fma(m.mul(f, p), f, f);
}

/// The logarithm where it is not of a positive finite number: x * inf + inf is infinite for
/// infinity, NaN for NaN and negative numbers.
Value *withLogSpecials(MathBuilder &m, Value *x, Value *result) {
  Value *special = m.b.CreateICmpUGE(m.bits(x), m.integer(0x7f800000));
  result = m.select(special, m.fma(x, m.infinity(), m.infinity()), result);
  return m.select(m.equal(x, m.real(0)), m.neg(m.infinity()), result);
}

constexpr double log2e = 0x1.71547652b82fep+0, ln2 = 0x1.62e42fefa39efp-1;

} // namespace

Value *emitReciprocal(MathBuilder &m, Value *x) {
  return call(m, Intrinsic::nvvm_rcp_approx_ftz_f, {x});
}

Value *emitReciprocalOfSum(MathBuilder &m, Value *y) {
  Value *large = m.less(m.real(0x1p126), y), *quarter = m.real(0.25);
  Value *reciprocal = emitReciprocal(m, m.select(large, m.mul(y, quarter), y));
  return m.select(large, m.mul(reciprocal, quarter), reciprocal);
}

bool isOnePlusExponential(const Value *y) {
  using namespace llvm::PatternMatch;
  const Value *term = nullptr, *power = nullptr;
  if (!match(y, m_c_FAdd(m_SpecificFP(1.0), m_Value(term))))
    return false;
  if (match(term, m_Select(m_Value(), m_Value(), m_Value(power)))) // emitExp
    term = power;
  return match(term, m_Intrinsic<Intrinsic::nvvm_ex2_approx_ftz>());
}

Parts decompose(MathBuilder &m, Value *x) {
  Value *subnormal = m.less(x, m.real(0x1p-126));
  Value *start = m.select(subnormal, m.real(-23), m.real(0));
  x = m.select(subnormal, m.mul(x, m.real(0x1p23)), x);
  Value *bits = exponentBits(m, x);
  Value *exponent = m.fma(m.b.CreateSIToFP(bits, m.type), m.real(0x1p-23), start);
  return {exponent, m.fromBits(bitsMinus(m, x, bits)), x};
}

Value *emitSqrt(MathBuilder &m, Value *x) {
  return call(m, Intrinsic::nvvm_sqrt_approx_ftz_f, {x});
}

Value *emitRsqrt(MathBuilder &m, Value *x) {
  return call(m, Intrinsic::nvvm_rsqrt_approx_ftz_f, {x});
}

Value *emitExp2(MathBuilder &m, Value *x) {
  return m.b.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz, {m.type}, {x});
}

/// 2^h with h near x * log2(e), and what h misses put right to first order: with
/// rest = x - h * log(2), 2^h * (1 + rest). h is rounded toward zero, so that the rest has the sign
/// of x: the result is 1 at 0 and nowhere above 1 for negative x, as the power is. Where the power
/// is infinite, 0 for infinite x, or NaN it is the result: the rest may be NaN there.
Value *emitExp(MathBuilder &m, Value *x) {
  constexpr double single = float(ln2);
  Value *h = call(m, Intrinsic::nvvm_mul_rz_f, {x, m.real(float(log2e))});
  Value *rest = m.fma(h, m.real(single - ln2), m.fnma(h, m.real(single), x));
  Value *power = emitExp2(m, h);
  Value *finite = m.less(m.abs(h), m.real(128));
  return m.select(finite, m.fma(power, rest, power), power);
}

Value *emitLog(MathBuilder &m, Value *x) {
  Parts parts = decompose(m, x);
  Value *fraction = logOfFraction(m, m.sub(parts.mantissa, m.real(1)));
  return withLogSpecials(m, parts.scaled, m.fma(parts.exponent, m.real(ln2), fraction));
}

Value *emitLog2(MathBuilder &m, Value *x) {
  Parts parts = decompose(m, x);
  Value *f = m.sub(parts.mantissa, m.real(1));
  // The leading coefficient in two parts, the first exact to the last addition.
  Value *tail = m.polynomial(f, {0x1.4ae0cp-26, -0x1.715470p-1, 0x1.ec7096p-2, -0x1.715a76p-2,
                                 0x1.277e36p-2, -0x1.eabc86p-3, 0x1.a305a4p-3, -0x1.874beap-3,
                                 0x1.7d4958p-3, -0x1.c25a92p-4});
  Value *fraction = m.fma(f, m.real(float(log2e)), m.mul(f, tail));
  return withLogSpecials(m, parts.scaled, m.add(parts.exponent, fraction));
}

/// The exponent n is that of u = 1 + x; the fraction, x * 2^-n + (2^-n - 1), comes from x itself
/// and so has what u lost.
Value *emitLog1p(MathBuilder &m, Value *x) {
  Value *u = m.add(x, m.real(1));
  Value *bits = exponentBits(m, u);
  // By way of 4 * 2^-n, which is normal for every n.
  Value *four = m.fromBits(m.b.CreateSub(m.integer(0x40800000), bits));
  Value *f = m.add(m.fromBits(bitsMinus(m, x, bits)), m.fma(four, m.real(0.25), m.real(-1)));
  Value *exponent = m.mul(m.b.CreateSIToFP(bits, m.type), m.real(0x1p-23));
  Value *result = m.fma(exponent, m.real(ln2), logOfFraction(m, f));
  result = withLogSpecials(m, u, result);
  return m.select(m.equal(x, m.real(0)), x, result); // with its sign
}

/// An odd polynomial for small |x|, 1 - 2 / (e^2|x| + 1) above.
Value *emitTanh(MathBuilder &m, Value *x) {
  Value *a = m.abs(x), *one = m.real(1);
  Value *power = emitExp2(m, m.mul(a, m.real(2 * log2e)));
  Value *large = m.fma(emitReciprocal(m, m.add(power, one)), m.real(-2), one);
  Value *z = m.square(x);
  Value *p = m.polynomial(
      z, {-0x1.55554ap-2, 0x1.110cc8p-3, -0x1.b917eep-5, 0x1.58aca2p-6, -0x1.97d622p-8});
  Value *small = m.fma(m.mul(z, p), a, a);
  return m.withSign(m.select(m.less(a, m.real(0.6)), small, large), x);
}

/// One chain of multiply-adds for both ranges, s + s * p(z): the function itself with s = x and
/// z = x^2 for |x| below 1, and log2(1 - erf(z)) with s = -z and z = |x| from there on.
Value *emitErf(MathBuilder &m, Value *x) {
  Value *a = m.abs(x);
  Value *far = m.b.CreateFCmpOGE(a, m.real(1));
  Value *z = m.select(far, a, m.square(x)), *s = m.select(far, m.neg(a), x);
  constexpr double coefficients[][2] = {
      {0x1.06eba8p-3, 0x1.41b8a2p-1},   {-0x1.81273ep-2, 0x1.d506c4p-1},
      {0x1.ce2ce6p-4, 0x1.3ac2c2p-3},   {-0x1.b7f71ep-6, -0x1.1bc410p-5},
      {0x1.53f26ep-8, 0x1.6344c4p-8},   {-0x1.a354bcp-11, -0x1.093122p-11},
      {0x1.477e96p-14, 0x1.51f9cep-16},
  };
  Value *p = nullptr;
  for (auto [near, distant] : llvm::reverse(coefficients)) {
    Value *coefficient = m.select(far, m.real(distant), m.real(near));
    p = p ? m.fma(p, z, coefficient) : coefficient;
  }
  Value *result = m.fma(p, s, s);
  Value *distant = m.withSign(m.sub(m.real(1), emitExp2(m, result)), x);
  return m.select(far, distant, result);
}

/// An odd polynomial of |x| or, above 1, of its reciprocal.
Value *emitAtan(MathBuilder &m, Value *x) {
  constexpr double halfPi = 0x1.921fb6p+0;
  Value *a = m.abs(x), *one = m.real(1);
  Value *bounded = // NaN stays
      m.b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, a, m.real(0x1p64));
  Value *reciprocal = emitReciprocal(m, bounded);
  reciprocal = m.fma(m.fnma(bounded, reciprocal, one), reciprocal, reciprocal);
  Value *large = m.less(one, a);
  Value *y = m.select(large, reciprocal, a), *z = m.square(y);
  Value *p =
      m.polynomial(z, {-0x1.55553ep-2, 0x1.9991fcp-3, -0x1.2421a8p-3, 0x1.c0996ep-4, -0x1.5832c4p-4,
                       0x1.dac336p-5, -0x1.fec30ap-6, 0x1.6595e6p-7, -0x1.d6109ep-10});
  Value *angle = m.fma(m.mul(y, z), p, y);
  return m.withSign(m.select(large, m.sub(m.real(halfPi), angle), angle), x);
}

} // namespace tl::backend::nvidia
