// SPDX-License-Identifier: MIT
//
// Vectorised functions against the C library in the next wider type, on every feature set that this
// machine can run. The bounds are those that Math.h promises.
#include "emitted.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace tl::backend;
using namespace tl::backend::cpu;

namespace {

struct Case {
  MathFunction function;
  const char *name;
  long double (*reference)(long double);
  double ulp32, ulp64; // promised
  double low, high;    // where most samples lie
};

const Case cases[] = {
    {MathFunction::exp, "exp", expl, 1.1, 1.3, -100, 100},
    {MathFunction::exp2, "exp2", exp2l, 1.4, 1.3, -140, 130},
    {MathFunction::exp10, "exp10", exp10l, 1.4, 1.6, -40, 40},
    {MathFunction::expm1, "expm1", expm1l, 1.6, 2.2, -20, 90},
    {MathFunction::log, "log", logl, 1.0, 1.0, 0, 100},
    {MathFunction::log2, "log2", log2l, 2.0, 1.0, 0, 100},
    {MathFunction::log10, "log10", log10l, 2.0, 1.0, 0, 100},
    {MathFunction::log1p, "log1p", log1pl, 1.7, 1.7, -1, 10},
    {MathFunction::sin, "sin", sinl, 1.7, 1.0, -100, 100},
    {MathFunction::cos, "cos", cosl, 1.7, 1.0, -100, 100},
    {MathFunction::tan, "tan", tanl, 1.6, 1.0, -100, 100},
    {MathFunction::asin, "asin", asinl, 2.1, 1.0, -1, 1},
    {MathFunction::acos, "acos", acosl, 1.5, 1.0, -1, 1},
    {MathFunction::atan, "atan", atanl, 1.7, 1.0, -10, 10},
    {MathFunction::sinh, "sinh", sinhl, 2.5, 2.5, -10, 10},
    {MathFunction::cosh, "cosh", coshl, 1.6, 1.6, -10, 10},
    {MathFunction::tanh, "tanh", tanhl, 1.6, 3.0, -6, 6},
    {MathFunction::erf, "erf", erfl, 2.3, 1.2, -4, 4},
    {MathFunction::sqrt, "sqrt", sqrtl, 0.5, 0.5, 0, 100},
    {MathFunction::rsqrt, "rsqrt", [](long double x) -> long double { return 1 / sqrtl(x); }, 1.5,
     1.5, 0, 100},
    {MathFunction::rcp, "rcp", [](long double x) -> long double { return 1 / x; }, 0.5, 0.5, -9, 9},
    {MathFunction::floor, "floor", floorl, 0, 0, -100, 100},
    {MathFunction::ceil, "ceil", ceill, 0, 0, -100, 100},
    {MathFunction::trunc, "trunc", truncl, 0, 0, -100, 100},
    {MathFunction::round, "round", roundl, 0, 0, -100, 100},
    {MathFunction::roundEven, "roundEven", roundevenl, 0, 0, -100, 100},
    {MathFunction::abs, "abs", fabsl, 0, 0, -100, 100},
    {MathFunction::cbrt, "cbrt", cbrtl, 1.1, 4.0, -100, 100},
    {MathFunction::asinh, "asinh", asinhl, 2.0, 2.0, -100, 100},
    {MathFunction::acosh, "acosh", acoshl, 2.5, 2.5, 1, 100},
    {MathFunction::atanh, "atanh", atanhl, 2.0, 2.0, -1, 1},
    {MathFunction::erfc, "erfc", erfcl, 4.0, 5.0, -4, 8},
    {MathFunction::tgamma, "tgamma", tgammal, 6.0, 9.0, 0.1, 20},
    {MathFunction::lgamma, "lgamma", lgammal, 6.0, 6.0, 3, 100},
};

/// Distance of `got` from the exact value in units of the last place of T.
template <typename T> double ulps(T got, long double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  T rounded = static_cast<T>(exact);
  if (std::isinf(got) || std::isinf(rounded)) {
    // At the edge of overflow the largest finite value is as near as infinity.
    bool edge = std::fabs(exact) >= static_cast<long double>(std::numeric_limits<T>::max());
    return got == rounded || edge ? 0 : INFINITY;
  }
  if (exact == 0)
    return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  int exponent;
  frexpl(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return double(fabsl(static_cast<long double>(got) - exact) /
                ldexpl(1, exponent - std::numeric_limits<T>::digits));
}

template <typename T> std::vector<T> samples(const Case &c, uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0),
                        -T(0),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::min(),
                        -Limits::min(),
                        Limits::max(),
                        Limits::lowest()};
  for (double special : {1.0,        0.5,
                         2.0,        88.72284,
                         88.7229,    89.0,
                         89.4,       103.97,
                         103.98,     104.0,
                         127.99,     128.0,
                         149.0,      149.5,
                         150.0,      709.78,
                         709.79,     710.0,
                         710.4,      745.1,
                         745.2,      1023.99,
                         1024.0,     1074.0,
                         1075.0,     38.53,
                         38.54,      45.1,
                         308.25,     308.26,
                         323.3,      8388607.5,
                         8388608.0,  4503599627370495.5,
                         33554431.0, 33554432.0,
                         1048575.0,  1048576.0,
                         1e6,        1e10,
                         1e22,       0.49999997,
                         1.5,        2.5,
                         0.925,      0.55,
                         4.0})
    for (double sign : {1.0, -1.0}) {
      T value = T(sign * special);
      values.push_back(value);
      values.push_back(std::nextafter(value, Limits::infinity()));
      values.push_back(std::nextafter(value, -Limits::infinity()));
    }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 30000; ++i) {
    values.push_back(std::bit_cast<T>(Bits(random())));
    values.push_back(T(c.low + (c.high - c.low) * double(random() >> 11) * 0x1p-53));
    T nearOne = T(1) + std::ldexp(T(int64_t(random())), -63 - int(random() % 30));
    values.push_back(nearOne);
    values.push_back(std::ldexp(T(int64_t(random())), -63 - int(random() % 40))); // near zero
  }
  values.resize((values.size() + 15) / 16 * 16, T(1));
  return values;
}

