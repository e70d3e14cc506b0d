// SPDX-License-Identifier: MIT
//
// The functions of the math dialect and of CUDA's device library with floating operands and result:
// the one table that the code generators, the interpreter and the symbols of machine code for the
// CPU are written from. To add a function, add its row, its polynomial if it gets one (Math.h), and
// its spelling in include/tl/ops/libdevice.hpp. No LLVM header is needed here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// A row for each function, by where its code comes from.
///
///     INSTRUCTION(id, name, operands, operation, reference)
///         A few instructions everywhere; `name` is one of the C library, too.
///     FORMULA(id, name, operands, operation, reference, family, placement)
///         Our own for f32 and f64; the C library has no such name.
///     LIBRARY(id, name, operands, operation, reference, family, forDouble, placement)
///         The C library's `name` (f64) and `name`f (f32), called once a lane; instead of it our
///         own of the family for f32 and, if `forDouble`, for f64.
///     SPECIAL(id, name, operands)
///         Our own plain function of doubles, special::name, called once a lane.
///
/// `name` is libdevice's: tanh of __nv_tanh, __nv_tanhf and __ocml_tanh_f32. `operation` is the one
/// of TTIR without operands other than the function's, or "". `reference` computes on doubles what
/// the interpreter rounds once; null where it gives the function no meaning on doubles. `family` is
/// emit<family> of MathBuilder.h. A function is `inlined` where it stands, or `outlined`: an
/// internal function for each vector type, so that code stays small.
#define TL_MATH_FUNCTIONS(INSTRUCTION, FORMULA, LIBRARY, SPECIAL)                                  \
  INSTRUCTION(abs, fabs, 1, "", std::fabs)                                                         \
  INSTRUCTION(ceil, ceil, 1, "math.ceil", std::ceil)                                               \
  INSTRUCTION(floor, floor, 1, "math.floor", std::floor)                                           \
  INSTRUCTION(trunc, trunc, 1, "math.trunc", std::trunc)                                           \
  INSTRUCTION(round, round, 1, "math.round", std::round)                                           \
  INSTRUCTION(roundEven, rint, 1, "math.roundeven", std::nearbyint)                                \
  INSTRUCTION(sqrt, sqrt, 1, "math.sqrt", std::sqrt)                                               \
  INSTRUCTION(copySign, copysign, 2, "math.copysign", std::copysign)                               \
  INSTRUCTION(fdim, fdim, 2, "", std::fdim)                                                        \
  INSTRUCTION(minNum, fmin, 2, "", std::fmin)                                                      \
  INSTRUCTION(maxNum, fmax, 2, "", std::fmax)                                                      \
  FORMULA(rsqrt, rsqrt, 1, "math.rsqrt", special::rsqrt, Nothing, inlined)                         \
  FORMULA(preciseSqrt, fsqrt_rn, 1, "", std::sqrt, Nothing, inlined)                               \
  FORMULA(rcp, rcp, 1, "", nullptr, Nothing, inlined)                                              \
  FORMULA(sinPi, sinpi, 1, "", special::sinpi, Trigonometry, outlined)                             \
  FORMULA(cosPi, cospi, 1, "", special::cospi, Trigonometry, outlined)                             \
  LIBRARY(exp, exp, 1, "math.exp", std::exp, Exponential, true, inlined)                           \
  LIBRARY(exp2, exp2, 1, "math.exp2", std::exp2, Exponential, true, inlined)                       \
  LIBRARY(exp10, exp10, 1, "", special::exp10, Exponential, true, inlined)                         \
  LIBRARY(expm1, expm1, 1, "math.expm1", std::expm1, Exponential, true, outlined)                  \
  LIBRARY(log, log, 1, "math.log", std::log, Logarithm, true, inlined)                             \
  LIBRARY(log2, log2, 1, "math.log2", std::log2, Logarithm, true, inlined)                         \
  LIBRARY(log10, log10, 1, "math.log10", std::log10, Logarithm, true, outlined)                    \
  LIBRARY(log1p, log1p, 1, "math.log1p", std::log1p, Logarithm, true, outlined)                    \
  LIBRARY(sin, sin, 1, "math.sin", std::sin, Trigonometry, true, outlined)                         \
  LIBRARY(cos, cos, 1, "math.cos", std::cos, Trigonometry, true, outlined)                         \
  LIBRARY(tan, tan, 1, "math.tan", std::tan, Trigonometry, false, outlined)                        \
  LIBRARY(asin, asin, 1, "math.asin", std::asin, InverseTrigonometry, false, outlined)             \
  LIBRARY(acos, acos, 1, "math.acos", std::acos, InverseTrigonometry, false, outlined)             \
  LIBRARY(atan, atan, 1, "math.atan", std::atan, InverseTrigonometry, false, outlined)             \
  LIBRARY(atan2, atan2, 2, "math.atan2", std::atan2, InverseTrigonometry, false, outlined)         \
  LIBRARY(sinh, sinh, 1, "math.sinh", std::sinh, Hyperbolic, true, outlined)                       \
  LIBRARY(cosh, cosh, 1, "math.cosh", std::cosh, Hyperbolic, true, outlined)                       \
  LIBRARY(tanh, tanh, 1, "math.tanh", std::tanh, Hyperbolic, true, outlined)                       \
  LIBRARY(asinh, asinh, 1, "math.asinh", std::asinh, Nothing, false, outlined)                     \
  LIBRARY(acosh, acosh, 1, "math.acosh", std::acosh, Nothing, false, outlined)                     \
  LIBRARY(atanh, atanh, 1, "math.atanh", std::atanh, Nothing, false, outlined)                     \
  LIBRARY(erf, erf, 1, "math.erf", std::erf, ErrorFunction, false, outlined)                       \
  LIBRARY(erfc, erfc, 1, "math.erfc", std::erfc, Nothing, false, outlined)                         \
  LIBRARY(cbrt, cbrt, 1, "math.cbrt", std::cbrt, Nothing, false, outlined)                         \
  LIBRARY(tgamma, tgamma, 1, "", std::tgamma, Nothing, false, outlined)                            \
  LIBRARY(lgamma, lgamma, 1, "", special::lgamma, Nothing, false, outlined)                        \
  LIBRARY(besselJ0, j0, 1, "", ::j0, Nothing, false, outlined)                                     \
  LIBRARY(besselJ1, j1, 1, "", ::j1, Nothing, false, outlined)                                     \
  LIBRARY(besselY0, y0, 1, "", ::y0, Nothing, false, outlined)                                     \
  LIBRARY(besselY1, y1, 1, "", ::y1, Nothing, false, outlined)                                     \
  LIBRARY(logb, logb, 1, "", std::logb, Nothing, false, outlined)                                  \
  LIBRARY(pow, pow, 2, "math.powf", std::pow, Power, false, outlined)                              \
  LIBRARY(hypot, hypot, 2, "", std::hypot, Nothing, false, outlined)                               \
  LIBRARY(fmod, fmod, 2, "", std::fmod, Nothing, false, outlined)                                  \
  LIBRARY(remainder, remainder, 2, "", std::remainder, Nothing, false, outlined)                   \
  LIBRARY(nextAfter, nextafter, 2, "", nullptr, Nothing, false, outlined)                          \
  LIBRARY(fma, fma, 3, "math.fma", std::fma, Nothing, false, outlined)                             \
  SPECIAL(rcbrt, rcbrt, 1)                                                                         \
  SPECIAL(rhypot, rhypot, 2)                                                                       \
  SPECIAL(erfcx, erfcx, 1)                                                                         \
  SPECIAL(erfInv, erfinv, 1)                                                                       \
  SPECIAL(erfcInv, erfcinv, 1)                                                                     \
  SPECIAL(normCdf, normcdf, 1)                                                                     \
  SPECIAL(normCdfInv, normcdfinv, 1)                                                               \
  SPECIAL(besselI0, cyl_bessel_i0, 1)                                                              \
  SPECIAL(besselI1, cyl_bessel_i1, 1)

