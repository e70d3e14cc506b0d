// SPDX-License-Identifier: MIT
//
// erf of f32 lanes; its relatives and f64 lanes go to the C library.
#include "arithmetic/MathBuilder.h"

namespace tl::backend {

using llvm::Value;

Value *emitErrorFunction(MathBuilder &m, MathFunction, MathOperands operands) {
  Value *x = operands[0];
  // Near 0 an odd polynomial; further out 1 - e^(a * q(a)), where q fits log(erfc(a)) / a up to 4,
  // from where on the result is 1.
  Value *a = m.abs(x), *z = m.square(a);
  Value *p = m.polynomial(z, {-0x1.812742p-2, 0x1.ce2e10p-4, -0x1.b80f34p-6, 0x1.54ce2ap-8,
                              -0x1.aa76dap-11, 0x1.5d8eb6p-14});
  // 2 / sqrt(pi) in two parts, so that the leading term is exact to the last addition.
  Value *near = m.fma(a, m.real(0x1.20dd76p+0), m.mul(a, m.fma(z, p, m.real(-0x1.f7ac92p-25))));
  Value *bounded = m.atMost(a, m.real(4));
  Value *q = m.polynomial(bounded, {-0x1.20e2bep+0, -0x1.45b22cp-1, -0x1.aa637cp-4, 0x1.5aa59ap-6,
                                    -0x1.c37428p-10, -0x1.21a662p-11, 0x1.dfdfc2p-13,
                                    -0x1.2e8b86p-15, 0x1.2f3474p-19});
  Value *far = m.sub(m.real(1), emitScaledExp(m, m.mul(bounded, q), 0));
  return m.withSign(m.select(m.less(a, m.real(0.925)), near, far), x);
}

} // namespace tl::backend
