// SPDX-License-Identifier: MIT
//
// Mathematical functions of float and double. The tolerance is the largest error that the
// functions state; the reference is the C library's in double, or long double's for double.

#include "host.hpp"
#include "sweep.hpp"

#include <bit>

using namespace numeric;

namespace {

constexpr tolerance two_ulps{.ulps = 2}, three_ulps{.ulps = 3};
/// Exponentials of float on a GPU: its power of 2 is off by up to 2.06 ULP, and results below
/// 2^-126 may be 0.
constexpr tolerance of_gpu_powers{.ulps = 3, .absolute = 0x1.0001p-126};

template <class Kernel, class Host>
void sweep_exponential(const char *name, Kernel kernel, Host host, row_options of_double) {
  row_options of_float = of_double;
  of_float.on_gpus = of_gpu_powers;
  sweep(types<float>{}, elementwise<1>(name, kernel, host, of_float));
  sweep(types<double>{}, elementwise<1>(name, kernel, host, of_double));
}

} // namespace

TEST_CASE("exponentials are within 2 ULP, of float on GPUs within 3") {
  sweep_exponential(
      "exp", [](auto x) { return tl::exp(x); }, [](double x) { return std::exp(x); },
      {{-110, 95}, two_ulps, two_ulps});
  sweep_exponential(
      "exp of any value", [](auto x) { return tl::exp(x); }, [](double x) { return std::exp(x); },
      {{}, two_ulps, two_ulps});
  sweep_exponential(
      "exp2", [](auto x) { return tl::exp2(x); }, [](double x) { return std::exp2(x); },
      {{-155, 135}, {.ulps = 2.5}, {.ulps = 2.5}});
}

TEST_CASE("logarithms are within 2 ULP") {
  sweep(wide_floats, elementwise<1>(
                         "log", [](auto x) { return tl::log(x); },
                         [](double x) { return std::log(x); }, {{0, 100}, two_ulps, two_ulps}));
  sweep(wide_floats, elementwise<1>(
                         "log of any value", [](auto x) { return tl::log(x); },
                         [](double x) { return std::log(x); }, {{}, two_ulps, two_ulps}));
  sweep(wide_floats, elementwise<1>(
                         "log2", [](auto x) { return tl::log2(x); },
                         [](double x) { return std::log2(x); }, {{0, 3}, two_ulps, two_ulps}));
}

TEST_CASE("sine and cosine are within 2 ULP, also of large arguments") {
  sweep(wide_floats, elementwise<1>(
                         "sin", [](auto x) { return tl::sin(x); },
                         [](double x) { return std::sin(x); }, {{-100, 100}, two_ulps, two_ulps}));
  sweep(wide_floats, elementwise<1>(
                         "cos", [](auto x) { return tl::cos(x); },
                         [](double x) { return std::cos(x); }, {{-100, 100}, two_ulps, two_ulps}));
  sweep(wide_floats, elementwise<1>(
                         "sin of large arguments", [](auto x) { return tl::sin(x); },
                         [](double x) { return std::sin(x); }, {{-1e7, 1e7}, two_ulps, two_ulps}));
}

TEST_CASE("roots are rounded once, of float on GPUs and reciprocal ones within 2 ULP") {
  sweep(types<float>{}, elementwise<1>(
                            "sqrt", [](auto x) { return tl::sqrt(x); },
                            [](auto x) { return std::sqrt(x); }, {{0, 1000}, {}, {}, two_ulps}));
  sweep(types<double>{}, elementwise<1>(
                             "sqrt", [](auto x) { return tl::sqrt(x); },
                             [](auto x) { return std::sqrt(x); }, {{0, 1000}}));
  sweep(types<float>{}, elementwise<1>(
                            "sqrt_rn", [](auto x) { return tl::sqrt_rn(x); },
                            [](auto x) { return std::sqrt(x); }, {{0, 1000}}));
  sweep(wide_floats,
        elementwise<1>(
            "rsqrt", [](auto x) { return tl::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); },
            {{1e-3, 1000}, two_ulps, two_ulps}));
}

