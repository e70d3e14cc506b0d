// SPDX-License-Identifier: MIT
#include "lowering/Trigonometry.h"
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/MathFunctions.h"
#include "targets/nvidia/NvidiaGpu.h"
#include "targets/nvidia/SmallIntegers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Value *Arithmetic::convert(GpuBuilder &b, Value *value, FloatFormat from, FloatFormat to,
                           Rounding rounding) const {
  llvm::Type *half = b.getHalfTy(), *bf16 = b.getBFloatTy(), *single = b.getFloatTy();
  bool nearest = rounding == Rounding::toNearestEven;
  if (from == to)
    return value;
  auto bits16 = [&](Value *narrow) { return b.CreateBitCast(narrow, b.getInt16Ty()); };
  if (from == FloatFormat::f16 && (to == FloatFormat::f32 || to == FloatFormat::f64))
    return b.CreateFPExt(b.CreateBitCast(value, half),
                         to == FloatFormat::f32 ? single : b.getDoubleTy());
  // As LLVM's own conversion, an operation between it and the rounding becomes one on bf16.
  if (from == FloatFormat::bf16 && to == FloatFormat::f32 && architecture.number >= 90)
    return b.CreateFPExt(b.CreateBitCast(value, bf16), single);
  if (from == FloatFormat::bf16 && to == FloatFormat::f32)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16), single);
  if ((from == FloatFormat::f32 || from == FloatFormat::f64) && to == FloatFormat::f16 && nearest)
    return bits16(b.CreateFPTrunc(value, half));
  if (from == FloatFormat::f32 && to == FloatFormat::bf16 && nearest)
    return bits16(b.CreateFPTrunc(value, bf16));
  if (from == FloatFormat::f32 && to == FloatFormat::f64)
    return b.CreateFPExt(value, b.getDoubleTy());
  if (from == FloatFormat::f64 && to == FloatFormat::f32 && nearest)
    return b.CreateFPTrunc(value, single);
  Value *nothing = llvm::Constant::getNullValue(value->getType());
  if (auto pair = convertPair(b, value, nothing, from, to, rounding))
    return pair->first;
  return nullptr;
}

/// There are instructions to f16 from all integers. bf16 has all integers of 8 bits, and f32, which
/// is rounded from, those of 24.
Value *Arithmetic::convertInteger(GpuBuilder &b, Value *value, bool isSigned,
                                  FloatFormat to) const {
  auto convertTo = [&](llvm::Type *type) {
    return isSigned ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  };
  unsigned bits = value->getType()->getIntegerBitWidth();
  if (to == FloatFormat::f16 && bits > 1)
    return b.CreateBitCast(convertTo(b.getHalfTy()), b.getInt16Ty());
  if (to == FloatFormat::bf16 && bits > 1 && bits <= 24)
    return convert(b, convertTo(b.getFloatTy()), FloatFormat::f32, to, Rounding::toNearestEven);
  return nullptr;
}

