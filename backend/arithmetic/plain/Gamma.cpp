// SPDX-License-Identifier: MIT
//
// The gamma function and the logarithm of its size.
#include "Power.h"

namespace tl::backend::plain {
namespace {

// log(gamma(2 + t)) / (t (t + 1)) of t within +-1/2.
constexpr double wideLog[] = {
    0x1.b0ee6072093cep-2,  -0x1.9ae6509ea10ap-4,   0x1.0e0c9df293533p-5,  -0x1.95ce223a9c32bp-7,
    0x1.47974853a9956p-8,  -0x1.145121fa341a6p-9,  0x1.dfebcf8fa468ap-11, -0x1.a96a3f7a7fee8p-12,
    0x1.7ed7331ab0456p-13, -0x1.5c86deca13f0ap-14, 0x1.402f379a1beap-15,  -0x1.2849f4abb7918p-16,
    0x1.13ddf755f9d8bp-17, -0x1.02caf69d7c8abp-18, 0x1.e683c8c6154d8p-20, -0x1.b8b776dda014ap-21,
    0x1.a103a7a312p-22,    -0x1.0f2c0333ca922p-22, 0x1.02729ae98507fp-23};
constexpr float singleLog[] = {0x1.b0ee6p-2f,   -0x1.9ae64ep-4f,  0x1.0e0c9ap-5f,
                               -0x1.95d3e2p-7f, 0x1.479c92p-8f,   -0x1.1309b8p-9f,
                               0x1.dd915cp-11f, -0x1.de9ec6p-12f, 0x1.afc618p-13f};
// gamma(3/2 + t) of t within +-1/2.
constexpr double wideGamma[] = {
    0x1.c5bf891b4ef6bp-1,  0x1.08ea88ee561bp-5,    0x1.a8c4dba620c08p-2,  -0x1.b77ac1ca2e82ap-4,
    0x1.283bd37505389p-3,  -0x1.3d88cfe528c43p-4,  0x1.e022b72a04033p-5,  -0x1.374fd5bbb581fp-5,
    0x1.a752ccf6d9af4p-6,  -0x1.1a2c2dab649e5p-6,  0x1.7990f5370f825p-7,  -0x1.f7fb20be2bce9p-8,
    0x1.50637fe2d2087p-8,  -0x1.c0bdf0153ac91p-9,  0x1.29fe79163794cp-9,  -0x1.8d6653728eceap-10,
    0x1.15139c02edd48p-10, -0x1.71759e5b83295p-11, 0x1.5c3859742eb2bp-12, -0x1.d04ef72b50b52p-13,
    0x1.8dfdff69832dap-12, -0x1.09546451e99c8p-12};

inline double nearTwo(double t) { return polynomial(t, wideLog); }
inline float nearTwo(float t) { return polynomial(t, singleLog); }

template <class T> inline constexpr T pi = T(0x1.921fb54442d1846ap+1L);

/// What Stirling's formula adds: 1/(12 x) - 1/(360 x^3) + ...
template <class T> inline T stirlingRest(T x) {
  constexpr T c[] = {T(1.0 / 12),   T(-1.0 / 360),        T(1.0 / 1260), T(-1.0 / 1680),
                     T(1.0 / 1188), T(-691.0 / 360360.0), T(1.0 / 156)};
  const T y = 1 / x;
  return y * polynomial(y * y, c);
}

/// log(gamma(x)) of x > 0.
template <class T> T logOfPositive(T x) {
  // Through the value between 3/2 and 5/2.
  if (x < T(0.5))
    return fused(x * (x + 1), nearTwo(x), -logarithm(fused(x, x, x)));
  if (x <= T(1.5)) {
    const T t = x - 1;
    return fused(t * x, nearTwo(t), -logarithmOfNext(t));
  }
  if (x < 12) {
    T factors = 1;
    for (; x > T(2.5); x -= 1)
      factors *= x - 1;
    const T t = x - 2;
    return fused(t * (t + 1), nearTwo(t), factors == 1 ? 0 : logarithm(factors));
  }
  if (x == infinity<T>)
    return x;
  constexpr T half = T(0x1.acfe390c97d69p-2); // log(2 pi) / 2 - 1/2
  const T rest = stirlingRest(x) + half;
  return fused(x - T(0.5), logarithm(x) - 1, rest);
}

template <class T> T logOfSize(T x) {
  if (isNan(x))
    return x;
  if (x > 0)
    return logOfPositive(x);
  const T a = -x;
  if (floored(a) == a || a == infinity<T>)
    return infinity<T>;
  if (a < T(sizeof(T) == 4 ? 0x1p-30 : 0x1p-60))
    return -logarithm(a);
  return logarithm(pi<T> / (a * abs(sineOfTurns(a)))) - logOfPositive(a);
}

/// gamma(x) of x >= 1/2 below 12: through the value between 1 and 2.
double productOfGamma(double x) {
  double factors = 1;
  for (; x > 2; x -= 1)
    factors *= x - 1;
  if (x < 1)
    return polynomial(x - 0.5, wideGamma) / x;
  return factors * polynomial(x - 1.5, wideGamma);
}

/// The root of gamma(x) of x >= 12, so that it is finite where its reciprocal is not 0.
double rootOfGamma(double x) {
  const Pair log = exactLogarithm(x);
  const double rest = stirlingRest(x) + 0x1.d67f1c864beb5p-1; // log(2 pi) / 2
  // (x - 1/2) log(x) - x + rest
  const Pair main = product(x - 0.5, log);
  const double less = main.high - x, sum = less + rest;
  const double lost = ((main.high - less) - x) + ((less - sum) + rest) + main.low;
  return powerOf({0.5 * sum, 0.5 * lost});
}

double gammaOf(double x) {
  if (isNan(x))
    return x;
  const double a = abs(x);
  if (x > 0 || a < 0x1p-60) {
    if (a < 0x1p-60)
      return 1 / x;
    if (x < 0.5)
      return productOfGamma(x + 1) / x;
    if (x < 12)
      return productOfGamma(x);
    if (x > 180)
      return infinity<double>;
    const double root = rootOfGamma(x);
    return root * root;
  }
  if (floored(x) == x || a == infinity<double>)
    return notANumber<double>;
  // Reflected: -pi / (a sin(pi a) gamma(a)).
  const double other = -pi<double> / (a * sinpi(a));
  if (a < 12)
    return other / (a < 0.5 ? productOfGamma(a + 1) / a : productOfGamma(a));
  if (a > 190)
    return withSign(0, other);
  const double root = rootOfGamma(a);
  return other / root / root;
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

float tl_lgammaf(float x) { return logOfSize(x); }
double tl_lgamma(double x) { return logOfSize(x); }
// Of f32 in f64, too: the up to 34 factors of an f32 would be as many roundings.
float tl_tgammaf(float x) { return float(gammaOf(x)); }
double tl_tgamma(double x) { return gammaOf(x); }
}
