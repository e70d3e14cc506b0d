// SPDX-License-Identifier: MIT
//
// The remainder of x by pi/2, a polynomial of it, and by the quadrant which.
#include "lowering/Trigonometry.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// x = (4 * k + quadrant) * pi/2 + remainder, by the last two bits of the quadrant.
struct Reduced {
  Value *remainder, *quadrant;
};

constexpr double largest = 0x1p16; // of the reduction in three parts

/// |x| below 2^16: pi/2 in three parts. x minus n times the first is exact, since that has only 22
/// bits after the point. None of the parts is negative, so that -0 stays -0.
Reduced reduceSmall(MathBuilder &m, Value *x) {
  constexpr double integers = 0x1.8p23; // adding it leaves an integer, in the low bits
  Value *shifted = m.fma(x, m.real(0x1.45f306p-1), m.real(integers));
  Value *n = m.sub(shifted, m.real(integers));
  Value *r = x;
  for (double part : {0x1.921fb4p+0, 0x1.4442d0p-24, 0x1.84698ap-48})
    r = m.fma(n, m.real(-part), r);
  return {r, m.bits(shifted)};
}

/// The bits of 2/pi, after a zero word.
llvm::GlobalVariable *twoOverPi(llvm::Module &module) {
  constexpr const char *name = "tl.two_over_pi";
  if (auto *known = module.getNamedGlobal(name))
    return known;
  constexpr uint32_t words[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                0xf534ddc0, 0xdb629599, 0x3c439041};
  constexpr unsigned constantMemory = 4;
  auto *data = llvm::ConstantDataArray::get(module.getContext(), words);
  auto *variable = new llvm::GlobalVariable(module, data->getType(), true,
                                            llvm::GlobalValue::InternalLinkage, data, name, nullptr,
                                            llvm::GlobalValue::NotThreadLocal, constantMemory);
  variable->setAlignment(llvm::Align(4));
  return variable;
}

/// Any larger x, as M * 2^k with an integer M of 32 bits. Of 2/pi * 2^k only the 96 bits below 4
/// matter: those above give whole turns, those below less than 2^-62. The product with M is then
/// a fixed-point number, the quadrant in its upper two bits.
Reduced reduceLarge(MathBuilder &m, Value *x) {
  llvm::IRBuilderBase &b = m.b;
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  llvm::GlobalVariable *table = twoOverPi(*b.GetInsertBlock()->getModule());
  Value *bits = m.bits(x);
  Value *mantissa = b.CreateOr(b.CreateShl(bits, 8), m.integer(0x80000000));
  Value *exponent = b.CreateAnd(b.CreateLShr(bits, 23), m.integer(255));
  Value *shift = b.CreateSub(exponent, m.integer(64));
  Value *first = b.CreateSub(b.CreateLShr(shift, 5), m.integer(2));
  Value *address = b.CreateGEP(i32, table, b.CreateZExt(first, i64));
  Value *words[4], *window[3];
  for (unsigned i = 0; i < 4; ++i)
    words[i] = b.CreateAlignedLoad(i32, b.CreateConstGEP1_32(i32, address, i), llvm::Align(4));
  for (unsigned i = 0; i < 3; ++i)
    window[i] = b.CreateIntrinsic(llvm::Intrinsic::fshl, {i32}, {words[i], words[i + 1], shift});
  auto wide = [&](Value *value) { return b.CreateZExt(value, i64); };
  Value *low = b.CreateLShr(b.CreateMul(wide(mantissa), wide(window[2])), 32);
  low = b.CreateAdd(b.CreateMul(wide(mantissa), wide(window[1])), low);
  Value *high =
      b.CreateAdd(b.CreateMul(mantissa, window[0]), b.CreateTrunc(b.CreateLShr(low, 32), i32));
  Value *turns = b.CreateOr(b.CreateShl(wide(high), 32), wide(b.CreateTrunc(low, i32)));
  // Behind the quadrant, as a signed number, is the remainder from the nearest one.
  Value *quadrant = b.CreateLShr(b.CreateAdd(high, m.integer(0x20000000)), 30);
  Value *r = b.CreateSIToFP(b.CreateShl(turns, 2), b.getDoubleTy());
  r = b.CreateFMul(r, llvm::ConstantFP::get(b.getDoubleTy(), 0x1.921fb54442d18p-64));
  r = b.CreateFPTrunc(r, m.type);
  r = m.fromBits(b.CreateXor(m.bits(r), b.CreateAnd(bits, m.signMask())));
  quadrant = m.select(b.CreateICmpSLT(bits, m.integer(0)), b.CreateNeg(quadrant), quadrant);
  return {m.fma(x, m.real(0), r), quadrant}; // NaN for infinity
}

