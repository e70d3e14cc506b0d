// SPDX-License-Identifier: MIT
//
// Functions of upstream's libdevice, and elementwise code of the user's own. The tolerance in ULP
// is that of the function; the reference is the C library's in double.

#include "host.hpp"
#include "sweep.hpp"

#include <cmath>
#include <numbers>

using namespace numeric;
using tl::testing::allclose;

namespace {

// For double the C library's own error counts as well.
constexpr tolerance ulps(double count) { return {.ulps = count}; }

template <class Kernel, class Host>
void sweep_function(const char *name, Kernel kernel, Host host, double low, double high,
                    double bound) {
  sweep(wide_floats,
        elementwise<1>(name, kernel, host, {{low, high}, ulps(bound), ulps(2 * bound)}));
}
template <class Kernel, class Host>
void sweep_function_of_two(const char *name, Kernel kernel, Host host, double low, double high,
                           double bound) {
  sweep(wide_floats,
        elementwise<2>(name, kernel, host, {{low, high}, ulps(bound), ulps(2 * bound)}));
}

/// x with f(x) = y for a growing f, by halving [low, high].
template <class F> double inverse(F f, double y, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}

template <class T>
constexpr auto rounded = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> whole, tl::ptr<T> sign) {
  auto i = tl::arange<32>();
  auto r = tl::libdevice::round(tl::load(x + i));
  tl::store(whole + i, r);
  tl::store(sign + i, tl::libdevice::copysign(tl::full<T, 32>(1), r));
}};

double normal_distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

} // namespace

TEST_CASE_TEMPLATE("round takes ties away from zero, and what is closer to a number there", T,
                   float, double) {
  const T first_without_fraction = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  std::vector<T> x;
  for (T value : {T(0), std::numeric_limits<T>::denorm_min(), T(0.3), T(0.5), T(1), T(1.5), T(2.5),
                  T(1e6), first_without_fraction / 2 + T(0.5), first_without_fraction - T(0.5),
                  first_without_fraction + 1, 2 * first_without_fraction + 2,
                  std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity(),
                  std::nextafter(T(0.5), T(0)), std::nextafter(T(1.5), T(0))})
    x.insert(x.end(), {value, -value});
  REQUIRE(x.size() == 32);
  std::vector<T> whole, sign;
  for (T value : x) {
    whole.push_back(std::round(value));
    sign.push_back(std::copysign(T(1), value));
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> in(dev, x), out(dev, 32), signs(dev, 32);
    numeric::seen(rounded<T>[numeric::grid(1)](in, out, signs));
    CHECK(allclose(out, whole));
    CHECK(allclose(signs, sign));
  }
}

TEST_CASE("trigonometric functions of the library are within 4 ULP") {
  sweep_function(
      "tan", [](auto x) { return tl::libdevice::tan(x); }, [](double x) { return std::tan(x); },
      -1.5, 1.5, 4);
  sweep_function(
      "asin", [](auto x) { return tl::libdevice::asin(x); }, [](double x) { return std::asin(x); },
      -1, 1, 4);
  sweep_function(
      "acos", [](auto x) { return tl::libdevice::acos(x); }, [](double x) { return std::acos(x); },
      -1, 1, 4);
  sweep_function(
      "atan", [](auto x) { return tl::libdevice::atan(x); }, [](double x) { return std::atan(x); },
      -50, 50, 4);
  sweep_function_of_two(
      "atan2", [](auto y, auto x) { return tl::libdevice::atan2(y, x); },
      [](double y, double x) { return std::atan2(y, x); }, -5, 5, 4);
}

TEST_CASE("hyperbolic functions of the library are within 4 ULP") {
  sweep_function(
      "sinh", [](auto x) { return tl::libdevice::sinh(x); }, [](double x) { return std::sinh(x); },
      -20, 20, 4);
  sweep_function(
      "cosh", [](auto x) { return tl::libdevice::cosh(x); }, [](double x) { return std::cosh(x); },
      -20, 20, 4);
  sweep_function(
      "tanh", [](auto x) { return tl::libdevice::tanh(x); }, [](double x) { return std::tanh(x); },
      -9, 9, 4);
}

