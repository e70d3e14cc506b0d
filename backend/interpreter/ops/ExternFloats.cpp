// SPDX-License-Identifier: MIT
//
// The elementwise group's external functions of floats, on double, where the C library has most.
// Inverse error functions are found by Halley's method on the C library's erf and erfc.
#include "interpreter/ExternFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tl::backend::interpreter {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

/// sin(pi x), exact at multiples of one half.
double sinPi(double x) {
  if (!std::isfinite(x))
    return notANumber;
  const double r = std::remainder(x, 2.0); // in [-1, 1], exact
  if (r == std::trunc(r))
    return std::copysign(0.0, x);
  if (std::fabs(r) == 0.5)
    return r > 0 ? 1 : -1;
  return std::fabs(r) > 0.5 ? std::sin(pi * (std::copysign(1.0, r) - r)) : std::sin(pi * r);
}
double cosPi(double x) {
  if (!std::isfinite(x))
    return notANumber;
  const double r = std::fabs(std::remainder(x, 2.0));
  if (r == 0.5)
    return 0;
  return r > 0.25 && r < 0.75 ? std::sin(pi * (0.5 - r)) : std::cos(pi * r);
}

/// x with erfc(x) = y, for y in (0, 2).
double inverseErfc(double y) {
  if (!(y >= 0 && y <= 2))
    return notANumber;
  if (y == 0)
    return infinity;
  if (y == 2)
    return -infinity;
  if (y > 1)
    return -inverseErfc(2 - y);
  // A start from the tail's asymptote, then Halley steps: f = erfc(x) - y, f'' = -2 x f'.
  const double t = std::sqrt(-2 * std::log(y / 2));
  double x =
      (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) / std::numbers::sqrt2;
  for (int i = 0; i < 4; ++i) {
    const double error = std::erfc(x) - y;
    x += error / (2 / std::sqrt(pi) * std::exp(-x * x) - x * error);
  }
  return x;
}
double inverseErf(double y) {
  if (!(y >= -1 && y <= 1))
    return notANumber;
  if (std::fabs(y) > 0.5)
    return std::copysign(inverseErfc(1 - std::fabs(y)), y);
  double x = y * std::sqrt(pi) / 2;
  for (int i = 0; i < 5; ++i) {
    const double error = std::erf(x) - y;
    x -= error / (2 / std::sqrt(pi) * std::exp(-x * x) + x * error);
  }
  return x == 0 ? y : x;
}

/// exp(x^2) erfc(x).
double scaledErfc(double x) {
  if (x < 25)
    return std::exp(x * x) * std::erfc(x);
  const double s = 1 / (2 * x * x); // asymptotic series
  return 1 / (x * std::sqrt(pi)) * (1 - s * (1 - 3 * s * (1 - 5 * s)));
}

double normalDistribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
double normalQuantile(double p) { return -std::numbers::sqrt2 * inverseErfc(2 * p); }

/// Modified Bessel function of the first kind, order 0 or 1: the series, or far out the expansion
/// in 1 / x.
template <int Order> double besselI(double x) {
  const double magnitude = std::fabs(x);
  double sum = 0;
  if (magnitude <= 700) {
    double term = Order == 0 ? 1 : magnitude / 2;
    for (int k = 1; term > sum * 1e-18; ++k) {
      sum += term;
      term *= magnitude / 2 / k * (magnitude / 2 / (k + Order));
    }
  } else {
    const double mu = 4 * Order * Order, t = 1 / (8 * magnitude), half = std::exp(magnitude / 2);
    const double series = 1 - t * (mu - 1) * (1 - t * (mu - 9) / 2 * (1 - t * (mu - 25) / 3));
    sum = half / std::sqrt(2 * pi * magnitude) * series * half;
  }
  if (x != x)
    return x;
  return Order == 1 && x < 0 ? -sum : sum;
}

double saturate(double x) { return x != x ? 0 : x < 0 ? 0 : x > 1 ? 1 : x; }