Reduced reduce(MathBuilder &m, Value *x) {
  llvm::IRBuilderBase &b = m.b;
  Reduced small = reduceSmall(m, x);
  llvm::BasicBlock *here = b.GetInsertBlock();
  llvm::Function *function = here->getParent();
  auto *slow = llvm::BasicBlock::Create(b.getContext(), "large", function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "done", function);
  b.CreateCondBr(b.CreateFCmpOGE(m.abs(x), m.real(largest)), slow, done,
                 llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(slow);
  Reduced large = reduceLarge(m, x);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto either = [&](Value *fast, Value *other) {
    llvm::PHINode *value = b.CreatePHI(fast->getType(), 2);
    value->addIncoming(fast, here);
    value->addIncoming(other, slow);
    return value;
  };
  llvm::PHINode *remainder = either(small.remainder, large.remainder);
  return {remainder, either(small.quadrant, large.quadrant)};
}

} // namespace

/// base + base * z * p(z) for both, with base = r for the sine and 1 for the cosine.
Value *emitSinCos(MathBuilder &m, Value *x, bool cosine) {
  llvm::IRBuilderBase &b = m.b;
  auto [r, quadrant] = reduce(m, x);
  if (cosine)
    quadrant = b.CreateAdd(quadrant, m.integer(1));
  auto bit = [&](unsigned mask) {
    return b.CreateICmpNE(b.CreateAnd(quadrant, m.integer(mask)), m.integer(0));
  };
  Value *odd = bit(1), *z = m.square(r), *base = m.select(odd, m.real(1), r);
  Value *p = m.select(odd, m.fma(z, m.real(0x1.99eb4ap-16), m.real(-0x1.6c0c32p-10)),
                      m.real(-0x1.994388p-13));
  p = m.fma(z, p, m.select(odd, m.real(0x1.55554ap-5), m.real(0x1.11073ap-7)));
  p = m.fma(z, p, m.select(odd, m.real(-0.5), m.real(-0x1.555546p-3)));
  // The product plus 0: a product of zeros is not negative, so that -0 stays -0.
  Value *value = m.fma(m.fma(z, base, m.real(0)), p, base);
  return m.select(bit(2), m.neg(value), value);
}

/// An odd polynomial of the remainder or, an odd number of quadrants away, its negative reciprocal.
Value *emitTan(MathBuilder &m, Value *x, llvm::function_ref<Value *(Value *)> reciprocal) {
  auto [r, quadrant] = reduce(m, x);
  Value *z = m.square(r);
  Value *p = m.polynomial(z, {0x1.555556p-2, 0x1.111084p-3, 0x1.ba53c6p-5, 0x1.622b24p-6,
                              0x1.46f1a4p-7, 0x1.304aap-10, 0x1.f9a22ap-9});
  Value *tangent = m.fma(m.mul(r, z), p, r);
  Value *odd = m.b.CreateICmpNE(m.b.CreateAnd(quadrant, m.integer(1)), m.integer(0));
  return m.select(odd, m.neg(reciprocal(tangent)), tangent);
}

} // namespace tl::backend
