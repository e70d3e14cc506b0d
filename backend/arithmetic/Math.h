// SPDX-License-Identifier: MIT
//
// Mathematical functions as LLVM IR on scalars and vectors of f32 and f64. The reason to have our
// own: LLVM turns a vector `llvm.exp` into a library call per lane. Callers widen f16 and bf16 to
// f32 first (FloatConversions.h). Next: Exponential.cpp and its neighbours, one file a family.
#pragma once

#include "arithmetic/Features.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llvm {
class IRBuilderBase;
class Value;
template <typename T> class ArrayRef;
} // namespace llvm

namespace tl::backend {

/// A function of the math dialect or of upstream's libdevice with floating operands and result.
enum class MathFunction : uint8_t {
  // one operand
  abs,
  ceil,
  floor,
  trunc,
  round,
  roundEven,
  sqrt,
  rsqrt,
  rcp,
  cbrt,
  rcbrt,
  exp,
  exp2,
  exp10,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  sinPi,
  cosPi,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  erfcx,
  erfInv,
  erfcInv,
  normCdf,
  normCdfInv,
  tgamma,
  lgamma,
  besselJ0,
  besselJ1,
  besselY0,
  besselY1,
  besselI0,
  besselI1,
  logb,
  // two operands
  pow,
  atan2,
  hypot,
  rhypot,
  fmod,
  remainder,
  copySign,
  nextAfter,
  fdim,
  minNum,
  maxNum,
  // three
  fma,
};

/// Number of operands.
unsigned operandCount(MathFunction function);

/// Emits `function` at the insertion point. The operands have one type: float, double or a fixed
/// vector of them with any number of lanes; the result has it too. Fast-math flags of the builder
/// are ignored, rounding and denormals are IEEE's, and NaN gives NaN (except in minNum and maxNum).
/// Largest error in units of the last place (dense samples of all floats and random doubles,
/// against the C library one type wider, with and without fused multiply-add), and nanoseconds an
/// element on one Zen 5 core with AVX-512:
///
/// | function           | f32 ULP | ns   | f64 ULP | ns   |
/// |--------------------|---------|------|---------|------|
/// | exp                | 1.1     | 0.09 | 1.3     | 0.32 |
/// | exp2               | 1.4     | 0.07 | 1.3     | 0.24 |
/// | exp10              | 1.4     | 0.09 | 1.6     | 0.29 |
/// | expm1              | 1.6     | 0.16 | 2.2     | 0.48 |
/// | log                | 1.0     | 0.19 | 1.0     | 0.56 |
/// | log2, log10        | 2.0     | 0.25 | 1.0     | 0.73 |
/// | log1p              | 1.7     | 0.34 | 1.7     | 0.78 |
/// | sin, cos           | 1.7     | 0.28 | 1.0     | 0.75 |
/// | tan                | 1.6     | 0.40 | library | 8.5  |
/// | asin, acos         | 2.1     | 0.15 | library | 3.4  |
/// | atan               | 1.7     | 0.18 | library | 7.5  |
/// | atan2              | 2.5     |      | library |      |
/// | sinh, cosh         | 2.5     | 0.36 | 2.5     | 0.99 |
/// | tanh               | 1.6     | 0.23 | 3.0     | 0.79 |
/// | erf                | 2.3     | 0.36 | library | 7.3  |
/// | pow                | 1.0     |      | library |      |
/// | rsqrt              | 1.5     | 0.10 | 1.5     | 0.33 |
/// | sqrt, rcp, fma     | 0.5     |      | 0.5     |      |
///
/// Short functions come inline. Long ones (trigonometry, erf, pow, …) become internal functions
/// of the module, one for each vector type, so that code stays small: give whole native vectors,
/// not single lanes. Functions without an own polynomial call the C library once a lane.
///
///   Value *y = emitMath(builder, MathFunction::exp, {x}, features);
llvm::Value *emitMath(llvm::IRBuilderBase &builder, MathFunction function,
                      llvm::ArrayRef<llvm::Value *> operands, const ArithmeticFeatures &features);

/// The function behind a symbol of `tt.extern_elementwise`: "__nv_sinhf", "__nv_sinh",
/// "__nv_fast_expf", "__ocml_exp_f32". Empty for what is not here: integer functions,
/// directed rounding, names that do not exist.
std::optional<MathFunction> mathFunctionOfSymbol(std::string_view symbol);

/// libdevice's symbol of the function that emitMath calls by `symbol`, its name in the C library or
/// our own where that has none: "__nv_erff" of "erff", "__nv_erfinvf" of "tl_erfinvf". Empty for
/// what emitMath calls by no such name.
std::string libdeviceSymbolOf(std::string_view symbol);

} // namespace tl::backend
