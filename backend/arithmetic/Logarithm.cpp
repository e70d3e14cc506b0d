// SPDX-License-Identifier: MIT
//
// log, log2, log10 and log1p. One scheme: x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and
// sqrt(2), so that nothing cancels around 1; the logarithm of 1 + f by a polynomial in f (f32) or
// in (f / (2 + f))^2 (f64), with the leading terms kept apart from the rest until the last
// addition.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// x = 2^exponent * (1 + fraction), for positive finite x.
struct Parts {
  Value *exponent, *fraction;
};

Parts decompose(MathBuilder &m, Value *x) {
  Value *smallest = m.real(0x1p-126, 0x1p-1022);
  Value *subnormal = m.less(x, smallest);
  x = m.select(subnormal, m.mul(x, m.real(0x1p23, 0x1p52)), x);
  Value *root = m.integer(m.isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3); // sqrt(1/2)
  Value *bits = m.b.CreateSub(m.bits(x), root);
  // The biased exponent becomes a real number by way of the last bits of 2^mantissaBits.
  Value *shift = m.integer(m.mantissaBits());
  Value *bias = m.integer(uint64_t(m.bias()) << m.mantissaBits());
  Value *biased = m.b.CreateLShr(m.b.CreateAdd(bits, bias), shift);
  Value *anchor = m.real(0x1p23, 0x1p52);
  Value *exponent = m.fromBits(m.b.CreateOr(biased, m.bits(anchor)));
  exponent = m.sub(exponent, m.select(subnormal, m.real(0x1p23 + 127 + 23, 0x1p52 + 1023 + 52),
                                      m.real(0x1p23 + 127, 0x1p52 + 1023)));
  Value *mask = m.integer((uint64_t(1) << m.mantissaBits()) - 1);
  Value *mantissa = m.fromBits(m.b.CreateAdd(m.b.CreateAnd(bits, mask), root));
  return {exponent, m.sub(mantissa, m.real(1))};
}

/// Puts -inf at 0, NaN below, and x itself at infinity and NaN.
Value *withSpecials(MathBuilder &m, Value *x, Value *result) {
  Value *zero = m.real(0);
  Value *ordinary = m.b.CreateAnd(m.less(zero, x), m.less(x, m.infinity()));
  Value *other = m.select(m.equal(x, zero), m.neg(m.infinity()), x);
  other = m.select(m.less(x, zero), m.nan(), other);
  return m.select(ordinary, result, other);
}

/// f64: the terms of log(1 + f) = f - (half - s * (half + r)).
struct WideTerms {
  Value *half, *rest;
};

WideTerms wideTerms(MathBuilder &m, Value *f) {
  Value *s = m.div(f, m.add(f, m.real(2)));
  Value *z = m.square(s);
  Value *r =
      m.mul(z, m.polynomial(z, {0x1.5555555555592p-1, 0x1.999999997fd77p-2, 0x1.24924941f4fe6p-2,
                                0x1.c71c5206067bap-3, 0x1.74663fa24885fp-3, 0x1.39a1a6f78cd2ap-3,
                                0x1.2f06346215846p-3}));
  Value *half = m.mul(m.square(f), m.real(0.5));
  return {half, m.mul(s, m.add(half, r))};
}

/// exponent * log(2) + log(1 + fraction).
Value *naturalLog(MathBuilder &m, Parts x) {
  Value *high = m.real(0x1.62e4p-1, 0x1.62e42feep-1);
  Value *low = m.real(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33);
  Value *e = x.exponent, *f = x.fraction;
  if (m.isDouble) {
    WideTerms t = wideTerms(m, f);
    Value *tail = m.sub(t.half, m.fma(e, low, t.rest));
    return m.fma(e, high, m.neg(m.sub(tail, f)));
  }
  Value *q = m.polynomial(f, {0x1.555554p-2, -0x1.000226p-2, 0x1.99a008p-3, -0x1.547244p-3,
                              0x1.22da1cp-3, -0x1.0d853ep-3, 0x1.055b6ap-3, -0x1.38b58cp-4});
  Value *t = m.mul(m.square(f), m.fma(f, q, m.real(-0.5)));
  return m.fma(e, high, m.add(m.fma(e, low, t), f));
}

