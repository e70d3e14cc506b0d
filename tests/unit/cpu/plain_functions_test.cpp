// SPDX-License-Identifier: MIT
//
// The mathematics for processors without a C library, compiled for this host: each function within
// the error that the table of the library states, from what the host computes in long double.
#include "../../numeric/library_references.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>

extern "C" {
// What is emitted on those processors and no C library of this host's age has.
[[gnu::weak]] double sinpi(double x) {
  double r = std::remainder(x, 2.0);
  if (std::fabs(r) > 0.5)
    r = std::copysign(1.0, r) - r;
  return double(std::sin(3.14159265358979323846264338327950288L * r));
}
[[gnu::weak]] float sinpif(float x) { return float(sinpi(x)); }

#define OF_ONE(F)                                                                                  \
  F(cbrt)                                                                                          \
  F(rcbrt)                                                                                         \
  F(asinh)                                                                                         \
  F(acosh)                                                                                         \
  F(atanh)                                                                                         \
  F(erfc)                                                                                          \
  F(erfcx)                                                                                         \
  F(normcdf)                                                                                       \
  F(erfinv)                                                                                        \
  F(erfcinv)                                                                                       \
  F(normcdfinv)                                                                                    \
  F(tgamma)                                                                                        \
  F(lgamma)                                                                                        \
  F(j0)                                                                                            \
  F(j1)                                                                                            \
  F(y0)                                                                                            \
  F(y1)                                                                                            \
  F(cyl_bessel_i0)                                                                                 \
  F(cyl_bessel_i1)                                                                                 \
  F(logb)
#define OF_TWO(F) F(hypot) F(rhypot) F(fmod) F(remainder) F(nextafter)
#define OF_DOUBLES(F) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(erf)

#define DECLARE(name)                                                                              \
  float tl_##name##f(float);                                                                       \
  double tl_##name(double);
OF_ONE(DECLARE)
#undef DECLARE
#define DECLARE(name)                                                                              \
  float tl_##name##f(float, float);                                                                \
  double tl_##name(double, double);
OF_TWO(DECLARE)
#undef DECLARE
#define DECLARE(name) double tl_##name(double);
OF_DOUBLES(DECLARE)
#undef DECLARE
double tl_atan2(double, double);
double tl_pow(double, double);
float tl_jnf(int, float);
double tl_jn(int, double);
float tl_ynf(int, float);
double tl_yn(int, double);
}

using numeric::host_operand;
using tl::impl::library_function;

namespace {

using function = double (*)(const double *x);

template <auto F> double of_one(const double *x) { return F(x[0]); }
template <auto F> double of_one_single(const double *x) { return F(float(x[0])); }
template <auto F> double of_two(const double *x) { return F(x[0], x[1]); }
template <auto F> double of_two_single(const double *x) { return F(float(x[0]), float(x[1])); }
template <auto F> double of_order(const double *x) { return F(int(x[0]), x[1]); }
template <auto F> double of_order_single(const double *x) { return F(int(x[0]), float(x[1])); }

const std::map<std::string_view, function> functions = {
#define ENTER(name) {#name, of_one<tl_##name>}, {#name "f", of_one_single<tl_##name##f>},
    OF_ONE(ENTER)
#undef ENTER
#define ENTER(name) {#name, of_two<tl_##name>}, {#name "f", of_two_single<tl_##name##f>},
        OF_TWO(ENTER)
#undef ENTER
#define ENTER(name) {#name, of_one<tl_##name>},
            OF_DOUBLES(ENTER)
#undef ENTER
                {"atan2", of_two<tl_atan2>},
    {"pow", of_two<tl_pow>},
    {"jn", of_order<tl_jn>},
    {"jnf", of_order_single<tl_jnf>},
    {"yn", of_order<tl_yn>},
    {"ynf", of_order_single<tl_ynf>},
};

/// One element in six is any number, the others are smaller and smaller.
double sample(std::mt19937_64 &random, int i, bool single) {
  constexpr double awkward[] = {0.0, -0.0, 1,         -1.5,     0.5, -0.5, 2,
                                3,   -1,   -INFINITY, INFINITY, NAN, -2};
  constexpr int many = sizeof awkward / sizeof awkward[0];
  if (i < many)
    return single ? float(awkward[i]) : awkward[i];
  const std::uint64_t bits = random();
  double value;
  if (i % 6 == 0) {
    const auto half = std::uint32_t(bits);
    float narrow;
    std::memcpy(&narrow, &half, sizeof narrow);
    std::memcpy(&value, &bits, sizeof value);
    value = single ? double(narrow) : value;
  } else {
    constexpr double bounds[] = {1, 1, 3, 10, 40, 200};
    value = (std::ldexp(double(bits >> 11), -52) - 1) * bounds[i % 6];
  }
  if (!single)
    return value;
  constexpr double least = std::numeric_limits<float>::min();
  value = float(value);
  return value != 0 && std::fabs(value) < least ? std::copysign(least, value) : value;
}

template <class T> long double unit_in_last_place(long double value) {
  int exponent = std::numeric_limits<T>::min_exponent - 1;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0L, exponent - (std::numeric_limits<T>::digits - 1));
}

/// Within the row's error; an infinity is as near as the largest number.
template <class T> bool agrees(const library_function &f, double got, long double want) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want);
  constexpr double largest = std::numeric_limits<T>::max();
  if (std::isinf(got) || std::fabs(want) > largest)
    return std::fabs(want) >= largest * 0.999999 && std::fabs(got) >= largest * 0.999999 &&
           std::signbit(got) == std::signbit(want);
  return std::fabs(got - want) <= f.ulps * unit_in_last_place<T>(want) + f.absolute;
}

template <class T> host_operand operand(double value) {
  host_operand made{0, value};
  const T narrow = T(value);
  std::memcpy(&made.bits, &narrow, sizeof narrow);
  return made;
}

template <class T> void check(const library_function &f, function call) {
  std::mt19937_64 random(std::hash<std::string_view>{}(f.symbol()));
  int off = 0;
  for (int i = 0; i < 3000; ++i) {
    // First the awkward ones in all pairs.
    constexpr int many = 13;
    const bool isPair = i < many * many;
    double x[2] = {sample(random, isPair ? i % many : i, sizeof(T) == 4),
                   sample(random, isPair ? i / many : i / 3, sizeof(T) == 4)};
    if (f.code == tl::impl::library_code::order)
      x[0] = double(random() % 81) - 40;
    const host_operand operands[4] = {operand<T>(x[0]), operand<T>(x[1])};
    const double got = call(x);
    bool right;
    if (f.ulps == 0) {
      right =
          std::isnan(got) || operand<T>(got).bits == numeric::exact_reference(f, operands).value();
    } else {
      right = agrees<T>(f, got, numeric::reference(f, operands).value());
    }
    if (!right && off++ == 0)
      FAIL_CHECK(f.symbol() << " of " << x[0] << ", " << x[1] << " is " << got);
  }
}

} // namespace

TEST_CASE("mathematics without a C library is within the errors of the table") {
  std::size_t seen = 0;
  for (const library_function &f : tl::impl::library_functions)
    if (auto found = functions.find(f.symbol()); found != functions.end()) {
      ++seen;
      if (f.types().back() == 'f')
        check<float>(f, found->second);
      else
        check<double>(f, found->second);
    }
  CHECK(seen == functions.size());
}
