// SPDX-License-Identifier: MIT
//
// One elementwise operation on scalars or vectors of registers. Floats of 8 and 16 bits are
// widened, computed in f32 and rounded once. Integer arithmetic wraps and never traps; see
// Integers.cpp.
#include "arithmetic/Elementwise.h"

#include "arithmetic/Extrema.h"

#include "dialect/Context.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;
namespace arith = mlir::arith;

[[noreturn]] static void unsupported(mlir::Operation *operation, const llvm::Twine &message) {
  throw tt::errorAt(operation, message.str(), TL_UNSUPPORTED);
}

Value *ElementwiseEmitter::convertInteger(Value *value, bool isSigned, FloatFormat to) {
  return emitIntegerToFloat(builder, value, isSigned, to, instructions);
}

Value *ElementwiseEmitter::convertFloat(Value *value, FloatFormat from, FloatFormat to,
                                        Rounding rounding) {
  return emitFloatConversion(builder, value, from, to, rounding, instructions);
}

Value *ElementwiseEmitter::math(MathFunction function, llvm::ArrayRef<Value *> operands) {
  return emitMath(builder, function, operands, instructions);
}

Value *ElementwiseEmitter::multiplyAddNarrow(llvm::ArrayRef<Value *>, FloatFormat) {
  return nullptr;
}

Value *ElementwiseEmitter::divide(Value *a, Value *b) { return builder.CreateFDiv(a, b); }

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

/// Whether a value is known to be no NaN: by its operation alone, so that all uses of it agree.
bool isNumber(mlir::Value value, unsigned depth = 0) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || depth > 8)
    return false;
  auto operandIs = [&](unsigned i) { return isNumber(operation->getOperand(i), depth + 1); };
  mlir::Attribute constant;
  if (mlir::matchPattern(value, mlir::m_Constant(&constant))) {
    if (auto elements = mlir::dyn_cast<mlir::SplatElementsAttr>(constant))
      constant = elements.getSplatValue<mlir::Attribute>();
    auto number = mlir::dyn_cast<mlir::FloatAttr>(constant);
    return number && !number.getValue().isNaN();
  }
  if (mlir::isa<arith::SIToFPOp, arith::UIToFPOp>(operation))
    return true;
  if (mlir::isa<arith::MaxNumFOp, arith::MinNumFOp>(operation))
    return operandIs(0) || operandIs(1);
  if (mlir::isa<arith::SelectOp>(operation))
    return operandIs(1) && operandIs(2);
  if (mlir::isa<arith::NegFOp, mlir::math::AbsFOp>(operation))
    return operandIs(0);
  return operation->hasTrait<tt::MovesElements>() && operation->getNumOperands() == 1 &&
         operandIs(0);
}

// Not a cast: the enumerations differ in where UNO stands.
llvm::CmpInst::Predicate predicate(arith::CmpFPredicate p) {
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
      .Case<arith::SIToFPOp>([&](auto) { return convertInteger(value, true, *toFloat); })
      .Case<arith::UIToFPOp>([&](auto) { return convertInteger(value, false, *toFloat); })
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

/// a * b + c for a product that `type` holds exactly: the sum but for its low bits, which are set
/// so that rounding it to a narrow format rounds once ("round to odd").
static Value *multiplyAddToOdd(llvm::IRBuilderBase &builder, llvm::ArrayRef<Value *> operands,
                               llvm::Type *type) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  Value *c = operands[2], *product = builder.CreateFMul(operands[0], operands[1]);
  Value *sum = builder.CreateFAdd(product, c), *back = builder.CreateFSub(sum, product);
  Value *error = builder.CreateFAdd(builder.CreateFSub(product, builder.CreateFSub(sum, back)),
                                    builder.CreateFSub(c, back)); // NaN where the sum is not finite
  llvm::Type *word = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
  Value *bits = builder.CreateBitCast(sum, word), *zero = llvm::Constant::getNullValue(type);
  Value *grew =
      builder.CreateXor(builder.CreateFCmpOGT(sum, zero), builder.CreateFCmpOGT(error, zero));
  Value *inexact = builder.CreateFCmpONE(error, zero);
  bits = builder.CreateSub(bits, builder.CreateZExt(builder.CreateAnd(inexact, grew), word));
  return builder.CreateBitCast(builder.CreateOr(bits, builder.CreateZExt(inexact, word)), type);
}