TEST_CASE("powers and logarithms of the library are within 4 ULP") {
  sweep_function(
      "log1p", [](auto x) { return tl::libdevice::log1p(x); },
      [](double x) { return std::log1p(x); }, -0.9, 100, 4);
  sweep_function(
      "expm1", [](auto x) { return tl::libdevice::expm1(x); },
      [](double x) { return std::expm1(x); }, -20, 20, 4);
  sweep_function(
      "cbrt", [](auto x) { return tl::libdevice::cbrt(x); }, [](double x) { return std::cbrt(x); },
      -100, 100, 4);
  sweep_function_of_two(
      "pow", [](auto x, auto y) { return tl::libdevice::pow(x, y); },
      [](double x, double y) { return std::pow(x, y); }, 0.1, 8, 4);
  sweep_function_of_two(
      "hypot", [](auto x, auto y) { return tl::libdevice::hypot(x, y); },
      [](double x, double y) { return std::hypot(x, y); }, -10, 10, 4);
}

TEST_CASE("functions that the C library lacks are within 8 ULP") {
  sweep_function(
      "rcbrt", [](auto x) { return tl::libdevice::rcbrt(x); },
      [](double x) { return 1 / std::cbrt(x); }, 0.01, 100, 8);
  sweep_function_of_two(
      "rhypot", [](auto x, auto y) { return tl::libdevice::rhypot(x, y); },
      [](double x, double y) { return 1 / std::hypot(x, y); }, 0.1, 10, 8);
  sweep_function(
      "erfcx", [](auto x) { return tl::libdevice::erfcx(x); },
      [](double x) { return std::exp(x * x) * std::erfc(x); }, -1, 2, 8);
  sweep_function(
      "erfinv", [](auto x) { return tl::libdevice::erfinv(x); },
      [](double y) { return inverse([](double x) { return std::erf(x); }, y, -6, 6); }, 0.05, 0.75,
      8);
  sweep_function(
      "erfcinv", [](auto x) { return tl::libdevice::erfcinv(x); },
      [](double y) { return -inverse([](double x) { return std::erfc(-x); }, y, -27, 6); }, 1e-6,
      0.75, 8);
  sweep_function(
      "normcdf", [](auto x) { return tl::libdevice::normcdf(x); }, normal_distribution, -1, 4, 8);
  sweep_function(
      "normcdfinv", [](auto x) { return tl::libdevice::normcdfinv(x); },
      [](double p) { return inverse(normal_distribution, p, -38, 8); }, 1e-6, 0.4, 8);
  sweep_function(
      "cyl_bessel_i0", [](auto x) { return tl::libdevice::cyl_bessel_i0(x); },
      [](double x) { return std::cyl_bessel_i(0.0, x); }, 0.1, 3, 8);
  sweep_function(
      "cyl_bessel_i1", [](auto x) { return tl::libdevice::cyl_bessel_i1(x); },
      [](double x) { return std::cyl_bessel_i(1.0, x); }, 0.1, 3, 8);
  sweep(wide_floats, elementwise<2>(
                         "nextafter", [](auto x, auto y) { return tl::libdevice::nextafter(x, y); },
                         [](auto x, auto y) { return std::nextafter(x, y); }, {{-10, 10}}));
}

TEST_CASE("a function of the user's own is applied to every element") {
  sweep(types<float, std::int32_t>{},
        elementwise<1>(
            "map_elementwise",
            [](auto x) {
              return tl::map_elementwise([](auto e) { return tl::where(e > 0, e, e * 2); }, x);
            },
            [](auto x) { return x > 0 ? x : host::mul(x, decltype(x)(2)); }, {{-50, 50}}));
}
