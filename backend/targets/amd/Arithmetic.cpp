// SPDX-License-Identifier: MIT
//
// Conversions for which there is an instruction that rounds as the language says; the rest is
// arithmetic of ours. Floats of 8 bits are converted two at a time. What is too large for them,
// infinity included, becomes NaN or infinity in the hardware, and the largest number in the
// language: it is bounded before.
#include "lowering/Trigonometry.h"
#include "targets/amd/AmdGpu.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

using Pair = std::pair<Value *, Value *>;

/// A format of 8 bits as instructions know it.
struct Fp8Format {
  bool isBf8 = false; // with 5 bits of exponent, not 4
  float largest = 0;
};

/// Nothing if the architecture has no instructions for the format.
std::optional<Fp8Format> fp8FormatOf(const Architecture &architecture, FloatFormat format) {
  if (!architecture.hasFp8Conversions())
    return std::nullopt;
  const bool isFnuz = architecture.hasFnuzFp8();
  if (format == (isFnuz ? FloatFormat::f8E4M3FNUZ : FloatFormat::f8E4M3FN))
    return Fp8Format{false, isFnuz ? 240.0f : 448.0f};
  if (format == (isFnuz ? FloatFormat::f8E5M2FNUZ : FloatFormat::f8E5M2))
    return Fp8Format{true, 57344.0f};
  return std::nullopt;
}

Value *pairOf(GpuBuilder &b, llvm::Type *element, Value *first, Value *second) {
  Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, 2));
  pair = b.CreateInsertElement(pair, b.CreateBitCast(first, element), uint64_t(0));
  return b.CreateInsertElement(pair, b.CreateBitCast(second, element), uint64_t(1));
}

/// The elements of a pair of 16 or 32 bits; those of 16 as integers.
Pair partsOf(GpuBuilder &b, Value *pair) {
  auto part = [&](uint64_t at) {
    Value *element = b.CreateExtractElement(pair, at);
    return element->getType()->isFloatTy() ? element : b.CreateBitCast(element, b.getInt16Ty());
  };
  return {part(0), part(1)};
}

/// No larger than `largest`; NaN stays NaN.
Value *bounded(GpuBuilder &b, const Architecture &architecture, Value *value, float largest) {
  llvm::Type *type = value->getType();
  Value *above = llvm::ConstantFP::get(type, largest),
        *below = llvm::ConstantFP::get(type, -largest);
  if (architecture.hasMinimumOfNaN())
    return b.CreateBinaryIntrinsic(
        Intrinsic::maximum, b.CreateBinaryIntrinsic(Intrinsic::minimum, value, above), below);
  Value *middle = b.CreateIntrinsic(Intrinsic::amdgcn_fmed3, {type}, {value, below, above});
  return b.CreateSelect(b.CreateFCmpUNO(value, value), value, middle);
}

/// Two bytes as instructions take them: a word, and whether they are its upper half.
std::pair<Value *, bool> wordOf(GpuBuilder &b, Value *first, Value *second) {
  // Neighbours of a vector lie in a word of it.
  auto *one = llvm::dyn_cast<llvm::ExtractElementInst>(first);
  auto *other = llvm::dyn_cast<llvm::ExtractElementInst>(second);
  if (one && other && one->getVectorOperand() == other->getVectorOperand()) {
    auto *at = llvm::dyn_cast<llvm::ConstantInt>(one->getIndexOperand());
    auto *next = llvm::dyn_cast<llvm::ConstantInt>(other->getIndexOperand());
    const unsigned bytes =
        llvm::cast<llvm::FixedVectorType>(one->getVectorOperandType())->getNumElements();
    if (at && next && bytes % 4 == 0 && at->getZExtValue() % 2 == 0 &&
        next->getZExtValue() == at->getZExtValue() + 1) {
      const uint64_t index = at->getZExtValue();
      Value *words = b.CreateBitCast(one->getVectorOperand(),
                                     llvm::FixedVectorType::get(b.getInt32Ty(), bytes / 4));
      return {b.CreateExtractElement(words, index / 4), index % 4 == 2};
    }
  }
  llvm::Type *word = b.getInt32Ty();
  return {b.CreateOr(b.CreateZExt(first, word), b.CreateShl(b.CreateZExt(second, word), 8)), false};
}

/// The format has all values of the narrower one.
Value *widened(GpuBuilder &b, Value *value, FloatFormat from, FloatFormat to) {
  return emitFloatConversion(b, value, from, to, Rounding::toNearestEven, gpuFeatures);
}

} // namespace

Value *Arithmetic::convert(GpuBuilder &b, Value *value, FloatFormat from, FloatFormat to,
                           Rounding rounding) const {
  llvm::Type *half = b.getHalfTy(), *single = b.getFloatTy(), *twice = b.getDoubleTy();
  const bool nearest = rounding == Rounding::toNearestEven;
  if (from == to)
    return value;
  if (from == FloatFormat::f16 && (to == FloatFormat::f32 || to == FloatFormat::f64))
    return b.CreateFPExt(b.CreateBitCast(value, half), to == FloatFormat::f32 ? single : twice);
  if (from == FloatFormat::bf16 && to == FloatFormat::f32)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16), single);
  if (from == FloatFormat::f32 && to == FloatFormat::f16 && nearest)
    return b.CreateBitCast(b.CreateFPTrunc(value, half), b.getInt16Ty());
  if (from == FloatFormat::f32 && to == FloatFormat::bf16 && nearest &&
      architecture.hasBf16Conversions())
    return b.CreateBitCast(b.CreateFPTrunc(value, b.getBFloatTy()), b.getInt16Ty());
  if (from == FloatFormat::f8E5M2 && to == FloatFormat::f16) // without the lower half
    return b.CreateShl(b.CreateZExt(value, b.getInt16Ty()), 8);
  if (from == FloatFormat::f32 && to == FloatFormat::f64)
    return b.CreateFPExt(value, twice);
  if (from == FloatFormat::f64 && to == FloatFormat::f32 && nearest)
    return b.CreateFPTrunc(value, single);
  Value *nothing = llvm::Constant::getNullValue(value->getType());
  if (auto pair = convertPair(b, value, nothing, from, to, rounding))
    return pair->first;
  return nullptr;
}

