// SPDX-License-Identifier: MIT
//
// Cube roots and the lengths of vectors.
#include "Roots.h"

#include "Numbers.h"

namespace tl::backend::plain {
namespace {

/// The cube root of a positive normal number: a third of its exponent, two steps of third order,
/// and one that uses the exact rest.
template <class T> T rootOfNormal(T x) {
  constexpr BitsOf<T> third = sizeof(T) == 4 ? BitsOf<T>(709958130) : BitsOf<T>(0x2a9f7893782da1ce);
  T t = fromBits<T>(bitsOf(x) / 3 + third);
  for (int i = 0; i < (sizeof(T) == 4 ? 1 : 2); ++i) {
    const T cube = t * t * t;
    t = t * ((cube + x + x) / (cube + cube + x));
  }
  const T square = t * t, low = fused(t, t, -square);
  const T rest = fused(low, t, fused(square, t, -x));
  return fused(-rest, 1 / (3 * square), t);
}

template <class T> T cubeRoot(T x) {
  const T a = abs(x);
  if (!(a > 0 && a < infinity<T>))
    return x;
  // Away from the ends, by cubes: 2^54 and its reciprocal.
  if (a < 1)
    return withSign(rootOfNormal(a * T(0x1p54)) * T(0x1p-18), x);
  return withSign(rootOfNormal(a * T(0x1p-54)) * T(0x1p18), x);
}

/// The length of a vector, or its reciprocal; of squares neither the largest overflows nor the
/// largest is lost.
template <class T, unsigned count> T length(const T (&x)[count], bool isReciprocal) {
  T largest = 0;
  bool isInfinite = false, hasNan = false;
  for (T value : x) {
    const T a = abs(value);
    isInfinite |= a == infinity<T>;
    hasNan |= isNan(a);
    largest = a > largest ? a : largest;
  }
  if (isInfinite)
    return isReciprocal ? 0 : infinity<T>;
  if (hasNan)
    return notANumber<T>;
  constexpr int half = Format<T>::bias / 2;
  const int shift = largest >= powerOfTwo<T>(half - 4)    ? -half - 8
                    : largest <= powerOfTwo<T>(32 - half) ? half + 30
                                                          : 0;
  const T scale = powerOfTwo<T>(shift);
  T sum = 0;
  for (T value : x) {
    const T scaled = abs(value) * scale;
    sum = fused(scaled, scaled, sum);
  }
  const T root = squareRoot(sum);
  return isReciprocal ? scale / root : root * powerOfTwo<T>(-shift);
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

float tl_cbrtf(float x) { return cubeRoot(x); }
double tl_cbrt(double x) { return cubeRoot(x); }
float tl_rcbrtf(float x) { return 1 / cubeRoot(x); }
double tl_rcbrt(double x) { return 1 / cubeRoot(x); }

float tl_hypotf(float x, float y) { return length({x, y}, false); }
double tl_hypot(double x, double y) { return length({x, y}, false); }
float tl_rhypotf(float x, float y) { return length({x, y}, true); }
double tl_rhypot(double x, double y) { return length({x, y}, true); }
float tl_norm3df(float x, float y, float z) { return length({x, y, z}, false); }
double tl_norm3d(double x, double y, double z) { return length({x, y, z}, false); }
float tl_rnorm3df(float x, float y, float z) { return length({x, y, z}, true); }
double tl_rnorm3d(double x, double y, double z) { return length({x, y, z}, true); }
float tl_norm4df(float x, float y, float z, float w) { return length({x, y, z, w}, false); }
double tl_norm4d(double x, double y, double z, double w) { return length({x, y, z, w}, false); }
float tl_rnorm4df(float x, float y, float z, float w) { return length({x, y, z, w}, true); }
double tl_rnorm4d(double x, double y, double z, double w) { return length({x, y, z, w}, true); }
}
