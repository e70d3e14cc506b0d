// SPDX-License-Identifier: MIT
//
// Conversions for which all architectures have an instruction that rounds as the language says; the
// rest is arithmetic of ours.
#include "targets/amd/AmdGpu.h"

namespace tl::backend::amd {

using llvm::Value;

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
  if (from == FloatFormat::f32 && to == FloatFormat::f64)
    return b.CreateFPExt(value, twice);
  if (from == FloatFormat::f64 && to == FloatFormat::f32 && nearest)
    return b.CreateFPTrunc(value, single);
  return nullptr;
}

Value *Arithmetic::convertInteger(GpuBuilder &, Value *, bool, FloatFormat) const {
  return nullptr;
}

std::optional<std::pair<Value *, Value *>>
Arithmetic::convertPair(GpuBuilder &, Value *, Value *, FloatFormat, FloatFormat, Rounding) const {
  return std::nullopt;
}

std::optional<std::pair<Value *, Value *>>
Arithmetic::convertIntegers(GpuBuilder &, Value *, Value *, bool, FloatFormat) const {
  return std::nullopt;
}

Value *Arithmetic::math(GpuBuilder &, MathFunction, llvm::ArrayRef<Value *>) const {
  return nullptr;
}

Value *Arithmetic::divide(GpuBuilder &, Value *, Value *) const { return nullptr; }

} // namespace tl::backend::amd