/// The constants of a logarithm to another base. The f32 polynomial is log(1 + f) / f, its constant
/// term given as high + low.
struct Base {
  double exponentHigh, exponentLow; // of 2, in the base; exact products with exponents
  double high32, low32;
  std::initializer_list<double> rest32;
  double high64, low64; // 1 / log(base), the first with 32 bits
};

Value *logToBase(MathBuilder &m, Parts x, const Base &base) {
  Value *e = x.exponent, *f = x.fraction;
  if (!m.isDouble) {
    Value *tail = m.fma(f, m.polynomial(f, base.rest32), m.real(base.low32));
    Value *y = m.fma(f, m.real(base.high32), m.mul(f, tail));
    if (base.exponentLow != 0)
      y = m.fma(e, m.real(base.exponentLow), y);
    return m.fma(e, m.real(base.exponentHigh), y);
  }
  // log(1 + f) as high + low, the first with 21 bits so that its product with high64 is exact.
  WideTerms t = wideTerms(m, f);
  Value *high = m.sub(f, t.half);
  high = m.fromBits(m.b.CreateAnd(m.bits(high), m.integer(0xffffffff00000000)));
  Value *low = m.add(m.sub(m.sub(f, high), t.half), t.rest);
  Value *yHigh = m.mul(high, m.real(base.high64));
  Value *yLow = m.fma(m.add(low, high), m.real(base.low64), m.mul(low, m.real(base.high64)));
  if (base.exponentLow != 0)
    yLow = m.fma(e, m.real(base.exponentLow), yLow);
  Value *whole = m.mul(e, m.real(base.exponentHigh));
  Value *sum = m.add(whole, yHigh);
  return m.add(sum, m.add(yLow, m.add(m.sub(whole, sum), yHigh)));
}

Value *emitLog1p(MathBuilder &m, Value *x) {
  Value *one = m.real(1);
  Value *u = m.add(x, one);
  // What the addition lost, exact either way round.
  Value *lost = m.select(m.less(one, x), m.sub(one, m.sub(u, x)), m.sub(x, m.sub(u, one)));
  Parts parts = decompose(m, u);
  Value *down = m.powerOfTwo(m.neg(m.atMost(parts.exponent, m.real(100, 1000))));
  parts.fraction = m.fma(lost, down, parts.fraction);
  return m.select(m.equal(x, m.real(0)), x, withSpecials(m, u, naturalLog(m, parts)));
}

} // namespace

Value *emitLogarithm(MathBuilder &m, MathFunction function, MathOperands operands) {
  Value *x = operands[0];
  if (function == MathFunction::log1p)
    return emitLog1p(m, x);
  Parts parts = decompose(m, x);
  if (function == MathFunction::log)
    return withSpecials(m, x, naturalLog(m, parts));
  if (function == MathFunction::log2)
    return withSpecials(
        m, x,
        logToBase(m, parts,
                  {1.0,
                   0.0,
                   0x1.715476p+0,
                   0x1.4ae0cp-26,
                   {-0x1.715470p-1, 0x1.ec7096p-2, -0x1.715a76p-2, 0x1.277e36p-2, -0x1.eabc86p-3,
                    0x1.a305a4p-3, -0x1.874beap-3, 0x1.7d4958p-3, -0x1.c25a92p-4},
                   0x1.71547652p+0,
                   0x1.705fc2eefa2p-33}));
  bool wide = m.isDouble;
  return withSpecials(
      m, x,
      logToBase(m, parts,
                {wide ? 0x1.34413508p-2 : 0x1.344p-2,
                 wide ? 0x1.f79fef311f12bp-34 : 0x1.3509f8p-18,
                 0x1.bcb7b2p-2,
                 -0x1.5b235ep-27,
                 {-0x1.bcb7aap-3, 0x1.287a72p-3, -0x1.bcbeeap-4, 0x1.63cf1ep-4, -0x1.2773e8p-4,
                  0x1.f88d86p-5, -0x1.d72b02p-5, 0x1.cb1d5cp-5, -0x1.0f23d6p-5},
                 0x1.bcb7b152p-2,
                 0x1.b9438ca9aadd5p-36}));
}

} // namespace tl::backend