namespace tl::backend {

/// The largest errors of our own code in units of the last place (dense samples of all floats and
/// random doubles, against the C library one type wider, with and without fused multiply-add):
///
/// | function           | f32 | f64     |
/// |--------------------|-----|---------|
/// | exp                | 1.1 | 1.3     |
/// | exp2               | 1.4 | 1.3     |
/// | exp10              | 1.4 | 1.6     |
/// | expm1              | 1.6 | 2.2     |
/// | log                | 1.0 | 1.0     |
/// | log2, log10        | 2.0 | 1.0     |
/// | log1p              | 1.7 | 1.7     |
/// | sin, cos           | 1.7 | 1.0     |
/// | tan                | 1.6 | library |
/// | asin, acos         | 2.1 | library |
/// | atan               | 1.7 | library |
/// | atan2              | 2.5 | library |
/// | sinh, cosh         | 2.5 | 2.5     |
/// | tanh               | 1.6 | 3.0     |
/// | erf                | 2.3 | library |
/// | pow                | 1.0 | library |
/// | rsqrt              | 1.5 | 1.5     |
/// | sqrt, rcp, fma     | 0.5 | 0.5     |
enum class MathFunction : uint8_t {
#define FUNCTION(id, ...) id,
  TL_MATH_FUNCTIONS(FUNCTION, FUNCTION, FUNCTION, FUNCTION)
#undef FUNCTION
};

inline constexpr unsigned mathFunctionCount = 0
#define FUNCTION(...) +1
    TL_MATH_FUNCTIONS(FUNCTION, FUNCTION, FUNCTION, FUNCTION);
#undef FUNCTION

/// Number of operands.
unsigned operandCount(MathFunction function);

/// The function that an operation of TTIR applies to each element: "math.tanh", "tt.precise_sqrt".
/// Empty for others.
std::optional<MathFunction> mathFunctionOfOperation(std::string_view operation);

/// The function behind a symbol of `tt.extern_elementwise`: "__nv_sinhf", "__nv_sinh",
/// "__nv_fast_expf", "__ocml_exp_f32". Empty for what is not here: integer functions,
/// directed rounding, names that do not exist.
std::optional<MathFunction> mathFunctionOfSymbol(std::string_view symbol);

/// The symbol of the f64 function that code calls where it has nothing better, that of f32 with an
/// f behind it: the C library's, or "tl_erfinv" for our own. It names outlined functions, too; ""
/// for what is always inline.
std::string_view librarySymbol(MathFunction function);

/// libdevice's symbol of the function that emitMath calls by `symbol`: "__nv_erff" of "erff",
/// "__nv_erfinvf" of "tl_erfinvf". Empty for what emitMath calls by no such name.
std::string libdeviceSymbolOf(std::string_view symbol);

} // namespace tl::backend