template <typename T>
void check(const Case &c, const HostFeatures &features, unsigned lanes, uint64_t seed) {
  auto function = emitted::math(c.function, 8 * sizeof(T), lanes, features);
  std::vector<T> in = samples<T>(c, seed), out(in.size());
  function(out.data(), in.size(), in.data());
  double worst = 0;
  T where = 0, got = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    double distance = ulps(out[i], c.reference(static_cast<long double>(in[i])));
    if (!(distance <= worst)) {
      worst = distance;
      where = in[i];
      got = out[i];
    }
  }
  double bound = sizeof(T) == 4 ? c.ulp32 : c.ulp64;
  CHECK_MESSAGE(worst <= bound, std::string(c.name)
                                    << " f" << 8 * sizeof(T) << " on " << features.cpu << " with "
                                    << lanes << " lanes is off by " << worst << " at " << where
                                    << " (" << got << ")");
}

} // namespace

TEST_CASE("functions of one operand keep their promised accuracy") {
  uint64_t seed = std::random_device()();
  MESSAGE("seed " << seed);
  for (const Case &c : cases)
    for (const std::string &cpu : HostFeatures::runnable()) {
      HostFeatures features = HostFeatures::named(cpu);
      check<float>(c, features, features.lanes(4), seed);
      check<double>(c, features, features.lanes(8), seed);
    }
}

