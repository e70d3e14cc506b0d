// SPDX-License-Identifier: MIT
//
// One elementwise operation on scalars or vectors of registers. Floats of 8 and 16 bits are
// widened, computed in f32 and rounded once. Integer arithmetic wraps and never traps: a quotient
// by zero is 0 with the dividend as remainder, the least integer by -1 is itself with remainder 0,
// and shifts by the width or more give 0 or the sign.
#include "lowering/Elementwise.h"

#include "dialect/Context.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;
using namespace cpu;
namespace arith = mlir::arith;

[[noreturn]] static void unsupported(mlir::Operation *operation, const llvm::Twine &message) {
  throw tt::errorAt(operation, message.str(), TL_UNSUPPORTED);
}

Value *ElementwiseEmitter::convertFloat(Value *value, FloatFormat from, FloatFormat to,
                                        Rounding rounding) {
  return emitFloatConversion(builder, value, from, to, rounding, features);
}

Value *ElementwiseEmitter::math(MathFunction function, llvm::ArrayRef<Value *> operands) {
  return emitMath(builder, function, operands, features);
}

Value *ElementwiseEmitter::widen(Value *value, FloatFormat from) {
  if (from == FloatFormat::f32 || from == FloatFormat::f64)
    return value;
  return convertFloat(value, from, FloatFormat::f32, Rounding::toNearestEven);
}

Value *ElementwiseEmitter::narrow(Value *value, FloatFormat to) {
  if (to == FloatFormat::f32 || to == FloatFormat::f64)
    return value;
  return convertFloat(value, FloatFormat::f32, to, Rounding::toNearestEven);
}

/// Computes on f32 or f64 whatever the format of the operands, and rounds the result if it is a
/// float.
Value *ElementwiseEmitter::emitFloat(mlir::Operation *operation, llvm::ArrayRef<Value *> operands,
                                     llvm::function_ref<Value *(llvm::ArrayRef<Value *>)> emit) {
  auto from = floatFormat(elementType(operation->getOperand(0).getType()));
  llvm::SmallVector<Value *, 4> wide;
  for (Value *operand : operands)
    wide.push_back(widen(operand, *from));
  Value *result = emit(wide);
  auto to = floatFormat(elementType(operation->getResult(0).getType()));
  return to ? narrow(result, *to) : result;
}

