// SPDX-License-Identifier: MIT
//
// sinh, cosh and tanh from the exponentials of Exponential.cpp, arranged so that nothing cancels
// and nothing overflows early.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

namespace {

Value *emitTanh(MathBuilder &m, Value *x) {
  Value *a = m.abs(x), *one = m.real(1), *two = m.real(2);
  Value *bounded = m.atMost(a, m.real(10, 22)); // 1 to the last place from there on
  if (m.isDouble) {
    // With t = e^(±2a) - 1: t / (t + 2) for small a, 1 - 2 / (t + 2) above.
    Value *small = m.less(a, one);
    Value *twice = m.mul(bounded, two);
    Value *t = emitExpm1(m, m.select(small, m.neg(twice), twice));
    Value *quotient = m.div(m.select(small, m.neg(t), two), m.add(t, two));
    return m.withSign(m.select(small, quotient, m.sub(one, quotient)), x);
  }
  Value *z = m.square(a);
  Value *p = m.polynomial(
      z, {-0x1.55554ap-2, 0x1.110cc8p-3, -0x1.b917eep-5, 0x1.58aca2p-6, -0x1.97d622p-8});
  Value *small = m.fma(m.mul(z, a), p, a);
  Value *e = emitScaledExp(m, m.mul(bounded, two), 0);
  Value *large = m.sub(one, m.div(two, m.add(e, one)));
  return m.withSign(m.select(m.less(a, m.real(0.55)), small, large), x);
}

Value *emitSinh(MathBuilder &m, Value *x) {
  // With t = e^a - 1: (t + t / (t + 1)) / 2; from 20 on e^a / 2, scaled before it overflows.
  Value *a = m.abs(x), *limit = m.real(20);
  Value *t = emitExpm1(m, m.atMost(a, limit));
  Value *small = m.mul(m.real(0.5), m.add(t, m.div(t, m.add(t, m.real(1)))));
  return m.withSign(m.select(m.less(limit, a), emitScaledExp(m, a, -1), small), x);
}

Value *emitCosh(MathBuilder &m, Value *x) {
  Value *half = emitScaledExp(m, m.abs(x), -1); // e^a / 2
  return m.add(half, m.div(m.real(0.25), half));
}

} // namespace

Value *emitHyperbolic(MathBuilder &m, MathFunction function, MathOperands operands) {
  Value *x = operands[0];
  switch (function) {
  case MathFunction::sinh:
    return emitSinh(m, x);
  case MathFunction::cosh:
    return emitCosh(m, x);
  default:
    return emitTanh(m, x);
  }
}

} // namespace tl::backend
