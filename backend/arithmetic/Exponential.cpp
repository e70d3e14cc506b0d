// SPDX-License-Identifier: MIT
//
// exp, exp2, exp10 and expm1. One scheme: x = n * log(2) + r with an integer n and |r| at most half
// of log(2), a polynomial for the function of r, and an exact scaling by 2^n. The coefficients
// minimise the largest relative error on that interval.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// log(2) in two parts; products of the first with the n that occur are exact.
struct Log2Parts {
  Value *high, *low;
  explicit Log2Parts(MathBuilder &m)
      : high(m.real(0x1.62e4p-1, 0x1.62e42feep-1)),
        low(m.real(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33)) {}
};

constexpr double log2e = 0x1.71547652b82fep+0;

/// 1 + r + r^2 * (…) = e^r.
Value *expOfRemainder(MathBuilder &m, Value *r) {
  if (!m.isDouble) {
    Value *q = m.polynomial(
        r, {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.1239e2p-7, 0x1.6a2434p-10});
    return m.add(m.fma(m.square(r), q, r), m.real(1));
  }
  Value *q = m.polynomial(r, {0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.555555555087cp-5,
                              0x1.1111111127be4p-7, 0x1.6c16c1842a147p-10, 0x1.a01a012a57cd8p-13,
                              0x1.a0199a0c611a8p-16, 0x1.71df2552af8d3p-19, 0x1.28ad72d147d89p-22,
                              0x1.ad7f6d7911672p-26});
  return m.add(m.fma(m.square(r), q, r), m.real(1));
}

Value *emitExp2(MathBuilder &m, Value *x) {
  x = m.atLeast(m.atMost(x, m.real(129, 1025)), m.real(-151, -1076));
  Value *n = m.nearest(x);
  Value *r = m.sub(x, n);
  Value *q =
      m.isDouble
          ? m.polynomial(r, {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a4p-3, 0x1.c6b08d7049fe7p-5,
                             0x1.3b2ab6fba00fap-7, 0x1.5d87fe78cd7e1p-10, 0x1.4309130edfb07p-13,
                             0x1.ffcbfba9467a4p-17, 0x1.62bfc78abc9b1p-20, 0x1.b5267d29f3c23p-24,
                             0x1.e61b719b9b7e5p-28, 0x1.e79b8c46e7d66p-32})
          : m.polynomial(r, {0x1.62e430p-1, 0x1.ebfbdcp-3, 0x1.c6aee8p-5, 0x1.3b2d4ep-7,
                             0x1.5f3e80p-10, 0x1.41fba2p-13});
  return m.scale(m.fma(r, q, m.real(1)), n);
}

Value *emitExp10(MathBuilder &m, Value *x) {
  x = m.atLeast(m.atMost(x, m.real(38.6, 309)), m.real(-45.5, -324.5));
  Value *n = m.nearest(m.mul(x, m.real(0x1.a934f0979a371p+1)));
  // log10(2) in two parts.
  Value *r = m.fnma(n, m.real(0x1.344p-2, 0x1.34413508p-2), x);
  r = m.fnma(n, m.real(0x1.3509f8p-18, 0x1.f79fef311f12bp-34), r);
  Value *q =
      m.isDouble
          ? m.polynomial(r, {0x1.26bb1bbb55516p+1, 0x1.53524c73cea77p+1, 0x1.0470591de2c29p+1,
                             0x1.2bd7609fd4f1bp+0, 0x1.1429ffd1f3aa2p-1, 0x1.a7ed70a1ee41dp-3,
                             0x1.16e4df63c009fp-4, 0x1.41165e5382b32p-6, 0x1.4898b4c2dcaf1p-8,
                             0x1.2f747572e437fp-10, 0x1.f9957d432ef74p-13})
          : m.polynomial(r, {0x1.26bb1cp+1, 0x1.53524ap+1, 0x1.046f68p+1, 0x1.2bd9d6p+0,
                             0x1.158464p-1, 0x1.a68becp-3});
  return m.scale(m.fma(r, q, m.real(1)), n);
}

} // namespace

Value *emitScaledExp(MathBuilder &m, Value *x, int shift) {
  // Beyond these bounds the result is infinite or zero anyway.
  x = m.atLeast(m.atMost(x, m.real(90, 711)), m.real(-105, -746));
  Value *n = m.nearest(m.mul(x, m.real(log2e)));
  Log2Parts log2(m);
  Value *r = m.fnma(n, log2.low, m.fnma(n, log2.high, x));
  Value *p = expOfRemainder(m, r);
  return m.scale(p, shift ? m.add(n, m.real(shift)) : n);
}

Value *emitExpm1(MathBuilder &m, Value *x) {
  Value *bounded = m.atLeast(m.atMost(x, m.real(89, 710)), m.real(-18, -40));
  Value *n = m.nearest(m.mul(bounded, m.real(log2e)));
  Log2Parts log2(m);
  Value *r = m.fnma(n, log2.low, m.fnma(n, log2.high, bounded));
  Value *q =
      m.isDouble
          ? m.polynomial(r, {0x1p-1, 0x1.5555555555559p-3, 0x1.555555555553fp-5,
                             0x1.111111110f6dap-7, 0x1.6c16c16c1f073p-10, 0x1.a01a01afd3ea3p-13,
                             0x1.a01a017bc81b9p-16, 0x1.71ddf87ea5046p-19, 0x1.27e53628d17e6p-22,
                             0x1.af5e75290002ap-26, 0x1.1ee88cd4ff20dp-29})
          : m.polynomial(r, {0x1p-1, 0x1.555554p-3, 0x1.5554b2p-5, 0x1.11118ap-7, 0x1.6d71f8p-10,
                             0x1.a032c0p-13});
  Value *p = m.fma(m.square(r), q, r); // e^r - 1
  // 2^n * p + (2^n - 1), at half size so that n may be as large as the exponents go.
  Value *half = m.powerOfTwo(m.sub(n, m.real(1)));
  Value *large = m.mul(m.fma(half, p, m.sub(half, m.real(0.5))), m.real(2));
  // With n = 0 the result is p itself, down to the smallest numbers and the sign of zero.
  return m.select(m.equal(n, m.real(0)), m.select(m.equal(x, m.real(0)), x, p), large);
}

Value *emitExponential(MathBuilder &m, MathFunction function, MathOperands operands) {
  Value *x = operands[0];
  switch (function) {
  case MathFunction::exp:
    return emitScaledExp(m, x, 0);
  case MathFunction::exp2:
    return emitExp2(m, x);
  case MathFunction::exp10:
    return emitExp10(m, x);
  default:
    return emitExpm1(m, x);
  }
}

} // namespace tl::backend
