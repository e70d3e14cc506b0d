// SPDX-License-Identifier: MIT
//
// Inverse hyperbolic functions, by the logarithm of a number near 1.
#include "Numbers.h"

namespace tl::backend::plain {
namespace {

template <class T> inline constexpr T log2 = T(0x1.62e42fefa39efp-1L);
/// From here on x^2 + 1 is x^2.
template <class T> inline constexpr T large = sizeof(T) == 4 ? 0x1p14 : 0x1p28;

template <class T> T arsinh(T x) {
  const T a = abs(x);
  T value;
  if (a > large<T>) {
    value = logarithm(a) + log2<T>;
  } else {
    const T square = a * a;
    value = logarithmOfNext(a + square / (1 + squareRoot(1 + square)));
  }
  return withSign(value, x); // NaN and infinity go through
}

template <class T> T arcosh(T x) {
  if (x > large<T>)
    return logarithm(x) + log2<T>;
  if (x < 1)
    return notANumber<T>;
  const T t = x - 1;
  return logarithmOfNext(t + squareRoot(fused(t, t, t + t)));
}

template <class T> T artanh(T x) {
  const T a = abs(x);
  return withSign(T(0.5) * logarithmOfNext(2 * a / (1 - a)), x);
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

float tl_asinhf(float x) { return arsinh(x); }
double tl_asinh(double x) { return arsinh(x); }
float tl_acoshf(float x) { return arcosh(x); }
double tl_acosh(double x) { return arcosh(x); }
float tl_atanhf(float x) { return artanh(x); }
double tl_atanh(double x) { return artanh(x); }
}
