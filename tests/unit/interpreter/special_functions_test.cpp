// SPDX-License-Identifier: MIT
//
// The functions of doubles that code for the CPU calls and the interpreter computes with, beside
// values that were computed with 113 bits.
#include "arithmetic/SpecialFunctions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using namespace tl::backend;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The distance in units of the last place of `want`.
double ulps(double got, double want) {
  return std::fabs(got - want) / (std::nextafter(std::fabs(want), infinity) - std::fabs(want));
}

} // namespace

TEST_CASE("inverse error functions and Bessel functions are right to the last place") {
  CHECK(special::erfinv(0.5) == 0x1.e861fbb24c00ap-2);
  CHECK(special::erfinv(-0.5) == -0x1.e861fbb24c00ap-2);
  CHECK(special::erfcinv(1e-300) == 0x1.a359fd2c5e942p+4);
  CHECK(special::cyl_bessel_i0(10) == 0x1.5ff6ee9ed23e4p+11);
  CHECK(special::cyl_bessel_i0(-500) == 0x1.740571841528fp+715);
  CHECK(special::cyl_bessel_i1(-10) == -0x1.4ddfa02f156cfp+11);
}

TEST_CASE("the normal distribution keeps its accuracy in the tail") {
  CHECK(ulps(special::normcdf(-30), 0x1.7795ad05ea397p-656) <= 3);
  CHECK(special::normcdf(-infinity) == 0);
  CHECK(special::normcdf(infinity) == 1);
}

TEST_CASE("special functions take every double") {
  for (double x : {0.0, -0.0, 5e-324, 1.0, 714.0, 1e308, infinity, -infinity, std::nan("")})
    for (double (*function)(double) :
         {special::erfinv, special::erfcinv, special::erfcx, special::normcdf, special::normcdfinv,
          special::cyl_bessel_i0, special::cyl_bessel_i1, special::sinpi, special::lgamma}) {
      CAPTURE(x);
      CHECK_NOTHROW(function(x));
      CHECK((!std::isnan(x) || std::isnan(function(x))));
    }
  CHECK(special::cyl_bessel_i0(-infinity) == infinity);
  CHECK(special::cyl_bessel_i1(-infinity) == -infinity);
  CHECK(special::cyl_bessel_i0(5e-324) == 1);
  CHECK(special::erfinv(-1) == -infinity);
  CHECK(std::isnan(special::erfcinv(2.5)));
}
