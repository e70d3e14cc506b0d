// SPDX-License-Identifier: MIT
//
// What the functions of this folder are written with. They are mathematics for processors that have
// no C library, compiled for them at build time (meson.build here) and for this host by a unit
// test, so nothing is included but the compiler's own headers. A function of f32 or f64 with the
// library's symbol S is tl_S; from those that the code generators emit (MathFunctions.h) it calls
// what is declared below.
#pragma once

#include <stdint.h>

extern "C" {
double exp(double x);
float expf(float x);
double log(double x);
float logf(float x);
double log1p(double x);
float log1pf(float x);
double sinpi(double x);
float sinpif(float x);
}

namespace tl::backend::plain {

template <class T> struct Format;
template <> struct Format<float> {
  using Bits = uint32_t;
  using Signed = int32_t;
  static constexpr int mantissa = 23, bias = 127;
};
template <> struct Format<double> {
  using Bits = uint64_t;
  using Signed = int64_t;
  static constexpr int mantissa = 52, bias = 1023;
};
template <class T> using BitsOf = typename Format<T>::Bits;

template <class T> inline BitsOf<T> bitsOf(T x) { return __builtin_bit_cast(BitsOf<T>, x); }
template <class T> inline T fromBits(BitsOf<T> x) { return __builtin_bit_cast(T, x); }

template <class T> inline constexpr T infinity = T(__builtin_inf());
template <class T> inline constexpr T notANumber = T(__builtin_nan(""));

template <class T> inline bool isNan(T x) { return x != x; }
inline double abs(double x) { return __builtin_fabs(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double withSign(double x, double sign) { return __builtin_copysign(x, sign); }
inline float withSign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double squareRoot(double x) { return __builtin_sqrt(x); }
inline float squareRoot(float x) { return __builtin_sqrtf(x); }
inline double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double truncated(double x) { return __builtin_trunc(x); }
inline float truncated(float x) { return __builtin_truncf(x); }
inline double nearest(double x) { return __builtin_rint(x); }
inline double floored(double x) { return __builtin_floor(x); }
inline float floored(float x) { return __builtin_floorf(x); }

inline double power(double x) { return exp(x); }
inline float power(float x) { return expf(x); }
inline double logarithm(double x) { return log(x); }
inline float logarithm(float x) { return logf(x); }
inline double logarithmOfNext(double x) { return log1p(x); }
inline float logarithmOfNext(float x) { return log1pf(x); }
inline double sineOfTurns(double x) { return sinpi(x); }
inline float sineOfTurns(float x) { return sinpif(x); }

/// 2^n, for a normal number.
template <class T> inline T powerOfTwo(int n) {
  return fromBits<T>(BitsOf<T>(n + Format<T>::bias) << Format<T>::mantissa);
}

/// c[0] + x * (c[1] + x * (...)).
template <class T, unsigned count> inline T polynomial(T x, const T (&c)[count]) {
  T sum = c[count - 1];
#ifdef __clang__
#pragma clang loop unroll(full)
#endif
  for (int i = int(count) - 2; i >= 0; --i)
    sum = fused(sum, x, c[i]);
  return sum;
}

/// A number with what was lost when it was rounded.
struct Pair {
  double high, low;
};

} // namespace tl::backend::plain
