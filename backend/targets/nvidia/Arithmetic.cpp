// SPDX-License-Identifier: MIT
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Value *Arithmetic::convert(GpuBuilder &b, Value *value, FloatFormat from, FloatFormat to,
                           Rounding rounding) const {
  llvm::Type *half = b.getHalfTy(), *brain = b.getBFloatTy(), *single = b.getFloatTy();
  bool nearest = rounding == Rounding::toNearestEven;
  if (from == to)
    return value;
  auto bits16 = [&](Value *narrow) { return b.CreateBitCast(narrow, b.getInt16Ty()); };
  if (from == FloatFormat::f16 && (to == FloatFormat::f32 || to == FloatFormat::f64))
    return b.CreateFPExt(b.CreateBitCast(value, half),
                         to == FloatFormat::f32 ? single : b.getDoubleTy());
  if (from == FloatFormat::bf16 && to == FloatFormat::f32)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16), single);
  if ((from == FloatFormat::f32 || from == FloatFormat::f64) && to == FloatFormat::f16 && nearest)
    return bits16(b.CreateFPTrunc(value, half));
  if (from == FloatFormat::f32 && to == FloatFormat::bf16 && nearest)
    return bits16(b.CreateFPTrunc(value, brain));
  if (from == FloatFormat::f32 && to == FloatFormat::f64)
    return b.CreateFPExt(value, b.getDoubleTy());
  if (from == FloatFormat::f64 && to == FloatFormat::f32 && nearest)
    return b.CreateFPTrunc(value, single);
  Value *nothing = llvm::Constant::getNullValue(value->getType());
  if (auto pair = convertPair(b, value, nothing, from, to, rounding))
    return pair->first;
  return nullptr;
}

/// fp8 formats have instructions from sm_89 on. They saturate, as our rule says.
std::optional<std::pair<Value *, Value *>> Arithmetic::convertPair(GpuBuilder &b, Value *first,
                                                                   Value *second, FloatFormat from,
                                                                   FloatFormat to,
                                                                   Rounding rounding) const {
  auto isEight = [](FloatFormat format) {
    return format == FloatFormat::f8E4M3FN || format == FloatFormat::f8E5M2;
  };
  if (architecture.number < 89 || from == to)
    return std::nullopt;
  llvm::Type *byte = b.getInt8Ty(), *word = b.getInt16Ty();
  auto *pairOf = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  if (isEight(to) && rounding == Rounding::toNearestEven) {
    bool e4m3 = to == FloatFormat::f8E4M3FN;
    Value *both = nullptr;
    if (from == FloatFormat::f16 || isEight(from)) {
      if (isEight(from)) { // exact in f16
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
    return std::pair(b.CreateTrunc(both, byte), b.CreateTrunc(b.CreateLShr(both, 8), byte));
  }
  if (isEight(from) && !isEight(to)) {
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

Value *Arithmetic::math(GpuBuilder &b, MathFunction function, llvm::ArrayRef<Value *> x) const {
  llvm::Type *type = x[0]->getType();
  if (!type->isFloatTy())
    return nullptr;
  auto constant = [&](double value) { return llvm::ConstantFP::get(type, value); };
  auto call = [&](Intrinsic::ID id, llvm::ArrayRef<Value *> operands) {
    return b.CreateIntrinsic(id, {type}, operands);
  };
  switch (function) {
  case MathFunction::rsqrt:
    return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {}, {x[0]});
  case MathFunction::exp2:
    return call(Intrinsic::nvvm_ex2_approx, {x[0]});
  case MathFunction::exp: {
    // e^x = 2^n * 2^rest, n the integer nearest to x * log2(e) as far as 2^n is a normal number.
    // Beyond, the rest grows until 2^rest is infinite or 0. `share` tells where n is in its range,
    // from 0 to 1. Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits as
    // exponent and bias. A NaN leaves n a number and comes through the rest.
    constexpr double log2e = 1.4426950408889634, least = -126, most = 127, bias = 127;
    constexpr double integers = 0x1.8p23, range = most - least;
    Value *share = call(Intrinsic::fma, {x[0], constant(log2e / range), constant(-least / range)});
    share = b.CreateIntrinsic(Intrinsic::nvvm_saturate_f, {}, {share});
    Value *shifted =
        call(Intrinsic::fma, {share, constant(range), constant(integers + least + bias)});
    Value *minusN = b.CreateFNeg(b.CreateFSub(shifted, constant(integers + bias)));
    Value *rest = call(Intrinsic::fma, {x[0], constant(float(log2e)), minusN});
    rest = call(Intrinsic::fma, {x[0], constant(log2e - double(float(log2e))), rest});
    Value *bits = b.CreateShl(b.CreateBitCast(shifted, b.getInt32Ty()), 23);
    return b.CreateFMul(call(Intrinsic::nvvm_ex2_approx_ftz, {rest}), b.CreateBitCast(bits, type));
  }
  default:
    return nullptr;
  }
}

Value *Arithmetic::divide(GpuBuilder &b, Value *x, Value *y) const {
  if (!x->getType()->isFloatTy())
    return nullptr;
  return b.CreateIntrinsic(Intrinsic::nvvm_div_full, {}, {x, y});
}

} // namespace tl::backend::nvidia
