// SPDX-License-Identifier: MIT
//
// What the files of mathematical functions share: an IRBuilder that knows the type of the lanes.
// They and the functions of a target include this header; everyone else includes Math.h.
#pragma once

#include "arithmetic/Features.h"
#include "arithmetic/Math.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

#include <initializer_list>

namespace tl::backend {

/// Builds on lanes of one type, f32 or f64, scalar or vector. Every function is IEEE: the caller
/// has cleared the fast-math flags.
class MathBuilder {
public:
  MathBuilder(llvm::IRBuilderBase &b, llvm::Type *type, const ArithmeticFeatures &features)
      : b(b), features(features), type(type), isDouble(type->getScalarType()->isDoubleTy()) {
    integerType = type->getWithNewType(b.getIntNTy(isDouble ? 64 : 32));
  }

  llvm::IRBuilderBase &b;
  const ArithmeticFeatures &features;
  llvm::Type *const type;
  const bool isDouble;
  llvm::Type *integerType;

  unsigned lanes() const {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
  }
  unsigned mantissaBits() const { return isDouble ? 52 : 23; }
  int bias() const { return isDouble ? 1023 : 127; }

  // ---- Constants; (f32, f64) where they differ
  llvm::Value *real(double value) { return llvm::ConstantFP::get(type, value); }
  llvm::Value *real(double single, double wide) { return real(isDouble ? wide : single); }
  llvm::Value *integer(uint64_t value) { return llvm::ConstantInt::get(integerType, value); }
  llvm::Value *infinity() { return llvm::ConstantFP::getInfinity(type); }
  llvm::Value *nan() { return llvm::ConstantFP::getNaN(type); }

  // ---- Arithmetic
  llvm::Value *add(llvm::Value *x, llvm::Value *y) { return b.CreateFAdd(x, y); }
  llvm::Value *sub(llvm::Value *x, llvm::Value *y) { return b.CreateFSub(x, y); }
  llvm::Value *mul(llvm::Value *x, llvm::Value *y) { return b.CreateFMul(x, y); }
  llvm::Value *div(llvm::Value *x, llvm::Value *y) { return b.CreateFDiv(x, y); }
  llvm::Value *neg(llvm::Value *x) { return b.CreateFNeg(x); }
  llvm::Value *select(llvm::Value *c, llvm::Value *x, llvm::Value *y) {
    return b.CreateSelect(c, x, y);
  }
  llvm::Value *less(llvm::Value *x, llvm::Value *y) { return b.CreateFCmpOLT(x, y); }
  llvm::Value *equal(llvm::Value *x, llvm::Value *y) { return b.CreateFCmpOEQ(x, y); }
  llvm::Value *isNan(llvm::Value *x) { return b.CreateFCmpUNO(x, x); }

  /// x * y + z, fused where that is one instruction. Nothing here depends on the fusion except the
  /// last bit.
  llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  /// z - x * y.
  llvm::Value *fnma(llvm::Value *x, llvm::Value *y, llvm::Value *z) { return fma(neg(x), y, z); }
  /// c[0] + x * (c[1] + x * (…)), a chain of multiply-adds.
  llvm::Value *polynomial(llvm::Value *x, std::initializer_list<double> coefficients);

  /// Bounds that let NaN through (a plain minimum of the machine returns its second operand then).
  llvm::Value *atMost(llvm::Value *x, llvm::Value *limit) {
    return select(less(limit, x), limit, x);
  }
  llvm::Value *atLeast(llvm::Value *x, llvm::Value *limit) {
    return select(less(x, limit), limit, x);
  }

  // ---- Bits
  llvm::Value *bits(llvm::Value *x) { return b.CreateBitCast(x, integerType); }
  llvm::Value *fromBits(llvm::Value *x) { return b.CreateBitCast(x, type); }
  llvm::Value *signMask() { return integer(uint64_t(1) << (isDouble ? 63 : 31)); }
  llvm::Value *abs(llvm::Value *x);
  /// `magnitude`, which is not negative, with the sign of `sign`.
  llvm::Value *withSign(llvm::Value *magnitude, llvm::Value *sign);
  llvm::Value *square(llvm::Value *x) { return mul(x, x); }
  llvm::Value *sqrt(llvm::Value *x);

  // ---- Rounding and powers of two
  /// The nearest integer, for |x| below 2^22 (f32) or 2^51 (f64).
  llvm::Value *nearest(llvm::Value *x);
  /// The same as the low bits of an integer, for x that is an integer in that range.
  llvm::Value *integerBits(llvm::Value *x);
  /// floor, ceil, trunc, round (ties away from zero) and roundEven on the whole range.
  llvm::Value *rounded(llvm::Value *x, MathFunction how);
  /// 2^n for an integral n that gives a normal number.
  llvm::Value *powerOfTwo(llvm::Value *n);
  /// x * 2^n with one rounding, for x around 1 and an integral n that may overflow or go below the
  /// normal numbers.
  llvm::Value *scale(llvm::Value *x, llvm::Value *n);

  /// The lanes as the other type.
  llvm::Type *otherType() {
    return type->getWithNewType(isDouble ? b.getFloatTy() : b.getDoubleTy());
  }

private:
  /// 1.5 * 2^mantissaBits: adding it moves the integer part to the lowest bits.
  double shifter() const { return isDouble ? 0x1.8p52 : 0x1.8p23; }
};

// ---- The families, named in MathFunctions.h: `x` are the operands.
using MathOperands = llvm::ArrayRef<llvm::Value *>;
llvm::Value *emitExponential(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitHyperbolic(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitLogarithm(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitTrigonometry(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitInverseTrigonometry(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitErrorFunction(MathBuilder &m, MathFunction function, MathOperands x);
llvm::Value *emitPower(MathBuilder &m, MathFunction function, MathOperands x);

/// e^x * 2^shift, for the families that need it without overflow.
llvm::Value *emitScaledExp(MathBuilder &m, llvm::Value *x, int shift);
/// e^x - 1.
llvm::Value *emitExpm1(MathBuilder &m, llvm::Value *x);

/// Calls the function of the symbol once a lane. `result` is the type of an element. A function
/// that is not `pure` stays where it is.
llvm::Value *emitCallPerLane(llvm::IRBuilderBase &b, llvm::StringRef symbol,
                             llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result,
                             bool pure = true);
/// The same for a function of the C library, by its name for f64.
llvm::Value *emitLibraryCall(MathBuilder &m, llvm::StringRef name,
                             llvm::ArrayRef<llvm::Value *> operands);

/// Calls the internal function `name`, a pure function of the operands, of the module. If it is not
/// there yet, `body` builds it: it gets a builder in an empty function and the parameters.
llvm::Value *
callOutlined(MathBuilder &m, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands,
             llvm::function_ref<llvm::Value *(MathBuilder &, llvm::ArrayRef<llvm::Value *>)> body);

} // namespace tl::backend