namespace {

std::optional<MathFunction> mathFunction(mlir::Operation *operation) {
  using Result = std::optional<MathFunction>;
  return llvm::TypeSwitch<mlir::Operation *, Result>(operation)
      .Case([](mlir::math::ExpOp) { return MathFunction::exp; })
      .Case([](mlir::math::Exp2Op) { return MathFunction::exp2; })
      .Case([](mlir::math::ExpM1Op) { return MathFunction::expm1; })
      .Case([](mlir::math::LogOp) { return MathFunction::log; })
      .Case([](mlir::math::Log2Op) { return MathFunction::log2; })
      .Case([](mlir::math::Log10Op) { return MathFunction::log10; })
      .Case([](mlir::math::Log1pOp) { return MathFunction::log1p; })
      .Case([](mlir::math::SinOp) { return MathFunction::sin; })
      .Case([](mlir::math::CosOp) { return MathFunction::cos; })
      .Case([](mlir::math::TanOp) { return MathFunction::tan; })
      .Case([](mlir::math::AsinOp) { return MathFunction::asin; })
      .Case([](mlir::math::AcosOp) { return MathFunction::acos; })
      .Case([](mlir::math::AtanOp) { return MathFunction::atan; })
      .Case([](mlir::math::SinhOp) { return MathFunction::sinh; })
      .Case([](mlir::math::CoshOp) { return MathFunction::cosh; })
      .Case([](mlir::math::TanhOp) { return MathFunction::tanh; })
      .Case([](mlir::math::AsinhOp) { return MathFunction::asinh; })
      .Case([](mlir::math::AcoshOp) { return MathFunction::acosh; })
      .Case([](mlir::math::AtanhOp) { return MathFunction::atanh; })
      .Case([](mlir::math::SqrtOp) { return MathFunction::sqrt; })
      .Case([](tt::PreciseSqrtOp) { return MathFunction::sqrt; })
      .Case([](mlir::math::RsqrtOp) { return MathFunction::rsqrt; })
      .Case([](mlir::math::CbrtOp) { return MathFunction::cbrt; })
      .Case([](mlir::math::ErfOp) { return MathFunction::erf; })
      .Case([](mlir::math::ErfcOp) { return MathFunction::erfc; })
      .Case([](mlir::math::FloorOp) { return MathFunction::floor; })
      .Case([](mlir::math::CeilOp) { return MathFunction::ceil; })
      .Case([](mlir::math::TruncOp) { return MathFunction::trunc; })
      .Case([](mlir::math::RoundOp) { return MathFunction::round; })
      .Case([](mlir::math::RoundEvenOp) { return MathFunction::roundEven; })
      .Case([](mlir::math::PowFOp) { return MathFunction::pow; })
      .Case([](mlir::math::Atan2Op) { return MathFunction::atan2; })
      .Case([](mlir::math::CopySignOp) { return MathFunction::copySign; })
      .Case([](mlir::math::FmaOp) { return MathFunction::fma; })
      .Default([](mlir::Operation *) -> Result { return std::nullopt; });
}

llvm::CmpInst::Predicate predicate(arith::CmpIPredicate p) {
  switch (p) {
  case arith::CmpIPredicate::eq:
    return llvm::CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return llvm::CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return llvm::CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return llvm::CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return llvm::CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return llvm::CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return llvm::CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return llvm::CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return llvm::CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return llvm::CmpInst::ICMP_UGE;
  }
  llvm_unreachable("integer predicate");
}

// Both enumerations list the predicates in LLVM's order: false, ordered, unordered, true.
llvm::CmpInst::Predicate predicate(arith::CmpFPredicate p) {
  static_assert(unsigned(arith::CmpFPredicate::OEQ) == llvm::CmpInst::FCMP_OEQ);
  static_assert(unsigned(arith::CmpFPredicate::ORD) == llvm::CmpInst::FCMP_ORD);
  switch (p) {
  case arith::CmpFPredicate::AlwaysFalse:
    return llvm::CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return llvm::CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return llvm::CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return llvm::CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return llvm::CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return llvm::CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return llvm::CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return llvm::CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return llvm::CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return llvm::CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return llvm::CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return llvm::CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return llvm::CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return llvm::CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return llvm::CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return llvm::CmpInst::FCMP_TRUE;
  }
  llvm_unreachable("float predicate");
}

} // namespace

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
    Value *bad = byZero;
    if (isSigned) {
      Value *least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width));
      bad = builder.CreateOr(
          byZero,
          builder.CreateAnd(builder.CreateICmpEQ(a, least),
                            builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type))));
    }
    Value *divisor = builder.CreateSelect(bad, one, b);
    if (remainder) {
      Value *rest = isSigned ? builder.CreateSRem(a, divisor) : builder.CreateURem(a, divisor);
      return builder.CreateSelect(byZero, a, rest);
    }
    quotient = isSigned ? builder.CreateSDiv(a, divisor) : builder.CreateUDiv(a, divisor);
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
  Value *amount =
      builder.CreateSelect(inside, b, llvm::ConstantInt::get(type, arithmetic ? width - 1 : 0));
  Value *shifted = shift(amount);
  return arithmetic ? shifted
                    : builder.CreateSelect(inside, shifted, llvm::Constant::getNullValue(type));
}

