// SPDX-License-Identifier: MIT
//
// What is exact: remainders, neighbours and exponents.
#include "Numbers.h"

namespace tl::backend::plain {
namespace {

/// x mod y for finite x >= y > 0.
template <class T> T modulus(T x, T y) {
  // A quotient that has all its bits is at most one too large or too small, and the rest is exact.
  const T quotient = x / y;
  if (quotient < powerOfTwo<T>(Format<T>::mantissa - 1)) {
    T rest = fused(-truncated(quotient), y, x);
    rest = rest < 0 ? rest + y : rest;
    return rest >= y ? rest - y : rest;
  }
  // As integers times powers of two.
  constexpr int mantissa = Format<T>::mantissa, step = 63 - mantissa;
  auto exponentOf = [](T v) {
    const int field = int(bitsOf(v) >> mantissa);
    return field ? field : 1;
  };
  auto integerOf = [](T v) {
    const BitsOf<T> bits = bitsOf(v), one = BitsOf<T>(1) << mantissa;
    return uint64_t(bits >> mantissa ? (bits & (one - 1)) | one : bits);
  };
  const uint64_t divisor = integerOf(y);
  uint64_t rest = integerOf(x) % divisor;
  for (int n = exponentOf(x) - exponentOf(y); n > 0 && rest != 0; n -= step)
    rest = (rest << (n < step ? n : step)) % divisor;
  // The divisor is below 2^(mantissa + 1), so the rest is a number with the exponent of y.
  const int exponent = exponentOf(y);
  const T unit = fromBits<T>(1); // 2^(1 - bias - mantissa)
  return exponent > mantissa + 1 ? T(rest) * powerOfTwo<T>(exponent - mantissa - Format<T>::bias)
                                 : T(rest) * unit * powerOfTwo<T>(exponent - 1);
}

template <class T> bool hasNoRemainder(T x, T y) {
  return isNan(x) || isNan(y) || abs(x) == infinity<T> || y == 0;
}

template <class T> T remainderToZero(T x, T y) {
  if (hasNoRemainder(x, y))
    return notANumber<T>;
  const T a = abs(x), b = abs(y);
  return a < b ? x : withSign(modulus(a, b), x);
}

/// From the nearest multiple, of two the even one.
template <class T> T remainderToNearest(T x, T y) {
  if (hasNoRemainder(x, y))
    return notANumber<T>;
  T a = abs(x), b = abs(y);
  if (a >= b && b < powerOfTwo<T>(Format<T>::bias))
    if (const T twice = b + b; a >= twice)
      a = modulus(a, twice);
  // Now a < 2 b. Halves of small b are no numbers, doubles of large a are not finite.
  auto isMoreThanHalf = [&](bool orHalf) {
    if (b < T(4) * powerOfTwo<T>(1 - Format<T>::bias))
      return orHalf ? a + a >= b : a + a > b;
    const T half = b * T(0.5);
    return orHalf ? a >= half : a > half;
  };
  if (isMoreThanHalf(false)) {
    a -= b;
    if (isMoreThanHalf(true))
      a -= b;
  }
  const bool isNegative = bitsOf(x) >> (8 * sizeof(T) - 1);
  return isNegative ? -a : a;
}

template <class T> T neighbour(T x, T y) {
  if (isNan(x) || isNan(y))
    return notANumber<T>;
  if (x == y)
    return y;
  if (x == 0)
    return withSign(fromBits<T>(1), y);
  return fromBits<T>(bitsOf(x) + ((x < y) == (x > 0) ? BitsOf<T>(1) : ~BitsOf<T>(0)));
}

/// The exponent of x.
template <class T> T exponentAsNumber(T x) {
  const T a = abs(x);
  if (!(a > 0 && a < infinity<T>))
    return a == 0 ? -infinity<T> : a;
  const bool isSmall = a < powerOfTwo<T>(1 - Format<T>::bias);
  const BitsOf<T> bits = bitsOf(isSmall ? a * powerOfTwo<T>(Format<T>::mantissa) : a);
  return T(int(bits >> Format<T>::mantissa) - Format<T>::bias -
           (isSmall ? Format<T>::mantissa : 0));
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

float tl_fmodf(float x, float y) { return remainderToZero(x, y); }
double tl_fmod(double x, double y) { return remainderToZero(x, y); }
float tl_remainderf(float x, float y) { return remainderToNearest(x, y); }
double tl_remainder(double x, double y) { return remainderToNearest(x, y); }
float tl_nextafterf(float x, float y) { return neighbour(x, y); }
double tl_nextafter(double x, double y) { return neighbour(x, y); }
float tl_logbf(float x) { return exponentAsNumber(x); }
double tl_logb(double x) { return exponentAsNumber(x); }
}
