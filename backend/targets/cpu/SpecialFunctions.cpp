// SPDX-License-Identifier: MIT
#include "targets/cpu/SpecialFunctions.h"

#include <cmath>
#include <limits>

namespace tl::backend::cpu {
namespace {

constexpr double sqrtPi = 1.7724538509055160273;
constexpr double sqrtHalf = 0.70710678118654752440;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// A first guess of the inverse of erfc for 0 < y <= 1, good to some per cent: the leading terms of
/// its asymptotic expansion for small y, a straight line near 1.
double guessOfErfcInverse(double y) {
  if (y > 0.5)
    return (1 - y) * (sqrtPi / 2);
  double t = -std::log(y * y * 3.14159265358979323846 / 2);
  t -= std::log(std::fmax(t, 1.0));
  return std::sqrt(std::fmax(t, 0.1) / 2);
}

/// Solves erfc(x) = y for 0 < y <= 1 by Halley's method on log(erfc), which is smooth in the tail.
double solveErfc(double y) {
  double x = guessOfErfcInverse(y);
  for (int step = 0; step < 12; ++step) {
    double scaled = erfcx(x);                              // erfc(x) e^(x^2)
    double error = std::log(scaled) - x * x - std::log(y); // of the logarithm
    double slope = -2 / (sqrtPi * scaled);
    double delta = error / slope;
    x -= delta;
    if (std::fabs(delta) <= 1e-16 * std::fabs(x))
      break;
  }
  return x;
}

} // namespace

double rcbrt(double x) { return 1 / std::cbrt(x); }

double rhypot(double x, double y) { return 1 / std::hypot(x, y); }

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
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t * (1 - 11 * t)))))) /
         (x * sqrtPi);
}

double erfinv(double y) {
  double a = std::fabs(y);
  if (!(a <= 1))
    return notANumber;
  if (a == 1)
    return std::copysign(infinity, y);
  if (a > 0.5)
    return std::copysign(solveErfc(1 - a), y);
  // Newton on erf itself keeps the relative accuracy around zero.
  double x = a * (sqrtPi / 2) * (1 + a * a * 0.2617993877991494);
  for (int step = 0; step < 6; ++step)
    x -= (std::erf(x) - a) * (sqrtPi / 2) * std::exp(x * x);
  return std::copysign(x, y);
}

double erfcinv(double y) {
  if (!(y >= 0 && y <= 2))
    return notANumber;
  if (y == 0)
    return infinity;
  if (y == 2)
    return -infinity;
  if (y > 0.5 && y < 1.5)
    return erfinv(1 - y);
  return y < 1 ? solveErfc(y) : -solveErfc(2 - y);
}

double normcdf(double x) { return 0.5 * std::erfc(-x * sqrtHalf); }

double normcdfinv(double p) { return -erfcinv(2 * p) / sqrtHalf; }

double besselI0(double x) { return std::cyl_bessel_i(0.0, std::fabs(x)); }

double besselI1(double x) { return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x); }

} // namespace tl::backend::cpu
