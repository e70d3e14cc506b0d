// SPDX-License-Identifier: MIT
//
// Conversions among all floating formats and between floats and integers, as LLVM IR on scalars
// and vectors. LLVM has no fp8 and calls missing run-time helpers for f64 -> bf16, so every format
// that the processor does not convert itself is done here with integer arithmetic.
#pragma once

#include "arithmetic/Features.h"
#include "support/ElementType.h"

#include <cstdint>

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class Type;
class Value;
} // namespace llvm

namespace tl::backend {

enum class Rounding : uint8_t { toNearestEven, towardZero };

/// i8, i16, float or double.
llvm::Type *storageType(llvm::LLVMContext &context, FloatFormat format);

/// Converts `value` (a scalar or fixed vector of the storage type of `from`; half and bfloat are
/// taken too) with exactly one rounding. The result has the storage type of `to`.
///
/// - Into f16, bf16, f32: IEEE. Overflow gives infinity to nearest, the largest finite value toward
///   zero; denormals are produced exactly; NaN becomes the quiet NaN 0x7e00, 0x7fc0, 0x7fc00000 or
///   a quieted copy of its payload, with the sign kept.
/// - Into the fp8 formats: saturating. Values beyond the range, and infinities, become the finite
///   maximum with the sign kept; NaN becomes the format's NaN; FNUZ formats have no negative zero.
/// - Widening is exact.
llvm::Value *emitFloatConversion(llvm::IRBuilderBase &builder, llvm::Value *value, FloatFormat from,
                                 FloatFormat to, Rounding rounding,
                                 const ArithmeticFeatures &features);

/// Truncates f32 or f64 lanes toward zero into integers of `bits` (1 to 64) bits. Values out of
/// range saturate and NaN gives 0: one rule for every type and every device.
llvm::Value *emitFloatToInteger(llvm::IRBuilderBase &builder, llvm::Value *value, unsigned bits,
                                bool isSigned);

/// Converts integer lanes into any floating format with one rounding to nearest even; beyond the
/// range of an fp8 format the result saturates.
llvm::Value *emitIntegerToFloat(llvm::IRBuilderBase &builder, llvm::Value *value, bool isSigned,
                                FloatFormat to, const ArithmeticFeatures &features);

} // namespace tl::backend