Value *ElementwiseEmitter::emitElementwise(mlir::Operation *operation,
                                           llvm::ArrayRef<Value *> operands) {
  using V = llvm::ArrayRef<Value *>;
  if (mlir::isa<mlir::math::FmaOp>(operation)) {
    FloatFormat format = *floatFormat(elementType(operation->getResult(0).getType()));
    if (format != FloatFormat::f32 && format != FloatFormat::f64) {
      if (Value *native = multiplyAddNarrow(operands, format))
        return native;
      // Products of bf16 do not fit the exponents of f32.
      FloatFormat wide = format == FloatFormat::bf16 ? FloatFormat::f64 : FloatFormat::f32;
      llvm::SmallVector<Value *, 3> operandsWide;
      for (Value *operand : operands)
        operandsWide.push_back(convertFloat(operand, format, wide, Rounding::toNearestEven));
      Value *sum = multiplyAddToOdd(builder, operandsWide, operandsWide[0]->getType());
      return convertFloat(sum, wide, format, Rounding::toNearestEven);
    }
  }
  if (auto function = mathFunctionOfOperation(operation->getName().getStringRef()))
    return emitFloat(operation, operands, [&](V v) { return math(*function, v); });
  if (operands.size() == 1)
    if (Value *cast = emitCast(operation, operands[0]))
      return cast;
  auto binary = [&](llvm::Intrinsic::ID id) {
    return builder.CreateBinaryIntrinsic(id, operands[0], operands[1]);
  };
  auto extremum = [&](bool largest, Value *a, Value *b, bool aIsNumber, bool bIsNumber) {
    return emitExtremum(builder, largest, a, b, aIsNumber, bIsNumber);
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
  auto division = [&](auto) { return emitDivision(operation, operands[0], operands[1]); };
  auto shift = [&](auto) { return emitShift(operation, operands[0], operands[1]); };
  Value *result =
      llvm::TypeSwitch<mlir::Operation *, Value *>(operation)
          .Case<arith::AddIOp>([&](auto) { return builder.CreateAdd(operands[0], operands[1]); })
          .Case<arith::SubIOp>([&](auto) { return builder.CreateSub(operands[0], operands[1]); })
          .Case<arith::MulIOp>([&](auto) { return builder.CreateMul(operands[0], operands[1]); })
          .Case<arith::AndIOp>([&](auto) { return builder.CreateAnd(operands[0], operands[1]); })
          .Case<arith::OrIOp>([&](auto) { return builder.CreateOr(operands[0], operands[1]); })
          .Case<arith::XOrIOp>([&](auto) { return builder.CreateXor(operands[0], operands[1]); })
          .Case<arith::DivSIOp>(division)
          .Case<arith::DivUIOp>(division)
          .Case<arith::RemSIOp>(division)
          .Case<arith::RemUIOp>(division)
          .Case<arith::ShLIOp>(shift)
          .Case<arith::ShRSIOp>(shift)
          .Case<arith::ShRUIOp>(shift)
          .Case<arith::MaxSIOp>([&](auto) { return binary(llvm::Intrinsic::smax); })
          .Case<arith::MinSIOp>([&](auto) { return binary(llvm::Intrinsic::smin); })
          .Case<arith::MaxUIOp>([&](auto) { return binary(llvm::Intrinsic::umax); })
          .Case<arith::MinUIOp>([&](auto) { return binary(llvm::Intrinsic::umin); })
          .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) {
            return emitFloat(operation, operands, [&](V v) {
              return extremum(mlir::isa<arith::MaxNumFOp>(operation), v[0], v[1],
                              isNumber(operation->getOperand(0)),
                              isNumber(operation->getOperand(1)));
            });
          })
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
          .Case<arith::DivFOp>([&](auto) {
            return emitFloat(operation, operands, [&](V v) { return divide(v[0], v[1]); });
          })
          .Case<tt::ApproxDivFOp>([&](auto) {
            llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
            llvm::FastMathFlags flags = builder.getFastMathFlags();
            flags.setApproxFunc();
            builder.setFastMathFlags(flags);
            return emitFloat(operation, operands, [&](V v) { return divide(v[0], v[1]); });
          })
          .Case<tt::PreciseDivFOp>([&](auto) {
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
            bool x = isNumber(clamp.getX()), min = isNumber(clamp.getMin());
            return emitFloat(operation, operands, [&](V v) {
              if (!all)
                return extremum(false, extremum(true, v[0], v[1], x, min), v[2], x || min,
                                isNumber(clamp.getMax()));
              Value *low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, v[0], v[1]);
              return builder.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, low, v[2]);
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

} // namespace tl::backend