int64_t toInteger(double x) { // saturating
  if (x != x)
    return 0;
  if (x >= 9223372036854775808.0)
    return std::numeric_limits<int64_t>::max();
  if (x <= -9223372036854775808.0)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

int clampExponent(int64_t n) {
  return n > 100000 ? 100000 : n < -100000 ? -100000 : static_cast<int>(n);
}

const std::vector<ExternFunction> &table() {
  static const std::vector<ExternFunction> functions = {
      {"acos", Float1(std::acos)},
      {"acosh", Float1(std::acosh)},
      {"asin", Float1(std::asin)},
      {"asinh", Float1(std::asinh)},
      {"atan", Float1(std::atan)},
      {"atan2", Float2(std::atan2)},
      {"atanh", Float1(std::atanh)},
      {"cbrt", Float1(std::cbrt)},
      {"ceil", Float1(std::ceil)},
      {"copysign", Float2(std::copysign)},
      {"cos", Float1(std::cos)},
      {"cosh", Float1(std::cosh)},
      {"cospi", cosPi},
      {"cyl_bessel_i0", besselI<0>},
      {"cyl_bessel_i1", besselI<1>},
      {"i0", besselI<0>},
      {"i1", besselI<1>},
      {"erf", Float1(std::erf)},
      {"erfc", Float1(std::erfc)},
      {"erfcinv", inverseErfc},
      {"erfcx", scaledErfc},
      {"erfinv", inverseErf},
      {"exp", Float1(std::exp)},
      {"exp10", Float1([](double x) { return std::pow(10.0, x); })},
      {"exp2", Float1(std::exp2)},
      {"expm1", Float1(std::expm1)},
      {"fabs", Float1(std::fabs)},
      {"fdim", Float2(std::fdim)},
      {"fdivide", Float2([](double x, double y) { return x / y; })},
      {"floor", Float1(std::floor)},
      {"fma", Float3([](double x, double y, double z) { return std::fma(x, y, z); })},
      {"fmax", Float2(std::fmax)},
      {"fmin", Float2(std::fmin)},
      {"fmod", Float2(std::fmod)},
      {"hypot", Float2(std::hypot)},
      {"ilogb", FloatToInt([](double x) -> int64_t { return std::ilogb(x); })},
      {"isfinite", FloatToInt([](double x) -> int64_t { return std::isfinite(x); })},
      {"finite", FloatToInt([](double x) -> int64_t { return std::isfinite(x); })},
      {"isinf", FloatToInt([](double x) -> int64_t { return std::isinf(x); })},
      {"isnan", FloatToInt([](double x) -> int64_t { return std::isnan(x); })},
      {"signbit", FloatToInt([](double x) -> int64_t { return std::signbit(x); })},
      {"j0", Float1(::j0)},
      {"j1", Float1(::j1)},
      {"jn", IntFloat([](int64_t n, double x) { return ::jn(clampExponent(n), x); })},
      {"y0", Float1(::y0)},
      {"y1", Float1(::y1)},
      {"yn", IntFloat([](int64_t n, double x) { return ::yn(clampExponent(n), x); })},
      {"ldexp", FloatInt([](double x, int64_t n) { return std::ldexp(x, clampExponent(n)); })},
      {"scalbn", FloatInt([](double x, int64_t n) { return std::ldexp(x, clampExponent(n)); })},
      {"lgamma", Float1([](double x) {
         int sign;
         return ::lgamma_r(x, &sign);
       })},
      {"llrint", FloatToInt([](double x) { return toInteger(std::nearbyint(x)); })},
      {"llround", FloatToInt([](double x) { return toInteger(std::round(x)); })},
      {"log", Float1(std::log)},
      {"log10", Float1(std::log10)},
      {"log1p", Float1(std::log1p)},
      {"log2", Float1(std::log2)},
      {"logb", Float1(std::logb)},
      {"nearbyint", Float1(std::nearbyint)},
      {"norm3d", Float3([](double x, double y, double z) { return std::hypot(x, y, z); })},
      {"norm4d", Float4([](double x, double y, double z, double w) {
         return std::hypot(std::hypot(x, y), std::hypot(z, w));
       })},
      {"normcdf", normalDistribution},
      {"normcdfinv", normalQuantile},
      {"pow", Float2(std::pow)},
      {"powi", FloatInt([](double x, int64_t n) { return std::pow(x, static_cast<double>(n)); })},
      {"pown", FloatInt([](double x, int64_t n) { return std::pow(x, static_cast<double>(n)); })},
      {"rcbrt", Float1([](double x) { return 1 / std::cbrt(x); })},
      {"remainder", Float2(std::remainder)},
      {"rhypot", Float2([](double x, double y) { return 1 / std::hypot(x, y); })},
      {"rint", Float1(std::nearbyint)},
      {"rnorm3d", Float3([](double x, double y, double z) { return 1 / std::hypot(x, y, z); })},
      {"rnorm4d", Float4([](double x, double y, double z, double w) {
         return 1 / std::hypot(std::hypot(x, y), std::hypot(z, w));
       })},
      {"round", Float1(std::round)},
      {"rsqrt", Float1([](double x) { return 1 / std::sqrt(x); })},
      {"saturate", saturate},
      {"sin", Float1(std::sin)},
      {"sinh", Float1(std::sinh)},
      {"sinpi", sinPi},
      {"sqrt", Float1(std::sqrt)},
      {"tan", Float1(std::tan)},
      {"tanh", Float1(std::tanh)},
      {"tgamma", Float1(std::tgamma)},
      {"trunc", Float1(std::trunc)},
  };
  return functions;
}

} // namespace

const std::vector<ExternFunction> &floatFunctions() { return table(); }

} // namespace tl::backend::interpreter
