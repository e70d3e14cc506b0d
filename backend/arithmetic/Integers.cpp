// SPDX-License-Identifier: MIT
//
// Integer division and shifts, which never trap: a quotient by zero is 0 with the dividend as
// remainder, the least integer by -1 is itself with remainder 0, and shifts by the width or more
// give 0 or the sign.
#include "arithmetic/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;
namespace arith = mlir::arith;

Value *ElementwiseEmitter::emitDivision(mlir::Operation *operation, Value *a, Value *b) {
  bool isSigned = mlir::isa<arith::DivSIOp, arith::RemSIOp>(operation);
  bool remainder = mlir::isa<arith::RemSIOp, arith::RemUIOp>(operation);
  llvm::Type *type = a->getType();
  unsigned width = type->getScalarSizeInBits();
  llvm::Constant *zero = llvm::Constant::getNullValue(type);
  llvm::Constant *one = llvm::ConstantInt::get(type, 1);
  // Division by a constant is LLVM's business, unless the constant is one of the two odd cases.
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(b)) {
    llvm::Constant *scalar = type->isVectorTy() ? constant->getSplatValue() : constant;
    if (scalar && !scalar->isNullValue() && !scalar->isAllOnesValue())
      return remainder ? (isSigned ? builder.CreateSRem(a, b) : builder.CreateURem(a, b))
                       : (isSigned ? builder.CreateSDiv(a, b) : builder.CreateUDiv(a, b));
  }
  Value *byZero = builder.CreateICmpEQ(b, zero);
  Value *quotient;
  if (type->isVectorTy() && width <= 32) {
    // Exact in f64: the quotient of 32-bit numbers is nearer to itself than to the next integer.
    llvm::Type *wide =
        withLanes(builder.getDoubleTy(), llvm::cast<llvm::FixedVectorType>(type)->getNumElements());
    llvm::Type *integers =
        withLanes(builder.getInt64Ty(), llvm::cast<llvm::FixedVectorType>(type)->getNumElements());
    Value *divisor = builder.CreateSelect(byZero, one, b);
    auto toFloat = [&](Value *value) {
      return isSigned ? builder.CreateSIToFP(value, wide) : builder.CreateUIToFP(value, wide);
    };
    Value *ratio = builder.CreateFDiv(toFloat(a), toFloat(divisor));
    quotient = builder.CreateTrunc(builder.CreateFPToSI(ratio, integers), type);
  } else {
    Value *divisor = builder.CreateSelect(byZero, one, b);
    // Signed numbers by their magnitudes: that of the least integer is a number without sign, so
    // its quotient by -1 needs no care, and 64-bit numbers that are small can be divided as such.
    auto divide = [&](Value *x, Value *y) {
      return remainder ? builder.CreateURem(x, y) : builder.CreateUDiv(x, y);
    };
    Value *result;
    if (isSigned) {
      auto magnitude = [&](Value *value) {
        return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, builder.getFalse());
      };
      Value *sign = builder.CreateAShr(remainder ? a : builder.CreateXor(a, b), width - 1);
      result = divide(magnitude(a), magnitude(divisor));
      result = builder.CreateSub(builder.CreateXor(result, sign), sign);
    } else {
      result = divide(a, divisor);
    }
    return builder.CreateSelect(byZero, remainder ? a : zero, result);
  }
  if (remainder)
    return builder.CreateSelect(byZero, a, builder.CreateSub(a, builder.CreateMul(quotient, b)));
  return builder.CreateSelect(byZero, zero, quotient);
}

Value *ElementwiseEmitter::emitShift(mlir::Operation *operation, Value *a, Value *b) {
  llvm::Type *type = a->getType();
  unsigned width = type->getScalarSizeInBits();
  bool arithmetic = mlir::isa<arith::ShRSIOp>(operation);
  auto shift = [&](Value *amount) {
    return arithmetic                            ? builder.CreateAShr(a, amount)
           : mlir::isa<arith::ShLIOp>(operation) ? builder.CreateShl(a, amount)
                                                 : builder.CreateLShr(a, amount);
  };
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(b))
    if (auto *scalar = llvm::dyn_cast_or_null<llvm::ConstantInt>(
            type->isVectorTy() ? constant->getSplatValue() : constant))
      if (scalar->getValue().ult(width))
        return shift(b);
  Value *inside = builder.CreateICmpULT(b, llvm::ConstantInt::get(type, width));
  if (arithmetic)
    return shift(builder.CreateSelect(inside, b, llvm::ConstantInt::get(type, width - 1)));
  // Masked, not selected: LLVM 22 takes a selected amount for one that PTX clamps by itself, and
  // cuts its high bits off.
  Value *shifted = shift(builder.CreateAnd(b, llvm::ConstantInt::get(type, width - 1)));
  return builder.CreateSelect(inside, shifted, llvm::Constant::getNullValue(type));
}

Value *ElementwiseEmitter::emitTripCount(Value *lower, Value *upper, Value *step, bool isUnsigned) {
  llvm::Type *type = step->getType();
  llvm::Constant *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  auto countSteps = [&](Value *from, Value *to, Value *by) {
    Value *enters = isUnsigned ? builder.CreateICmpULT(from, to) : builder.CreateICmpSLT(from, to);
    Value *span = builder.CreateSub(builder.CreateSub(to, from), one);
    Value *count = builder.CreateAdd(builder.CreateUDiv(span, by), one);
    return builder.CreateSelect(enters, count, zero);
  };
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(step);
  if (known && !known->isZero() && (isUnsigned || !known->isNegative()))
    return countSteps(lower, upper, step);
  Value *isZero = builder.CreateICmpEQ(step, zero);
  Value *down =
      isUnsigned ? static_cast<Value *>(builder.getFalse()) : builder.CreateICmpSLT(step, zero);
  Value *size = builder.CreateSelect(down, builder.CreateNeg(step), step);
  size = builder.CreateSelect(isZero, one, size);
  Value *count =
      builder.CreateSelect(down, countSteps(upper, lower, size), countSteps(lower, upper, size));
  return builder.CreateSelect(isZero, zero, count);
}

} // namespace tl::backend