TEST_CASE("the error function is within 3 ULP") {
  sweep(wide_floats, elementwise<1>(
                         "erf", [](auto x) { return tl::erf(x); },
                         [](double x) { return std::erf(x); }, {{-6, 6}, three_ulps, three_ulps}));
}

TEST_CASE("floor, ceil and abs are exact") {
  sweep(wide_floats,
        elementwise<1>(
            "floor", [](auto x) { return tl::floor(x); }, [](auto x) { return std::floor(x); }));
  sweep(wide_floats,
        elementwise<1>(
            "ceil", [](auto x) { return tl::ceil(x); }, [](auto x) { return std::ceil(x); }));
  sweep(numbers,
        elementwise<1>(
            "abs", [](auto x) { return tl::abs(x); }, [](auto x) { return host::absolute(x); }));
}

TEST_CASE("fma rounds once") {
  auto fma = [](auto a, auto b, auto c) { return tl::fma(a, b, c); };
  sweep(wide_floats,
        elementwise<3>("fma", fma, [](auto a, auto b, auto c) { return std::fma(a, b, c); }));
  // Products are exact in double. Where the sum is not, its last bit says so, and rounding it once
  // more is as rounding once.
  sweep(types<tl::float16, tl::bfloat16>{},
        elementwise<3>("fma of 16 bits", fma, [](double a, double b, double c) {
          const double product = a * b, sum = product + c, back = sum - product;
          const double lost = (product - (sum - back)) + (c - back);
          const bool isOdd = std::bit_cast<std::uint64_t>(sum) & 1;
          return lost == 0 || isOdd || !std::isfinite(lost)
                     ? sum
                     : std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
        }));
}

TEST_CASE("precise division rounds once") {
  sweep(types<float>{}, elementwise<2>(
                            "div_rn", [](auto a, auto b) { return tl::div_rn(a, b); },
                            [](auto a, auto b) { return a / b; }));
  sweep(wide_floats, elementwise<2>(
                         "fdiv of ieee_rounding",
                         [](auto a, auto b) { return tl::fdiv(a, b, {.ieee_rounding = true}); },
                         [](auto a, auto b) { return a / b; }));
}

TEST_CASE("division is within 2 ULP") {
  sweep(wide_floats, elementwise<2>(
                         "fdiv", [](auto a, auto b) { return tl::fdiv(a, b); },
                         [](auto a, auto b) { return a / b; },
                         {{}, {.ulps = 2.5}, {.ulps = 2.5}})); // the reference is rounded
}

TEST_CASE("minimum and maximum prefer the number to the NaN") {
  // Which zero comes out is open, so zeros count as equal.
  constexpr tolerance zeros_equal{.absolute = 1e-300};
  sweep(types<float, double, tl::float16>{},
        elementwise<2>(
            "minimum", [](auto a, auto b) { return tl::minimum(a, b); },
            [](double a, double b) { return std::fmin(a, b); }, {{}, zeros_equal, zeros_equal}));
  sweep(types<float, double, tl::float16>{},
        elementwise<2>(
            "maximum", [](auto a, auto b) { return tl::maximum(a, b); },
            [](double a, double b) { return std::fmax(a, b); }, {{}, zeros_equal, zeros_equal}));
  sweep(integers, elementwise<2>(
                      "minimum", [](auto a, auto b) { return tl::minimum(a, b); },
                      [](auto a, auto b) { return host::minimum(a, b); }));
  sweep(integers, elementwise<2>(
                      "maximum", [](auto a, auto b) { return tl::maximum(a, b); },
                      [](auto a, auto b) { return host::maximum(a, b); }));
}