Value *ElementwiseEmitter::emitCast(mlir::Operation *operation, Value *value) {
  mlir::Type from = elementType(operation->getOperand(0).getType());
  mlir::Type to = elementType(operation->getResult(0).getType());
  unsigned lanes = 1;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    lanes = vector->getNumElements();
  llvm::Type *type = withLanes(registerType(context, to), lanes);
  auto fromFloat = floatFormat(from), toFloat = floatFormat(to);
  return llvm::TypeSwitch<mlir::Operation *, Value *>(operation)
      .Case<arith::ExtSIOp>([&](auto) { return builder.CreateSExt(value, type); })
      .Case<arith::ExtUIOp>([&](auto) { return builder.CreateZExt(value, type); })
      .Case<arith::TruncIOp>([&](auto) { return builder.CreateTrunc(value, type); })
      .Case<arith::IndexCastOp>([&](auto) { return builder.CreateSExtOrTrunc(value, type); })
      .Case<arith::IndexCastUIOp>([&](auto) { return builder.CreateZExtOrTrunc(value, type); })
      .Case<arith::ExtFOp>(
          [&](auto) { return convertFloat(value, *fromFloat, *toFloat, Rounding::toNearestEven); })
      .Case<arith::TruncFOp>([&](arith::TruncFOp trunc) {
        bool zero = trunc.getRoundingmode() == arith::RoundingMode::toward_zero;
        return convertFloat(value, *fromFloat, *toFloat,
                            zero ? Rounding::towardZero : Rounding::toNearestEven);
      })
      .Case<tt::FpToFpOp>([&](tt::FpToFpOp convert) {
        bool zero = convert.getRounding() == tt::RoundingMode::RTZ;
        return convertFloat(value, *fromFloat, *toFloat,
                            zero ? Rounding::towardZero : Rounding::toNearestEven);
      })
      .Case<arith::SIToFPOp>(
          [&](auto) { return emitIntegerToFloat(builder, value, true, *toFloat, features); })
      .Case<arith::UIToFPOp>(
          [&](auto) { return emitIntegerToFloat(builder, value, false, *toFloat, features); })
      .Case<arith::FPToSIOp>([&](auto) {
        return emitFloatToInteger(builder, widen(value, *fromFloat), to.getIntOrFloatBitWidth(),
                                  true);
      })
      .Case<arith::FPToUIOp>([&](auto) {
        return emitFloatToInteger(builder, widen(value, *fromFloat), to.getIntOrFloatBitWidth(),
                                  false);
      })
      .Case<arith::BitcastOp, tt::BitcastOp>([&](auto) {
        return value->getType() == type ? value : builder.CreateBitCast(value, type);
      })
      .Case<tt::IntToPtrOp>([&](auto) { return builder.CreateIntToPtr(value, type); })
      .Case<tt::PtrToIntOp>([&](auto) { return builder.CreatePtrToInt(value, type); })
      .Default([](mlir::Operation *) -> Value * { return nullptr; });
}