/// bf16 is rounded to in pairs by one instruction of full speed, alone by a slow one. fp8 formats
/// have instructions from sm_89 on. They saturate, as our rule says.
std::optional<std::pair<Value *, Value *>> Arithmetic::convertPair(GpuBuilder &b, Value *first,
                                                                   Value *second, FloatFormat from,
                                                                   FloatFormat to,
                                                                   Rounding rounding) const {
  auto isFp8 = [](FloatFormat format) {
    return format == FloatFormat::f8E4M3FN || format == FloatFormat::f8E5M2;
  };
  if (from == FloatFormat::f32 && to == FloatFormat::bf16 && rounding == Rounding::toNearestEven) {
    Value *both = b.CreateIntrinsic(Intrinsic::nvvm_ff2bf16x2_rn, {second, first});
    auto part = [&](uint64_t at) {
      return b.CreateBitCast(b.CreateExtractElement(both, at), b.getInt16Ty());
    };
    return std::pair<Value *, Value *>(part(0), part(1));
  }
  if (architecture.number < 89 || from == to)
    return std::nullopt;
  llvm::Type *byte = b.getInt8Ty(), *word = b.getInt16Ty();
  auto *pairOf = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  if (isFp8(to) && rounding == Rounding::toNearestEven) {
    bool e4m3 = to == FloatFormat::f8E4M3FN;
    Value *both = nullptr;
    if (from == FloatFormat::f16 || isFp8(from)) {
      if (isFp8(from)) { // exact in f16
        auto halves = convertPair(b, first, second, from, FloatFormat::f16, rounding);
        first = halves->first;
        second = halves->second;
      }
      Value *halves = llvm::PoisonValue::get(pairOf);
      halves = b.CreateInsertElement(halves, b.CreateBitCast(first, b.getHalfTy()), uint64_t(0));
      halves = b.CreateInsertElement(halves, b.CreateBitCast(second, b.getHalfTy()), uint64_t(1));
      both = b.CreateIntrinsic(
          e4m3 ? Intrinsic::nvvm_f16x2_to_e4m3x2_rn : Intrinsic::nvvm_f16x2_to_e5m2x2_rn, {halves});
    } else if (from == FloatFormat::f32 || from == FloatFormat::bf16) {
      if (from == FloatFormat::bf16) {
        first = convert(b, first, from, FloatFormat::f32, rounding);
        second = convert(b, second, from, FloatFormat::f32, rounding);
      }
      both = b.CreateIntrinsic(e4m3 ? Intrinsic::nvvm_ff_to_e4m3x2_rn
                                    : Intrinsic::nvvm_ff_to_e5m2x2_rn,
                               {second, first});
    } else {
      return std::nullopt; // two roundings would differ from one
    }
    // Widened by an instruction that LLVM does not see through: where the pair, as it comes from
    // the conversion, is put into a word beside another one and its bytes are picked from there,
    // ptxas of CUDA 13.0 crashes.
    both = emitPtx(b, b.getInt32Ty(), "cvt.u32.u16 $0, $1;", "=r,h", {both}, false);
    return std::pair(b.CreateTrunc(both, byte), b.CreateTrunc(b.CreateLShr(both, 8), byte));
  }
  if (isFp8(from) && !isFp8(to)) {
    Value *both = b.CreateOr(b.CreateZExt(first, word), b.CreateShl(b.CreateZExt(second, word), 8));
    Value *halves =
        b.CreateIntrinsic(from == FloatFormat::f8E4M3FN ? Intrinsic::nvvm_e4m3x2_to_f16x2_rn
                                                        : Intrinsic::nvvm_e5m2x2_to_f16x2_rn,
                          {both});
    // Every further step is exact: the wider formats have all values of the narrow ones.
    auto widen = [&](uint64_t at) -> Value * {
      Value *half = b.CreateBitCast(b.CreateExtractElement(halves, at), word);
      if (to == FloatFormat::f16)
        return half;
      Value *single = convert(b, half, FloatFormat::f16, FloatFormat::f32, rounding);
      return to == FloatFormat::f32
                 ? single
                 : convert(b, single, FloatFormat::f32, to, Rounding::toNearestEven);
    };
    if (to == FloatFormat::f32 || to == FloatFormat::f64 || to == FloatFormat::bf16 ||
        to == FloatFormat::f16)
      return std::pair(widen(0), widen(1));
  }
  return std::nullopt;
}

std::optional<std::pair<Value *, Value *>> Arithmetic::convertIntegers(GpuBuilder &b, Value *first,
                                                                       Value *second, bool isSigned,
                                                                       FloatFormat to) const {
  return convertSmallIntegers(b, first, second, isSigned, to);
}

Value *Arithmetic::math(GpuBuilder &b, MathFunction function, llvm::ArrayRef<Value *> x) const {
  llvm::Type *type = x[0]->getType();
  if (function == MathFunction::fma && (type->isHalfTy() || type->isBFloatTy()))
    return b.CreateIntrinsic(Intrinsic::fma, {type}, x);
  if (!type->isFloatTy())
    return nullptr;
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  MathBuilder m(b, type, gpuFeatures);
  switch (function) {
  case MathFunction::sqrt:
    return emitSqrt(m, x[0]);
  case MathFunction::rsqrt:
    return emitRsqrt(m, x[0]);
  case MathFunction::exp:
    return emitExp(m, x[0]);
  case MathFunction::exp2:
    return emitExp2(m, x[0]);
  case MathFunction::log:
    return emitLog(m, x[0]);
  case MathFunction::log2:
    return emitLog2(m, x[0]);
  case MathFunction::log1p:
    return emitLog1p(m, x[0]);
  case MathFunction::sin:
  case MathFunction::cos:
    return emitSinCos(m, x[0], function == MathFunction::cos);
  case MathFunction::tan:
    return emitTan(m, x[0], [&](Value *y) { return emitReciprocal(m, y); });
  case MathFunction::tanh:
    return emitTanh(m, x[0]);
  case MathFunction::erf:
    return emitErf(m, x[0]);
  case MathFunction::atan:
    return emitAtan(m, x[0]);
  case MathFunction::pow:
    return emitPow(m, x[0], x[1]);
  default:
    return nullptr;
  }
}

Value *Arithmetic::divide(GpuBuilder &b, Value *x, Value *y) const {
  if (!x->getType()->isFloatTy())
    return nullptr;
  auto *numerator = llvm::dyn_cast<llvm::ConstantFP>(x);
  if (numerator && numerator->isExactlyValue(1.0) && isOnePlusExponential(y)) {
    MathBuilder m(b, y->getType(), gpuFeatures);
    return emitReciprocalOfSum(m, y);
  }
  bool approximate = b.getFastMathFlags().approxFunc();
  return b.CreateIntrinsic(approximate ? Intrinsic::nvvm_div_approx_f : Intrinsic::nvvm_div_full,
                           {}, {x, y});
}

} // namespace tl::backend::nvidia
