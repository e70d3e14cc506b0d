// SPDX-License-Identifier: MIT
#include "arithmetic/SpecialFunctions.h"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace tl::backend::special {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double sqrtPi = 1.7724538509055160273;
constexpr double sqrtHalf = 0.70710678118654752440;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Boost computes in long double and rounds once. What has no value gives infinity or NaN.
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

} // namespace

double rsqrt(double x) { return 1 / std::sqrt(x); }

double rcbrt(double x) { return 1 / std::cbrt(x); }

double exp10(double x) { return std::pow(10.0, x); }

double sinpi(double x) {
  if (!std::isfinite(x))
    return notANumber;
  const double r = std::remainder(x, 2.0); // in [-1, 1], exact
  if (r == std::trunc(r))
    return std::copysign(0.0, x);
  if (std::fabs(r) == 0.5)
    return r > 0 ? 1 : -1;
  return std::fabs(r) > 0.5 ? std::sin(pi * (std::copysign(1.0, r) - r)) : std::sin(pi * r);
}

double cospi(double x) {
  if (!std::isfinite(x))
    return notANumber;
  const double r = std::fabs(std::remainder(x, 2.0));
  if (r == 0.5)
    return 0;
  return r > 0.25 && r < 0.75 ? std::sin(pi * (0.5 - r)) : std::cos(pi * r);
}

double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

double erfcx(double x) {
  if (std::isnan(x))
    return x;
  if (x < 25) {
    if (x < -26.7)
      return infinity;
    // e^(x^2) with the rounding error of the square put back.
    double square = x * x, low = std::fma(x, x, -square);
    return std::exp(square) * (1 + low) * std::erfc(x);
  }
  // The asymptotic expansion; these terms suffice from 25 on.
  double t = 1 / (2 * x * x);
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t * (1 - 11 * t)))))) / sqrtPi /
         x;
}

double erfinv(double y) {
  const double a = std::fabs(y);
  if (!(a < 1))
    return a == 1 ? std::copysign(infinity, y) : notANumber;
  return y == 0 ? y : boost::math::erf_inv(y, Quiet());
}

double erfcinv(double y) {
  if (!(y > 0 && y < 2))
    return y == 0 ? infinity : y == 2 ? -infinity : notANumber;
  return boost::math::erfc_inv(y, Quiet());
}

double normcdf(double x) {
  // Far out a rounding of erfc's argument would count x^2 times: it is put back.
  constexpr double sqrtHalfLow = -4.8336466567264567e-17;
  const double y = -x * sqrtHalf, low = std::fma(-x, sqrtHalf, -y) - x * sqrtHalfLow;
  const double value = std::erfc(y) - 2 / sqrtPi * std::exp(-y * y) * low;
  return 0.5 * (std::isfinite(low) ? value : std::erfc(y));
}

double normcdfinv(double p) { return -erfcinv(2 * p) / sqrtHalf; }

double cyl_bessel_i0(double x) {
  if (!std::isfinite(x))
    return std::fabs(x);
  return boost::math::cyl_bessel_i(0, std::fabs(x), Quiet());
}

double cyl_bessel_i1(double x) {
  if (!std::isfinite(x))
    return x;
  return std::copysign(boost::math::cyl_bessel_i(1, std::fabs(x), Quiet()), x);
}

// Orders beyond these give zeros and infinities, whose sign is that of even or of odd orders.
static int boundedOrder(int n) {
  constexpr int most = 100000;
  return std::abs(int64_t(n)) <= most ? n : (n < 0 ? -most : most) + n % 2;
}

double jn(int n, double x) { return ::jn(boundedOrder(n), x); }

double yn(int n, double x) { return ::yn(boundedOrder(n), x); }

} // namespace tl::backend::special
