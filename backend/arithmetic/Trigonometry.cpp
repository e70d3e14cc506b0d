// SPDX-License-Identifier: MIT
//
// sin, cos and tan, and those of pi * x. The argument is reduced to r = x - n * pi/2 with |r| at
// most pi/4: in f64 for f32 lanes, with pi/2 in four parts and a running correction for f64 lanes.
// Lanes too large for that go to the C library, one by one and only when there are any.
#include "arithmetic/MathBuilder.h"

#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;

namespace {

constexpr double twoOverPi = 0x1.45f306dc9c883p-1;

/// Remainder high + low and quadrant (the low bits of n, as integer lanes).
struct Reduced {
  Value *high, *low, *quadrant;
};

/// f64 lanes, |x| below 2^20: each of the first products is exact (33 bits times 20).
Reduced reduceWide(MathBuilder &m, Value *x) {
  Value *n = m.nearest(m.mul(x, m.real(twoOverPi)));
  Value *a = m.fnma(n, m.real(0x1.921fb544p+0), x);
  Value *b = m.mul(n, m.real(0x1.0b4611a6p-34));
  Value *sum = m.sub(a, b);
  Value *error = m.sub(m.sub(a, sum), b);
  Value *c = m.mul(n, m.real(0x1.3198a2e0p-69));
  Value *next = m.sub(sum, c);
  error = m.add(error, m.sub(m.sub(sum, next), c));
  error = m.fnma(n, m.real(0x1.b839a252049c1p-104), error);
  Value *high = m.add(next, error);
  Value *low = m.add(m.sub(next, high), error);
  return {high, low, m.integerBits(n)};
}

Value *wideSin(MathBuilder &m, Value *r, Value *low) {
  Value *z = m.square(r);
  Value *p =
      m.polynomial(z, {-0x1.5555555555548p-3, 0x1.111111110f7cap-7, -0x1.a01a019bfd187p-13,
                       0x1.71de356712a51p-19, -0x1.ae5e59f5c4a32p-26, 0x1.5d8fa32a6cb07p-33});
  Value *correction = m.mul(low, m.fma(z, m.real(-0.5), m.real(1)));
  return m.add(r, m.fma(m.mul(z, r), p, correction));
}

Value *wideCos(MathBuilder &m, Value *r, Value *low) {
  Value *z = m.square(r), *half = m.mul(z, m.real(0.5)), *one = m.real(1);
  Value *p =
      m.polynomial(z, {0x1.555555555554bp-5, -0x1.6c16c16c14f8ap-10, 0x1.a01a019c8391cp-16,
                       -0x1.27e4f7ea3803ep-22, 0x1.1ee9d752c93c3p-29, -0x1.8fa4660382916p-37});
  Value *head = m.sub(one, half); // what it lost comes back in the tail
  Value *tail = m.sub(m.sub(one, head), half);
  tail = m.add(tail, m.fnma(r, low, m.mul(m.square(z), p)));
  return m.add(head, tail);
}

Value *singleSin(MathBuilder &m, Value *r) {
  Value *z = m.square(r);
  Value *p = m.polynomial(z, {-0x1.555546p-3, 0x1.11073ap-7, -0x1.994388p-13});
  return m.fma(m.mul(z, r), p, r);
}

Value *singleCos(MathBuilder &m, Value *r) {
  Value *z = m.square(r);
  Value *p = m.polynomial(z, {0x1.55554ap-5, -0x1.6c0c32p-10, 0x1.99eb4ap-16});
  return m.fma(z, m.fma(z, p, m.real(-0.5)), m.real(1));
}

/// Chooses between sine and cosine of the remainder and the sign, by quadrant.
Value *byQuadrant(MathBuilder &m, Value *sine, Value *cosine, Value *quadrant) {
  Value *one = m.integer(1);
  Value *odd = m.b.CreateICmpNE(m.b.CreateAnd(quadrant, one), m.integer(0));
  Value *result = m.select(odd, cosine, sine);
  Value *sign = m.b.CreateShl(m.b.CreateLShr(quadrant, one), m.integer(m.isDouble ? 63 : 31));
  return m.fromBits(m.b.CreateXor(m.bits(result), sign));
}

/// f32 lanes, |x| below 2^25. The remainder as f64 lanes of `wide`; the quadrant as i32 lanes.
struct ReducedSingle {
  Value *remainder, *quadrant;
};

ReducedSingle reduceSingle(MathBuilder &m, MathBuilder &wide, Value *x) {
  Value *d = m.b.CreateFPExt(x, wide.type);
  Value *n = wide.nearest(wide.mul(d, wide.real(twoOverPi)));
  Value *r = wide.fnma(n, wide.real(0x1.921fb54p+0), d); // 27 bits: exact
  r = wide.fnma(n, wide.real(0x1.10b4611a62633p-30), r);
  return {r, m.b.CreateTrunc(wide.integerBits(n), m.integerType)};
}

Value *emitSinCos(MathBuilder &m, Value *x, bool cosine) {
  Value *result;
  if (m.isDouble) {
    Reduced r = reduceWide(m, x);
    Value *quadrant = cosine ? m.b.CreateAdd(r.quadrant, m.integer(1)) : r.quadrant;
    result = byQuadrant(m, wideSin(m, r.high, r.low), wideCos(m, r.high, r.low), quadrant);
  } else {
    MathBuilder wide(m.b, m.otherType(), m.features);
    ReducedSingle r = reduceSingle(m, wide, x);
    Value *remainder = m.b.CreateFPTrunc(r.remainder, m.type);
    Value *quadrant = cosine ? m.b.CreateAdd(r.quadrant, m.integer(1)) : r.quadrant;
    result = byQuadrant(m, singleSin(m, remainder), singleCos(m, remainder), quadrant);
  }
  return cosine ? result : m.select(m.equal(x, m.real(0)), x, result);
}

/// f32 only: sine over cosine, both in f64.
Value *emitTan(MathBuilder &m, Value *x) {
  MathBuilder wide(m.b, m.otherType(), m.features);
  ReducedSingle reduced = reduceSingle(m, wide, x);
  Value *r = reduced.remainder, *z = wide.square(r);
  Value *s = wide.polynomial(z, {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f7ep-13, 0x1.6cd1b0p-19});
  Value *sine = wide.fma(wide.mul(z, r), s, r);
  Value *c = wide.polynomial(z, {0x1.55554ap-5, -0x1.6c0c32p-10, 0x1.99eb4ap-16});
  Value *cosine = wide.fma(z, wide.fma(z, c, wide.real(-0.5)), wide.real(1));
  Value *odd = m.b.CreateICmpNE(m.b.CreateAnd(reduced.quadrant, m.integer(1)), m.integer(0));
  Value *quotient =
      wide.div(wide.select(odd, wide.neg(cosine), sine), wide.select(odd, sine, cosine));
  Value *result = m.b.CreateFPTrunc(quotient, m.type);
  return m.select(m.equal(x, m.real(0)), x, result);
}

/// sin(pi x) and cos(pi x): the reduction is exact whatever the size of x.
Value *emitSinCosPi(MathBuilder &m, Value *x, bool cosine) {
  // From here on x is even, and twice of it may be infinite.
  Value *limit = m.real(0x1p24, 0x1p53);
  x = m.select(m.less(m.abs(x), limit), x, m.mul(x, m.real(0)));
  Value *twice = m.mul(x, m.real(2));
  Value *n = m.rounded(twice, MathFunction::roundEven);
  Value *r = m.fma(n, m.real(-0.5), x);
  // n modulo 4, as a small number.
  Value *turns = m.rounded(m.mul(n, m.real(0.25)), MathFunction::roundEven);
  Value *quadrant = m.integerBits(m.fma(turns, m.real(-4), n));
  if (cosine)
    quadrant = m.b.CreateAdd(quadrant, m.integer(1));
  Value *high = m.mul(r, m.real(0x1.921fb6p+1, 0x1.921fb54442d18p+1));
  if (!m.isDouble)
    return byQuadrant(m, singleSin(m, high), singleCos(m, high), quadrant);
  Value *low = m.mul(r, m.real(0x1.1a62633145c07p-53)); // what pi lost
  return byQuadrant(m, wideSin(m, high, low), wideCos(m, high, low), quadrant);
}

/// Replaces the lanes with |x| at or above the limit (NaN among them) by the C library's result.
Value *withLibraryLanes(MathBuilder &m, Value *x, Value *fast, double limit, llvm::StringRef name) {
  llvm::IRBuilderBase &b = m.b;
  Value *large = b.CreateFCmpUGE(m.abs(x), m.real(limit));
  Value *any = large;
  if (m.type->isVectorTy())
    any = b.CreateIsNotNull(b.CreateBitCast(large, b.getIntNTy(m.lanes())));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *slow = llvm::BasicBlock::Create(b.getContext(), "large", function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "done", function);
  llvm::BasicBlock *here = b.GetInsertBlock();
  b.CreateCondBr(any, slow, done);
  b.SetInsertPoint(slow);
  Value *mixed = m.select(large, emitLibraryCall(m, name, {x}), fast);
  llvm::BasicBlock *slowEnd = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *result = b.CreatePHI(m.type, 2);
  result->addIncoming(fast, here);
  result->addIncoming(mixed, slowEnd);
  return result;
}

} // namespace

Value *emitTrigonometry(MathBuilder &m, MathFunction function, MathOperands operands) {
  Value *x = operands[0];
  if (function == MathFunction::sinPi)
    return emitSinCosPi(m, x, false);
  if (function == MathFunction::cosPi)
    return emitSinCosPi(m, x, true);
  const double limit = m.isDouble ? 0x1p20 : 0x1p25;
  if (function == MathFunction::tan)
    return m.isDouble ? nullptr : withLibraryLanes(m, x, emitTan(m, x), limit, "tan");
  bool cosine = function == MathFunction::cos;
  return withLibraryLanes(m, x, emitSinCos(m, x, cosine), limit, cosine ? "cos" : "sin");
}

} // namespace tl::backend
