// SPDX-License-Identifier: MIT
#pragma once
// Which functions does CUDA's device library have, with which types and how exact? One table: the
// functions of ops/libdevice.hpp find their symbols and results here, the library behind the C API
// its signatures and where the code of a symbol comes from, the numeric tests what they may expect.

#include "tl/impl/compiler.hpp"

#include <cstddef>
#include <string_view>

namespace tl::impl {

/// What a function is, and so where its code is.
enum class library_code : unsigned char {
  mathematics, ///< of floats: backend/arithmetic/MathFunctions.h, or a length
  instruction, ///< a few instructions: backend/arithmetic/LibraryFunctions.h
  rounded,     ///< rounded as the end of the symbol says: likewise, or arithmetic/plain/Rounded.h
  order,       ///< a Bessel function of any order
};

/// A symbol of the library. Its texts are pointers, since a std::string_view would have the
/// compiler measure all of them in every file.
struct library_function {
  const char *name_, *symbol_, *types_;
  library_code code;
  /// The largest error in units of the last place, on every device. 0: rounded once, or exact.
  double ulps = 0;
  /// What may be added to it where the result is near 0.
  double absolute = 0;

  /// tl::libdevice::name, or "" if it has none.
  constexpr std::string_view name() const { return name_; }
  /// What kernels call, "__nv_" left out.
  constexpr std::string_view symbol() const { return symbol_; }
  /// The types of the result and then of the operands: f float, d double, i and u of 32 bits, l and
  /// v of 64 bits, signed and unsigned.
  constexpr std::string_view types() const { return types_; }
};

// A mathematical function of float and of double, with its errors.
#define TL_IMPL_MATH(name, floats, doubles, single, twice)                                         \
  {#name, #name "f", floats, library_code::mathematics, single}, {                                 \
    #name, #name, doubles, library_code::mathematics, twice                                        \
  }
#define TL_IMPL_MATH_1(name, single, twice) TL_IMPL_MATH(name, "ff", "dd", single, twice)
#define TL_IMPL_MATH_2(name, single, twice) TL_IMPL_MATH(name, "fff", "ddd", single, twice)
#define TL_IMPL_MATH_3(name, single, twice) TL_IMPL_MATH(name, "ffff", "dddd", single, twice)
#define TL_IMPL_MATH_4(name, single, twice) TL_IMPL_MATH(name, "fffff", "ddddd", single, twice)
// The same where the error near the zeros is an absolute one.
#define TL_IMPL_NEAR_ZERO(name, floats, doubles, code, single, low, twice, wide_low)               \
  {#name, #name "f", floats, library_code::code, single, low}, {                                   \
    #name, #name, doubles, library_code::code, twice, wide_low                                     \
  }
// A quick form of a function, of float only.
#define TL_IMPL_FAST(name, types, ulps)                                                            \
  {"fast_" #name "f", "fast_" #name "f", types, library_code::mathematics, ulps}
#define TL_IMPL_EXACT(name, symbol, types) {#name, symbol, types, library_code::instruction}
#define TL_IMPL_AS(name, types) {#name, #name, types, library_code::instruction}
#define TL_IMPL_ROUND(name, symbol, types) {name, symbol, types, library_code::rounded}
#define TL_IMPL_DIRECTIONS(mode)                                                                   \
  TL_IMPL_ROUND("add_" mode, "fadd_" mode, "fff"),                                                 \
      TL_IMPL_ROUND("add_" mode, "dadd_" mode, "ddd"),                                             \
      TL_IMPL_ROUND("sub_" mode, "fsub_" mode, "fff"),                                             \
      TL_IMPL_ROUND("sub_" mode, "dsub_" mode, "ddd"),                                             \
      TL_IMPL_ROUND("mul_" mode, "fmul_" mode, "fff"),                                             \
      TL_IMPL_ROUND("mul_" mode, "dmul_" mode, "ddd"),                                             \
      TL_IMPL_ROUND("div_" mode, "fdiv_" mode, "fff"),                                             \
      TL_IMPL_ROUND("div_" mode, "ddiv_" mode, "ddd"),                                             \
      TL_IMPL_ROUND("rcp_" mode, "frcp_" mode, "ff"),                                              \
      TL_IMPL_ROUND("rcp_" mode, "drcp_" mode, "dd"),                                              \
      TL_IMPL_ROUND("sqrt_" mode, "fsqrt_" mode, "ff"),                                            \
      TL_IMPL_ROUND("sqrt_" mode, "dsqrt_" mode, "dd"),                                            \
      TL_IMPL_ROUND("fma_" mode, "fmaf_" mode, "ffff"),                                            \
      TL_IMPL_ROUND("fma_" mode, "fma_" mode, "dddd"),                                             \
      TL_IMPL_CONVERT("double2float_" mode, "fd"), TL_IMPL_CONVERT("double2int_" mode, "id"),      \
      TL_IMPL_CONVERT("double2uint_" mode, "ud"), TL_IMPL_CONVERT("double2ll_" mode, "ld"),        \
      TL_IMPL_CONVERT("double2ull_" mode, "vd"), TL_IMPL_CONVERT("float2int_" mode, "if"),         \
      TL_IMPL_CONVERT("float2uint_" mode, "uf"), TL_IMPL_CONVERT("float2ll_" mode, "lf"),          \
      TL_IMPL_CONVERT("float2ull_" mode, "vf"), TL_IMPL_CONVERT("int2float_" mode, "fi"),          \
      TL_IMPL_CONVERT("uint2float_" mode, "fu"), TL_IMPL_CONVERT("ll2float_" mode, "fl"),          \
      TL_IMPL_CONVERT("ull2float_" mode, "fv"), TL_IMPL_CONVERT("ll2double_" mode, "dl"),          \
      TL_IMPL_CONVERT("ull2double_" mode, "dv")
#define TL_IMPL_CONVERT(name, types) TL_IMPL_ROUND(name, name, types)

inline constexpr library_function library_functions[] = {
    // Roots, powers, exponentials and logarithms.
    TL_IMPL_MATH_1(sqrt, 2, 0),
    TL_IMPL_MATH_1(rsqrt, 2, 2),
    TL_IMPL_MATH_1(cbrt, 2, 4),
    TL_IMPL_MATH_1(rcbrt, 2, 4),
    TL_IMPL_MATH_1(exp, 3, 2),
    TL_IMPL_MATH_1(exp2, 3, 2),
    TL_IMPL_MATH_1(exp10, 3, 2),
    TL_IMPL_MATH_1(expm1, 3, 3),
    TL_IMPL_MATH_1(log, 2, 2),
    TL_IMPL_MATH_1(log2, 2, 2),
    TL_IMPL_MATH_1(log10, 3, 2),
    TL_IMPL_MATH_1(log1p, 2, 2),
    TL_IMPL_MATH_1(logb, 0, 0),
    TL_IMPL_MATH_2(pow, 3, 3),
    TL_IMPL_MATH_2(hypot, 2, 2),
    TL_IMPL_MATH_2(rhypot, 3, 3),
    TL_IMPL_MATH_3(norm3d, 4, 3),
    TL_IMPL_MATH_3(rnorm3d, 5, 5),
    TL_IMPL_MATH_4(norm4d, 4, 4),
    TL_IMPL_MATH_4(rnorm4d, 5, 5),
    // Trigonometry and hyperbolic functions.
    TL_IMPL_MATH_1(sin, 2, 2),
    TL_IMPL_MATH_1(cos, 2, 2),
    TL_IMPL_MATH_1(tan, 4, 3),
    TL_IMPL_MATH_1(sinpi, 2, 2),
    TL_IMPL_MATH_1(cospi, 2, 2),
    TL_IMPL_MATH_1(asin, 4, 3),
    TL_IMPL_MATH_1(acos, 4, 3),
    TL_IMPL_MATH_1(atan, 2, 3),
    TL_IMPL_MATH_2(atan2, 4, 3),
    TL_IMPL_MATH_1(sinh, 4, 3),
    TL_IMPL_MATH_1(cosh, 4, 3),
    TL_IMPL_MATH_1(tanh, 3, 4),
    TL_IMPL_MATH_1(asinh, 4, 4),
    TL_IMPL_MATH_1(acosh, 4, 4),
    TL_IMPL_MATH_1(atanh, 4, 4),
    // Special functions.
    TL_IMPL_MATH_1(erf, 3, 3),
    TL_IMPL_MATH_1(erfc, 6, 6),
    TL_IMPL_MATH_1(erfcx, 6, 6),
    TL_IMPL_MATH_1(erfinv, 5, 6),
    TL_IMPL_MATH_1(erfcinv, 5, 8),
    TL_IMPL_MATH_1(normcdf, 7, 8),
    TL_IMPL_MATH_1(normcdfinv, 5, 8),
    TL_IMPL_MATH_1(tgamma, 6, 12),
    TL_IMPL_NEAR_ZERO(lgamma, "ff", "dd", mathematics, 6, 4e-6, 6, 1e-14),
    TL_IMPL_NEAR_ZERO(j0, "ff", "dd", mathematics, 6, 2e-6, 6, 4e-15),
    TL_IMPL_NEAR_ZERO(j1, "ff", "dd", mathematics, 6, 2e-6, 6, 4e-15),
    TL_IMPL_NEAR_ZERO(y0, "ff", "dd", mathematics, 6, 2e-6, 6, 4e-15),
    TL_IMPL_NEAR_ZERO(y1, "ff", "dd", mathematics, 6, 2e-6, 6, 4e-15),
    TL_IMPL_MATH_1(cyl_bessel_i0, 6, 8),
    TL_IMPL_MATH_1(cyl_bessel_i1, 8, 8),
    TL_IMPL_NEAR_ZERO(jn, "fif", "did", order, 16, 4e-6, 64, 1e-14),
    TL_IMPL_NEAR_ZERO(yn, "fif", "did", order, 16, 4e-6, 64, 1e-14),
    // Rounding and parts of numbers.
    TL_IMPL_MATH_1(floor, 0, 0),
    TL_IMPL_MATH_1(ceil, 0, 0),
    TL_IMPL_MATH_1(trunc, 0, 0),
    TL_IMPL_MATH_1(rint, 0, 0),
    TL_IMPL_MATH_1(round, 0, 0),
    TL_IMPL_MATH_1(nearbyint, 0, 0),
    TL_IMPL_EXACT(llrint, "llrintf", "lf"),
    TL_IMPL_EXACT(llrint, "llrint", "ld"),
    TL_IMPL_EXACT(llround, "llroundf", "lf"),
    TL_IMPL_EXACT(llround, "llround", "ld"),
    TL_IMPL_EXACT(ilogb, "ilogbf", "if"),
    TL_IMPL_EXACT(ilogb, "ilogb", "id"),
    TL_IMPL_MATH_2(fmod, 0, 0),
    TL_IMPL_MATH_2(remainder, 0, 0),
    TL_IMPL_MATH_2(fdim, 0, 0),
    TL_IMPL_MATH_2(copysign, 0, 0),
    TL_IMPL_MATH_2(nextafter, 0, 0),
    TL_IMPL_MATH_3(fma, 0, 0),
    TL_IMPL_EXACT(ldexp, "ldexpf", "ffi"),
    TL_IMPL_EXACT(ldexp, "ldexp", "ddi"),
    TL_IMPL_EXACT(scalbn, "scalbnf", "ffi"),
    TL_IMPL_EXACT(scalbn, "scalbn", "ddi"),
    // Classification.
    TL_IMPL_EXACT(isnan, "isnanf", "if"),
    TL_IMPL_EXACT(isnan, "isnand", "id"),
    TL_IMPL_EXACT(isinf, "isinff", "if"),
    TL_IMPL_EXACT(isinf, "isinfd", "id"),
    TL_IMPL_EXACT(signbit, "signbitf", "if"),
    TL_IMPL_EXACT(signbit, "signbitd", "id"),
    TL_IMPL_AS(finitef, "if"),
    TL_IMPL_AS(isfinited, "id"),
    // Quick and inexact.
    TL_IMPL_FAST(sin, "ff", 2),
    TL_IMPL_FAST(cos, "ff", 2),
    TL_IMPL_FAST(tan, "ff", 4),
    TL_IMPL_FAST(tanh, "ff", 3),
    TL_IMPL_FAST(exp, "ff", 3),
    TL_IMPL_FAST(exp10, "ff", 3),
    TL_IMPL_FAST(log, "ff", 2),
    TL_IMPL_FAST(log2, "ff", 2),
    TL_IMPL_FAST(log10, "ff", 3),
    TL_IMPL_FAST(pow, "fff", 3),
    {"fast_dividef", "fast_fdividef", "fff", library_code::instruction, 2},
    TL_IMPL_AS(saturatef, "ff"),
    // An approximate 1 / x, of the upper half of x: 19 bits of it are right, if it is normal.
    {"rcp64h", "rcp64h", "dd", library_code::rounded, 0x1p34, 0x1p-1022},
    // Arithmetic and conversions with a rounding.
    TL_IMPL_DIRECTIONS("rn"),
    TL_IMPL_DIRECTIONS("rz"),
    TL_IMPL_DIRECTIONS("rd"),
    TL_IMPL_DIRECTIONS("ru"),
    {"rsqrt_rn", "frsqrt_rn", "ff", library_code::rounded},
    TL_IMPL_AS(int2double_rn, "di"),
    TL_IMPL_AS(uint2double_rn, "du"),
    // The same bits as another type.
    TL_IMPL_AS(double2loint, "id"),
    TL_IMPL_AS(double2hiint, "id"),
    TL_IMPL_AS(int_as_float, "fi"),
    TL_IMPL_AS(float_as_int, "if"),
    TL_IMPL_AS(uint_as_float, "fu"),
    TL_IMPL_AS(float_as_uint, "uf"),
    TL_IMPL_AS(longlong_as_double, "dl"),
    TL_IMPL_AS(double_as_longlong, "ld"),
    TL_IMPL_AS(hiloint2double, "dii"),
    // Integers.
    TL_IMPL_EXACT(clz, "clz", "ii"),
    TL_IMPL_EXACT(clz, "clz", "iu"),
    TL_IMPL_EXACT(clz, "clzll", "il"),
    TL_IMPL_EXACT(clz, "clzll", "iv"),
    TL_IMPL_EXACT(popc, "popc", "ii"),
    TL_IMPL_EXACT(popc, "popc", "iu"),
    TL_IMPL_EXACT(popc, "popcll", "il"),
    TL_IMPL_EXACT(popc, "popcll", "iv"),
    TL_IMPL_EXACT(ffs, "ffs", "ii"),
    TL_IMPL_EXACT(ffs, "ffs", "iu"),
    TL_IMPL_EXACT(ffs, "ffsll", "il"),
    TL_IMPL_EXACT(ffs, "ffsll", "iv"),
    TL_IMPL_EXACT(brev, "brev", "ii"),
    TL_IMPL_EXACT(brev, "brev", "uu"),
    TL_IMPL_EXACT(brev, "brevll", "ll"),
    TL_IMPL_EXACT(brev, "brevll", "vv"),
    TL_IMPL_EXACT(mulhi, "mulhi", "iii"),
    TL_IMPL_EXACT(mulhi, "umulhi", "uuu"),
    TL_IMPL_EXACT(mulhi, "mul64hi", "lll"),
    TL_IMPL_EXACT(mulhi, "umul64hi", "vvv"),
    TL_IMPL_EXACT(mul24, "mul24", "iii"),
    TL_IMPL_EXACT(mul24, "umul24", "uuu"),
    TL_IMPL_EXACT(hadd, "hadd", "iii"),
    TL_IMPL_EXACT(hadd, "uhadd", "uuu"),
    TL_IMPL_EXACT(rhadd, "rhadd", "iii"),
    TL_IMPL_EXACT(rhadd, "urhadd", "uuu"),
    TL_IMPL_EXACT(sad, "sad", "uiiu"),
    TL_IMPL_EXACT(sad, "usad", "uuuu"),
    TL_IMPL_AS(byte_perm, "iiii"),
    // Integers and floats.
    TL_IMPL_EXACT(abs, "abs", "ii"),
    TL_IMPL_EXACT(abs, "llabs", "ll"),
    {"abs", "fabsf", "ff", library_code::mathematics},
    {"abs", "fabs", "dd", library_code::mathematics},
    // What texts call and has no name of its own here.
    TL_IMPL_EXACT(, "min", "iii"),
    TL_IMPL_EXACT(, "umin", "uuu"),
    TL_IMPL_EXACT(, "llmin", "lll"),
    TL_IMPL_EXACT(, "ullmin", "vvv"),
    TL_IMPL_EXACT(, "max", "iii"),
    TL_IMPL_EXACT(, "umax", "uuu"),
    TL_IMPL_EXACT(, "llmax", "lll"),
    TL_IMPL_EXACT(, "ullmax", "vvv"),
    TL_IMPL_EXACT(, "isfinitef", "if"),
    {"", "fdividef", "fff", library_code::instruction, 2},
};

#undef TL_IMPL_MATH
#undef TL_IMPL_MATH_1
#undef TL_IMPL_MATH_2
#undef TL_IMPL_MATH_3
#undef TL_IMPL_MATH_4
#undef TL_IMPL_NEAR_ZERO
#undef TL_IMPL_FAST
#undef TL_IMPL_EXACT
#undef TL_IMPL_AS
#undef TL_IMPL_ROUND
#undef TL_IMPL_CONVERT
#undef TL_IMPL_DIRECTIONS

inline constexpr int library_size = sizeof library_functions / sizeof library_functions[0];

/// The row of the function whose operand `at` has the type, or of any type where it is 0; -1 if
/// there is none.
constexpr int library_row(std::string_view name, char type = 0, std::size_t at = 0) {
  for (int row = 0; row < library_size; ++row)
    if (library_functions[row].name() == name &&
        (type == 0 || library_functions[row].types_[at + 1] == type))
      return row;
  return -1;
}

} // namespace tl::impl

// The names that namespace std has too, and tl in tl::libdevice alone: a call of another one is
// refused with that name.
#define TL_IMPL_ONLY_IN_LIBDEVICE(NAME)                                                            \
  NAME(tan)                                                                                        \
  NAME(asin)                                                                                       \
  NAME(acos)                                                                                       \
  NAME(atan)                                                                                       \
  NAME(atan2)                                                                                      \
  NAME(sinh)                                                                                       \
  NAME(cosh)                                                                                       \
  NAME(tanh)                                                                                       \
  NAME(asinh)                                                                                      \
  NAME(acosh)                                                                                      \
  NAME(atanh)                                                                                      \
  NAME(pow)                                                                                        \
  NAME(log10)                                                                                      \
  NAME(log1p)                                                                                      \
  NAME(expm1)                                                                                      \
  NAME(cbrt)                                                                                       \
  NAME(hypot)                                                                                      \
  NAME(erfc)                                                                                       \
  NAME(lgamma)                                                                                     \
  NAME(tgamma)                                                                                     \
  NAME(round)                                                                                      \
  NAME(trunc)                                                                                      \
  NAME(rint)                                                                                       \
  NAME(fmod)                                                                                       \
  NAME(remainder)                                                                                  \
  NAME(copysign)