Value *ElementwiseEmitter::emitElementwise(mlir::Operation *operation,
                                           llvm::ArrayRef<Value *> operands) {
  using V = llvm::ArrayRef<Value *>;
  if (auto function = mathFunction(operation))
    return emitFloat(operation, operands, [&](V v) { return math(*function, v); });
  if (operands.size() == 1)
    if (Value *cast = emitCast(operation, operands[0]))
      return cast;
  auto binary = [&](llvm::Intrinsic::ID id) {
    return builder.CreateBinaryIntrinsic(id, operands[0], operands[1]);
  };
  auto floatBinary = [&](llvm::Intrinsic::ID id) {
    return emitFloat(operation, operands,
                     [&](V v) { return builder.CreateBinaryIntrinsic(id, v[0], v[1]); });
  };
  // Sign operations are bit operations, exact for NaN too.
  auto signMask = [&](bool keepMagnitude) -> Value * {
    llvm::Type *type = operands[0]->getType();
    unsigned width = type->getScalarSizeInBits();
    llvm::APInt sign = llvm::APInt::getSignMask(width);
    return llvm::ConstantInt::get(type->getWithNewType(builder.getIntNTy(width)),
                                  keepMagnitude ? ~sign : sign);
  };
  auto isFnuz = [&] {
    auto format = floatFormat(elementType(operation->getOperand(0).getType()));
    return format == FloatFormat::f8E4M3FNUZ || format == FloatFormat::f8E5M2FNUZ;
  };
  Value *result =
      llvm::TypeSwitch<mlir::Operation *, Value *>(operation)
          .Case<arith::AddIOp>([&](auto) { return builder.CreateAdd(operands[0], operands[1]); })
          .Case<arith::SubIOp>([&](auto) { return builder.CreateSub(operands[0], operands[1]); })
          .Case<arith::MulIOp>([&](auto) { return builder.CreateMul(operands[0], operands[1]); })
          .Case<arith::AndIOp>([&](auto) { return builder.CreateAnd(operands[0], operands[1]); })
          .Case<arith::OrIOp>([&](auto) { return builder.CreateOr(operands[0], operands[1]); })
          .Case<arith::XOrIOp>([&](auto) { return builder.CreateXor(operands[0], operands[1]); })
          .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              [&](auto) { return emitDivision(operation, operands[0], operands[1]); })
          .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
              [&](auto) { return emitShift(operation, operands[0], operands[1]); })
          .Case<arith::MaxSIOp>([&](auto) { return binary(llvm::Intrinsic::smax); })
          .Case<arith::MinSIOp>([&](auto) { return binary(llvm::Intrinsic::smin); })
          .Case<arith::MaxUIOp>([&](auto) { return binary(llvm::Intrinsic::umax); })
          .Case<arith::MinUIOp>([&](auto) { return binary(llvm::Intrinsic::umin); })
          .Case<arith::MaxNumFOp>([&](auto) { return floatBinary(llvm::Intrinsic::maxnum); })
          .Case<arith::MinNumFOp>([&](auto) { return floatBinary(llvm::Intrinsic::minnum); })
          .Case<arith::MaximumFOp>([&](auto) { return floatBinary(llvm::Intrinsic::maximum); })
          .Case<arith::MinimumFOp>([&](auto) { return floatBinary(llvm::Intrinsic::minimum); })
          .Case<arith::AddFOp>([&](auto) {
            return emitFloat(operation, operands,
                             [&](V v) { return builder.CreateFAdd(v[0], v[1]); });
          })
          .Case<arith::SubFOp>([&](auto) {
            return emitFloat(operation, operands,
                             [&](V v) { return builder.CreateFSub(v[0], v[1]); });
          })
          .Case<arith::MulFOp>([&](auto) {
            return emitFloat(operation, operands,
                             [&](V v) { return builder.CreateFMul(v[0], v[1]); });
          })
          .Case<arith::DivFOp, tt::PreciseDivFOp, tt::ApproxDivFOp>([&](auto) {
            return emitFloat(operation, operands,
                             [&](V v) { return builder.CreateFDiv(v[0], v[1]); });
          })
          .Case<arith::RemFOp>([&](auto) {
            return emitFloat(operation, operands, [&](V v) { return math(MathFunction::fmod, v); });
          })
          .Case<arith::NegFOp>([&](auto) -> Value * {
            if (isFnuz())
              return emitFloat(operation, operands, [&](V v) { return builder.CreateFNeg(v[0]); });
            if (operands[0]->getType()->isFPOrFPVectorTy())
              return builder.CreateFNeg(operands[0]);
            return builder.CreateXor(operands[0], signMask(false));
          })
          .Case<mlir::math::AbsFOp>([&](auto) -> Value * {
            if (isFnuz())
              return emitFloat(operation, operands, [&](V v) {
                return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
              });
            if (operands[0]->getType()->isFPOrFPVectorTy())
              return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, operands[0]);
            return builder.CreateAnd(operands[0], signMask(true));
          })
          .Case<mlir::math::AbsIOp>([&](auto) {
            return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, operands[0],
                                                 builder.getFalse());
          })
          .Case<mlir::math::CtPopOp>([&](auto) {
            return builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, operands[0]);
          })
          .Case<mlir::math::CountLeadingZerosOp>([&](auto) {
            return builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, operands[0],
                                                 builder.getFalse());
          })
          .Case<mlir::math::CountTrailingZerosOp>([&](auto) {
            return builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, operands[0],
                                                 builder.getFalse());
          })
          .Case<tt::ClampFOp>([&](tt::ClampFOp clamp) {
            bool all = clamp.getPropagateNan() == tt::PropagateNan::ALL;
            return emitFloat(operation, operands, [&](V v) {
              Value *low = builder.CreateBinaryIntrinsic(
                  all ? llvm::Intrinsic::maximum : llvm::Intrinsic::maxnum, v[0], v[1]);
              return builder.CreateBinaryIntrinsic(
                  all ? llvm::Intrinsic::minimum : llvm::Intrinsic::minnum, low, v[2]);
            });
          })
          .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
            return builder.CreateICmp(predicate(compare.getPredicate()), operands[0], operands[1]);
          })
          .Case<arith::CmpFOp>([&](arith::CmpFOp compare) {
            return emitFloat(operation, operands, [&](V v) {
              return builder.CreateFCmp(predicate(compare.getPredicate()), v[0], v[1]);
            });
          })
          .Case<arith::SelectOp>(
              [&](auto) { return builder.CreateSelect(operands[0], operands[1], operands[2]); })
          .Case<tt::MulhiUIOp>([&](auto) {
            llvm::Type *type = operands[0]->getType();
            unsigned width = type->getScalarSizeInBits();
            llvm::Type *wide = type->getWithNewBitWidth(2 * width);
            Value *product = builder.CreateMul(builder.CreateZExt(operands[0], wide),
                                               builder.CreateZExt(operands[1], wide));
            return builder.CreateTrunc(
                builder.CreateLShr(product, llvm::ConstantInt::get(wide, width)), type);
          })
          .Case<tt::AddPtrOp>([&](tt::AddPtrOp add) -> Value * {
            mlir::Type pointee =
                mlir::cast<tt::PointerType>(elementType(add.getPtr().getType())).getPointeeType();
            Value *offset = operands[1];
            if (offset->getType()->getScalarSizeInBits() < 64)
              offset = builder.CreateSExt(offset,
                                          offset->getType()->getWithNewType(builder.getInt64Ty()));
            return builder.CreateGEP(memoryType(context, pointee), operands[0], offset);
          })
          .Case<tt::ExternElementwiseOp>(
              [&](tt::ExternElementwiseOp external) { return emitExtern(external, operands); })
          .Default([](mlir::Operation *) -> Value * { return nullptr; });
  if (!result) {
    if (mlir::isa<tt::ElementwiseInlineAsmOp>(operation))
      unsupported(operation, "the " + targetName +
                                 " target does not run inline assembly of another processor");
    unsupported(operation, "the " + targetName + " target has no lowering for '" +
                               operation->getName().getStringRef() + "'");
  }
  return result;
}