TEST_CASE("any number of lanes gives the same results") {
  HostFeatures features = HostFeatures::host();
  std::vector<float> in(960);
  std::mt19937 random(1);
  for (float &x : in)
    x = float(random() >> 8) * 0x1p-21f - 4;
  for (MathFunction function : {MathFunction::exp, MathFunction::sin, MathFunction::tgamma}) {
    std::vector<float> expected(in.size());
    emitted::math(function, 32, features.lanes(4), features)(expected.data(), in.size(), in.data());
    for (unsigned lanes : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 20u, 32u, 64u}) {
      std::vector<float> out(in.size() + lanes);
      emitted::math(function, 32, lanes, features)(out.data(), in.size() / lanes * lanes,
                                                   in.data());
      size_t wrong = 0;
      for (size_t i = 0; i < in.size() / lanes * lanes; ++i)
        wrong += std::fabs(out[i] - expected[i]) > std::fabs(expected[i]) * 0x1p-22f;
      CHECK_MESSAGE(wrong == 0, "lanes " << lanes);
    }
  }
}

TEST_CASE("functions of two operands follow the C library, exceptions included") {
  struct Binary {
    MathFunction function;
    const char *name;
    long double (*reference)(long double, long double);
    double ulp32, ulp64;
  };
  const Binary binaries[] = {
      {MathFunction::pow, "pow", powl, 1.0, 1.1},
      {MathFunction::atan2, "atan2", atan2l, 2.5, 1.1},
      {MathFunction::hypot, "hypot", hypotl, 1.1, 1.1},
      {MathFunction::fmod, "fmod", fmodl, 0, 0},
      {MathFunction::remainder, "remainder", remainderl, 0, 0},
      {MathFunction::copySign, "copysign", copysignl, 0, 0},
      {MathFunction::fdim, "fdim", fdiml, 0.5, 0.5},
  };
  std::mt19937_64 random(std::random_device{}());
  std::vector<double> special{0.0,  -0.0,       1.0,  -1.0,  2.0,   -2.0,      3.0,
                              -3.0, 0.5,        -0.5, 1.5,   -2.5,  INFINITY,  -INFINITY,
                              NAN,  16777216.0, 1e30, -1e30, 1e-30, 33554431.0};
  auto run = [&]<typename T>(T) {
    std::vector<T> a, b;
    for (double x : special)
      for (double y : special) {
        a.push_back(T(x));
        b.push_back(T(y));
      }
    for (int i = 0; i < 20000; ++i) {
      a.push_back(std::ldexp(T(random() >> 11) * T(0x1p-53) + T(0.5), int(random() % 40) - 20));
      b.push_back(std::ldexp(T(int64_t(random())) * T(0x1p-63), int(random() % 8)));
      if (random() % 4 == 0)
        a.back() = -a.back();
      if (random() % 4 == 0)
        b.back() = std::round(b.back());
    }
    a.resize(a.size() / 16 * 16);
    b.resize(a.size());
    for (const Binary &binary : binaries)
      for (const std::string &cpu : HostFeatures::runnable()) {
        HostFeatures features = HostFeatures::named(cpu);
        std::vector<T> out(a.size());
        emitted::math(binary.function, 8 * sizeof(T), features.lanes(sizeof(T)),
                      features)(out.data(), a.size(), a.data(), b.data());
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < a.size(); ++i) {
          double distance = ulps(out[i], binary.reference(a[i], b[i]));
          if (!(distance <= worst)) {
            worst = distance;
            at = i;
          }
        }
        double bound = sizeof(T) == 4 ? binary.ulp32 : binary.ulp64;
        CHECK_MESSAGE(worst <= bound, std::string(binary.name)
                                          << " f" << 8 * sizeof(T) << " on " << cpu << " is off by "
                                          << worst << " at (" << a[at] << ", " << b[at]
                                          << "): " << out[at]);
      }
  };
  run(float());
  run(double());
}