TEST_CASE("minimum, maximum and clamp give NaN where that is asked for") {
  constexpr tolerance zeros_equal{.absolute = 1e-300};
  constexpr auto smaller = [](double a, double b) {
    return a != a ? a : b != b ? b : b < a ? b : a;
  };
  constexpr auto larger = [](double a, double b) {
    return a != a ? a : b != b ? b : a < b ? b : a;
  };
  using T = types<float, double, tl::float16, tl::bfloat16>;
  sweep(T{},
        elementwise<2>("minimum",
                       [](auto a, auto b) { return tl::minimum(a, b, {.propagate_nan = true}); },
                       smaller, {{}, zeros_equal, zeros_equal}));
  sweep(T{},
        elementwise<2>("maximum",
                       [](auto a, auto b) { return tl::maximum(a, b, {.propagate_nan = true}); },
                       larger, {{}, zeros_equal, zeros_equal}));
  sweep(
      wide_floats,
      elementwise<1>(
          "clamp", [](auto x) { return tl::clamp(x, -0.5f, 0.75f, {.propagate_nan = true}); },
          [](auto x) {
            return x != x ? x : x < -0.5f ? decltype(x)(-0.5f) : x > 0.75f ? decltype(x)(0.75f) : x;
          }));
}

TEST_CASE("clamp takes the nearer bound") {
  sweep(wide_floats,
        elementwise<1>(
            "clamp", [](auto x) { return tl::clamp(x, -0.5f, 0.75f); },
            [](auto x) { return x < -0.5f   ? -0.5f
                                : x > 0.75f ? 0.75f
                                            : x; }, {{-2, 2}}));
}

TEST_CASE("where clamp's low bound is above the high one, the high one is the result") {
  constexpr tolerance zeros_equal{.absolute = 1e-300};
  constexpr auto clamped = [](auto x, auto low, auto high) {
    const auto raised = low > x ? low : x;
    return raised < high ? raised : high;
  };
  sweep(types<float, double, tl::float16>{},
        elementwise<3>(
            "clamp", [](auto x, auto low, auto high) { return tl::clamp(x, low, high); },
            [=](auto x, auto low, auto high) {
              return clamped(double(x), double(low), double(high));
            },
            {{-2, 2}, zeros_equal, zeros_equal}));
  sweep(wide_floats, elementwise<1>(
                         "clamp", [](auto x) { return tl::clamp(x, 0.75f, -0.5f); },
                         [](auto) { return -0.5f; }));
  sweep(wide_floats,
        elementwise<1>(
            "clamp", [](auto x) { return tl::clamp(x, 0.75f, -0.5f, {.propagate_nan = true}); },
            [](auto x) { return x != x ? x : decltype(x)(-0.5f); }));
  sweep(integers,
        elementwise<3>(
            "clamp", [](auto x, auto low, auto high) { return tl::clamp(x, low, high); }, clamped));
}

TEST_CASE("the upper half of a product is exact") {
  sweep(types<std::uint32_t, std::uint64_t>{},
        elementwise<2>(
            "umulhi", [](auto a, auto b) { return tl::umulhi(a, b); },
            [](auto a, auto b) { return host::upper_half(a, b); }));
}

TEST_CASE("sigmoid is within 4 ULP, of float on GPUs within 5") {
  constexpr tolerance four_ulps{.ulps = 4}, five_ulps{.ulps = 5};
  const auto sigmoid = [](auto x) { return tl::sigmoid(x); };
  const auto host = [](double x) { return 1 / (1 + std::exp(-x)); };
  sweep(types<float>{},
        elementwise<1>("sigmoid", sigmoid, host, {{-20, 20}, four_ulps, four_ulps, five_ulps}));
  sweep(types<double>{},
        elementwise<1>("sigmoid", sigmoid, host, {{-20, 20}, four_ulps, four_ulps}));
}

TEST_CASE("a rounded up quotient is exact") {
  sweep(types<std::int32_t, std::uint8_t, std::int64_t>{},
        elementwise<2>(
            "cdiv", [](auto a, auto b) { return tl::cdiv(a, b); },
            [](auto a, auto b) { return decltype(a)((a + b - 1) / b); }, {{1, 100}}));
}