Value *ElementwiseEmitter::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                             llvm::ArrayRef<Value *>) {
  unsupported(operation, "the " + targetName + " target does not know the external function '" +
                             operation.getSymbol() + "'");
}

Value *ElementwiseEmitter::emitExtern(tt::ExternElementwiseOp operation,
                                      llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  if (auto function = mathFunctionOfSymbol(std::string_view(symbol.data(), symbol.size())))
    if (operandCount(*function) == operands.size())
      return emitFloat(operation, operands, [&](auto v) { return math(*function, v); });
  mlir::Type resultElement = elementType(operation.getType());
  llvm::Type *type = operands.empty() ? nullptr : operands[0]->getType();
  auto fit = [&](Value *value) {
    return builder.CreateZExtOrTrunc(
        value, value->getType()->getWithNewType(registerType(context, resultElement)));
  };
  enum class Integer { none, clz, popc, brev, ffs, abs, min, max, umin, umax, mulhi, umulhi };
  auto which = llvm::StringSwitch<Integer>(symbol)
                   .Cases({"__nv_clz", "__nv_clzll"}, Integer::clz)
                   .Cases({"__nv_popc", "__nv_popcll"}, Integer::popc)
                   .Cases({"__nv_brev", "__nv_brevll"}, Integer::brev)
                   .Cases({"__nv_ffs", "__nv_ffsll"}, Integer::ffs)
                   .Cases({"__nv_abs", "__nv_llabs"}, Integer::abs)
                   .Cases({"__nv_min", "__nv_llmin"}, Integer::min)
                   .Cases({"__nv_max", "__nv_llmax"}, Integer::max)
                   .Cases({"__nv_umin", "__nv_ullmin"}, Integer::umin)
                   .Cases({"__nv_umax", "__nv_ullmax"}, Integer::umax)
                   .Cases({"__nv_mulhi", "__nv_mul64hi"}, Integer::mulhi)
                   .Cases({"__nv_umulhi", "__nv_umul64hi"}, Integer::umulhi)
                   .Default(Integer::none);
  bool integers = type && type->isIntOrIntVectorTy();
  size_t wanted = which >= Integer::min ? 2 : 1;
  if (which == Integer::none || !integers || operands.size() != wanted)
    return emitUnknownExtern(operation, operands);
  Value *x = operands[0];
  switch (which) {
  case Integer::clz:
    return fit(builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, builder.getFalse()));
  case Integer::popc:
    return fit(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x));
  case Integer::brev:
    return fit(builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, x));
  case Integer::ffs: {
    Value *zeros = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x, builder.getFalse());
    Value *position = builder.CreateAdd(zeros, llvm::ConstantInt::get(type, 1));
    Value *none = llvm::Constant::getNullValue(type);
    return fit(builder.CreateSelect(builder.CreateICmpEQ(x, none), none, position));
  }
  case Integer::abs:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, builder.getFalse());
  case Integer::min:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, operands[1]);
  case Integer::max:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, operands[1]);
  case Integer::umin:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, operands[1]);
  case Integer::umax:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, operands[1]);
  default: {
    unsigned width = type->getScalarSizeInBits();
    llvm::Type *wide = type->getWithNewBitWidth(2 * width);
    auto extend = [&](Value *value) {
      return which == Integer::mulhi ? builder.CreateSExt(value, wide)
                                     : builder.CreateZExt(value, wide);
    };
    Value *product = builder.CreateMul(extend(x), extend(operands[1]));
    return builder.CreateTrunc(builder.CreateLShr(product, llvm::ConstantInt::get(wide, width)),
                               type);
  }
  }
}

} // namespace tl::backend