TEST_CASE("minNum and maxNum skip NaN, fma rounds once") {
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    unsigned lanes = features.lanes(4);
    std::vector<float> a(lanes, NAN), b(lanes, 1.0f), out(lanes);
    for (MathFunction function : {MathFunction::minNum, MathFunction::maxNum}) {
      auto f = emitted::math(function, 32, lanes, features);
      f(out.data(), lanes, a.data(), b.data());
      CHECK(out[0] == 1.0f);
      f(out.data(), lanes, b.data(), a.data());
      CHECK(out[lanes - 1] == 1.0f);
      f(out.data(), lanes, a.data(), a.data());
      CHECK(std::isnan(out[0]));
    }
    std::vector<float> x(lanes, 1 + 0x1p-12f), z(lanes, -1 - 0x1p-11f);
    emitted::math(MathFunction::fma, 32, lanes, features)(out.data(), lanes, x.data(), x.data(),
                                                          z.data());
    CHECK(out[0] == 0x1p-24f);
  }
}

TEST_CASE("functions that only libdevice has are right where they are known") {
  HostFeatures features = HostFeatures::host();
  auto value = [&](MathFunction function, double x) {
    std::vector<double> in(8, x), out(8);
    emitted::math(function, 64, 8, features)(out.data(), 8, in.data());
    return out[0];
  };
  auto near = [](double got, double expected) {
    return std::fabs(got - expected) <= 4e-15 * std::fabs(expected) || got == expected;
  };
  for (double x : {1e-300, 1e-10, 0.1, 0.4, 0.51, 0.9, 0.999999, 1 - 1e-15}) {
    CHECK_MESSAGE(near(std::erf(value(MathFunction::erfInv, x)), x), x);
    CHECK_MESSAGE(near(std::erfc(value(MathFunction::erfcInv, x)), x), x);
    // The distribution function itself magnifies the rounding of its argument in the far tail.
    if (x > 1e-20)
      CHECK_MESSAGE(near(value(MathFunction::normCdf, value(MathFunction::normCdfInv, x)), x), x);
  }
  CHECK(value(MathFunction::erfInv, 1) == INFINITY);
  CHECK(value(MathFunction::erfInv, -1) == -INFINITY);
  CHECK(std::isnan(value(MathFunction::erfInv, 1.5)));
  CHECK(value(MathFunction::erfcInv, 2) == -INFINITY);
  CHECK(near(value(MathFunction::erfcx, 1), 0.42758357615580700442));
  CHECK(near(value(MathFunction::erfcx, 30), 0.018795888861416751));
  CHECK(near(value(MathFunction::rcbrt, 8), 0.5));
  CHECK(near(value(MathFunction::besselI0, 1), 1.2660658777520083356));
  CHECK(near(value(MathFunction::besselI1, -1), -0.56515910399248502721));
}

TEST_CASE("symbols of libdevice and ocml name functions") {
  CHECK(mathFunctionOfSymbol("__nv_sinhf") == MathFunction::sinh);
  CHECK(mathFunctionOfSymbol("__nv_sinh") == MathFunction::sinh);
  CHECK(mathFunctionOfSymbol("__nv_erf") == MathFunction::erf);
  CHECK(mathFunctionOfSymbol("__nv_erff") == MathFunction::erf);
  CHECK(mathFunctionOfSymbol("__nv_fast_expf") == MathFunction::exp);
  CHECK(mathFunctionOfSymbol("__nv_fmaf_rn") == MathFunction::fma);
  CHECK(mathFunctionOfSymbol("__nv_cyl_bessel_i0f") == MathFunction::besselI0);
  CHECK(mathFunctionOfSymbol("__ocml_exp_f32") == MathFunction::exp);
  CHECK(mathFunctionOfSymbol("__ocml_log1p_f64") == MathFunction::log1p);
  CHECK_FALSE(mathFunctionOfSymbol("__nv_popc").has_value());
  CHECK_FALSE(mathFunctionOfSymbol("__nv_").has_value());
  CHECK_FALSE(mathFunctionOfSymbol("sin").has_value());
  CHECK_FALSE(mathFunctionOfSymbol("").has_value());
}