Value *Arithmetic::convertInteger(GpuBuilder &, Value *, bool, FloatFormat) const {
  return nullptr;
}

std::optional<Pair> Arithmetic::convertPair(GpuBuilder &b, Value *first, Value *second,
                                            FloatFormat from, FloatFormat to,
                                            Rounding rounding) const {
  if (from == to)
    return std::nullopt;
  llvm::Type *half = b.getHalfTy(), *single = b.getFloatTy();
  if (rounding == Rounding::toNearestEven && from == FloatFormat::f32 && to == FloatFormat::bf16 &&
      architecture.hasBf16Conversions())
    return partsOf(b, b.CreateFPTrunc(pairOf(b, single, first, second),
                                      llvm::FixedVectorType::get(b.getBFloatTy(), 2)));

  // What f16 has no value for is rounded from f32, and once.
  auto narrow = fp8FormatOf(architecture, to);
  if (narrow && rounding == Rounding::toNearestEven && bitWidth(from) <= 32) {
    Value *both = nullptr;
    if (from == FloatFormat::f16 && architecture.hasBf16Conversions()) {
      Value *pair = bounded(b, architecture, pairOf(b, half, first, second), narrow->largest);
      both =
          b.CreateIntrinsic(narrow->isBf8 ? Intrinsic::amdgcn_cvt_scalef32_pk_bf8_f16
                                          : Intrinsic::amdgcn_cvt_scalef32_pk_fp8_f16,
                            {},
                            {llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt16Ty(), 2)),
                             pair, llvm::ConstantFP::get(single, 1.0), b.getFalse()});
      both = b.CreateBitCast(both, b.getInt32Ty());
    } else {
      auto operand = [&](Value *value) {
        Value *exact = convert(b, value, from, FloatFormat::f32, rounding);
        if (!exact)
          exact = widened(b, value, from, FloatFormat::f32);
        return bounded(b, architecture, exact, narrow->largest);
      };
      both = b.CreateIntrinsic(
          narrow->isBf8 ? Intrinsic::amdgcn_cvt_pk_bf8_f32 : Intrinsic::amdgcn_cvt_pk_fp8_f32, {},
          {operand(first), operand(second), llvm::PoisonValue::get(b.getInt32Ty()), b.getFalse()});
    }
    return Pair(b.CreateTrunc(both, b.getInt8Ty()),
                b.CreateTrunc(b.CreateLShr(both, 8), b.getInt8Ty()));
  }

  // All further steps are exact.
  auto wide = fp8FormatOf(architecture, from);
  const bool isShift = from == FloatFormat::f8E5M2 && to == FloatFormat::f16;
  if (!wide || bitWidth(to) == 8 || (isShift && !architecture.hasBf16Conversions()))
    return std::nullopt;
  auto [word, isUpper] = wordOf(b, first, second);
  if (bitWidth(to) == 16 && architecture.hasBf16Conversions()) {
    Intrinsic::ID id = to == FloatFormat::f16 ? wide->isBf8
                                                    ? Intrinsic::amdgcn_cvt_scalef32_pk_f16_bf8
                                                    : Intrinsic::amdgcn_cvt_scalef32_pk_f16_fp8
                       : wide->isBf8          ? Intrinsic::amdgcn_cvt_scalef32_pk_bf16_bf8
                                              : Intrinsic::amdgcn_cvt_scalef32_pk_bf16_fp8;
    return partsOf(b, b.CreateIntrinsic(
                          id, {}, {word, llvm::ConstantFP::get(single, 1.0), b.getInt1(isUpper)}));
  }
  Pair singles = partsOf(b, b.CreateIntrinsic(wide->isBf8 ? Intrinsic::amdgcn_cvt_pk_f32_bf8
                                                          : Intrinsic::amdgcn_cvt_pk_f32_fp8,
                                              {}, {word, b.getInt1(isUpper)}));
  auto next = [&](Value *value) -> Value * {
    if (to == FloatFormat::bf16) // whose bits are the upper half, those of a NaN as well
      return b.CreateTrunc(b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 16),
                           b.getInt16Ty());
    return convert(b, value, FloatFormat::f32, to, Rounding::toNearestEven);
  };
  return Pair(next(singles.first), next(singles.second));
}

std::optional<std::pair<Value *, Value *>>
Arithmetic::convertIntegers(GpuBuilder &, Value *, Value *, bool, FloatFormat) const {
  return std::nullopt;
}

Value *Arithmetic::math(GpuBuilder &b, MathFunction function, llvm::ArrayRef<Value *> x) const {
  llvm::Type *type = x[0]->getType();
  if (!type->isFloatTy())
    return nullptr;
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  MathBuilder m(b, type, gpuFeatures);
  switch (function) {
  case MathFunction::sin:
  case MathFunction::cos:
    return emitSinCos(m, x[0], function == MathFunction::cos);
  case MathFunction::tan:
    return emitTan(m, x[0], [&](Value *y) { return m.div(m.real(1), y); });
  default:
    return nullptr;
  }
}

Value *Arithmetic::divide(GpuBuilder &, Value *, Value *) const { return nullptr; }

} // namespace tl::backend::amd
