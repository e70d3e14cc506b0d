// SPDX-License-Identifier: MIT
//
// Inline PTX of users on an emulated GPU.
#include <doctest/doctest.h>

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr int count = 128;

/// A text as a template argument.
template <std::size_t N> struct assembly {
  consteval assembly(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i)
      text[i] = literal[i];
  }
  char text[N];
};

template <assembly Body>
constexpr auto applied = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> y) {
  auto at = tl::arange<count>();
  tl::store(y + at, tl::inline_asm_elementwise<float>(Body.text, "=f,f", {}, tl::load(x + at)));
}};

/// From a first number on, at a distance.
struct numbers {
  float first = -8, step = 0.125f;
  float operator[](int i) const { return first + float(i) * step; }
};
constexpr numbers positive{1, 1};

template <assembly Body> std::vector<float> computed(numbers of = {}) {
  std::vector<float> host(count);
  for (int i = 0; i < count; ++i)
    host[std::size_t(i)] = of[i];
  tl::device dev("simt:sm_90a");
  tl::buffer<float> x(dev, host), y(dev, count);
  applied<Body>[{.grid = {1}, .device = dev}](x, y);
  return y.to_vector();
}

template <assembly Body, class Want> void check(const Want &want, numbers of = {}) {
  const std::vector<float> got = computed<Body>(of);
  for (int i = 0; i < count; ++i) {
    const double x = double(of[i]), wanted = want(x);
    CAPTURE(std::string(Body.text));
    CAPTURE(x);
    CHECK(std::fabs(double(got[std::size_t(i)]) - wanted) <=
          1e-6 * std::max(1.0, std::fabs(wanted)));
  }
}

template <assembly Body>
void check_refused(const char *why = "the emulator does not know the assembly") {
  std::string said;
  try {
    computed<Body>();
  } catch (const tl::error &error) {
    said = error.what();
  }
  CAPTURE(std::string(Body.text));
  CAPTURE(said);
  CHECK(said.find(why) != said.npos);
}

} // namespace

TEST_CASE("approximate functions of PTX are those of mathematics") {
  check<"ex2.approx.ftz.f32 $0, $1;">([](double x) { return std::exp2(x); });
  check<"ex2.approx.f32 $0, $1;">([](double x) { return std::exp2(x); });
  check<"tanh.approx.f32 $0, $1;">([](double x) { return std::tanh(x); });
  check<"sin.approx.f32 $0, $1;">([](double x) { return std::sin(x); });
  check<"cos.approx.f32 $0, $1;">([](double x) { return std::cos(x); });
  const auto logarithm = [](double x) { return std::log2(x); };
  check<"lg2.approx.f32 $0, $1;">(logarithm, positive);
  check<"lg2.approx.ftz.f32 $0, $1;">(logarithm, positive);
  const auto reciprocal = [](double x) { return 1 / x; };
  check<"rcp.approx.f32 $0, $1;">(reciprocal, positive);
  check<"rcp.approx.ftz.f32 $0, $1;">(reciprocal, positive);
  const auto of_root = [](double x) { return 1 / std::sqrt(x); };
  check<"rsqrt.approx.f32 $0, $1;">(of_root, positive);
  check<"rsqrt.approx.ftz.f32 $0, $1;">(of_root, positive);
  check<"sqrt.rn.f32 $0, $1;">([](double x) { return std::sqrt(x); }, positive);
}

TEST_CASE("without .ftz approximate functions of PTX know subnormal numbers") {
  const numbers least{0x1p-140f, 0x1p-140f}, low{-140, 0.125f};
  const auto relative = [](float got, double wanted) { return std::fabs(got / wanted - 1); };
  const std::vector<float> powers = computed<"ex2.approx.f32 $0, $1;">(low),
                           logarithms = computed<"lg2.approx.f32 $0, $1;">(least);
  for (int i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK(relative(powers[std::size_t(i)], std::exp2(double(low[i]))) < 1e-3);
    CHECK(relative(logarithms[std::size_t(i)], std::log2(double(least[i]))) < 1e-6);
  }
  CHECK(computed<"ex2.approx.ftz.f32 $0, $1;">(low)[0] == 0);
}

TEST_CASE("guards, registers and constants of PTX") {
  check<"{ .reg .pred p; setp.gt.f32 p, $1, 2.; @p mov.f32 $0, $1; @!p ex2.approx.ftz.f32 $0, $1; "
        "@!p add.f32 $0, $0, 1.0; @!p lg2.approx.ftz.f32 $0, $0; }">(
      [](double x) { return x > 2 ? x : std::log2(std::exp2(x) + 1); });
  check<"{ .reg .f32 r, e; rcp.rn.f32 r, $1; fma.rn.f32 e, $1, r, 0fBF800000; add.rn.f32 $0, r, e; "
        "}">([](double x) { return 1 / x; }, positive);
  check<"{ .reg .pred p; .reg .f32 a; abs.f32 a, $1; setp.le.f32 p, a, 1.5; neg.f32 a, $1; "
        "selp.f32 $0, a, $1, p; }">([](double x) { return std::fabs(x) <= 1.5 ? -x : x; });
  check<"{ .reg .f32 a; max.f32 a, $1, -1.25; min.f32 a, a, 0.5; div.rn.f32 $0, a, 0f40000000; }">(
      [](double x) { return std::fmin(std::fmax(x, -1.25), 0.5) / 2; });
}

TEST_CASE("names of registers, zeros and widths in PTX") {
  check<"{ .reg .f32 inf, nan; add.f32 inf, $1, 1.0; mul.f32 nan, inf, 2.0; mov.f32 $0, nan; }">(
      [](double x) { return (x + 1) * 2; });
  check<"{ .reg .pred p; setp.lt.f32 p, $1, 0.0; selp.f32 $0, 0f3F800000, $1, p; }">(
      [](double x) { return x < 0 ? 1 : x; });
  // The upper half of a word of 64 bits.
  check<"{ .reg .pred p; .reg .b64 l, h, w; .reg .b32 u; setp.lt.f32 p, $1, 0.0; mov.b64 l, "
        "4575657221408423936; mov.b64 h, 4611686018427387904; selp.b64 w, l, h, p; mov.b64 {u, "
        "$0}, w; }">([](double x) { return x < 0 ? 1 : 2; });
  for (float result :
       computed<"{ .reg .f32 n; mov.f32 n, -0.0; min.f32 n, 0.0, n; div.rn.f32 $0, 1.0, n; }">())
    CHECK(result == -std::numeric_limits<float>::infinity());
  const std::vector<float> powers = computed<"ex2.approx.f32 $0, $1;">(numbers{-10, 1});
  for (int i = 0; i < 20; ++i)
    CHECK(powers[std::size_t(i)] == std::exp2(float(i - 10)));
}

TEST_CASE("what the emulator does not know of PTX is an error") {
  check_refused<"ex2.approx.ftz.f16 $0, $1;">();
  check_refused<"add.rz.f32 $0, $1, $1;">();
  check_refused<"mul.ftz.f32 $0, $1, $1;">();
  check_refused<"ex2.rn.f32 $0, $1;">();
  check_refused<"mul.f32;">();
  const char *why = "the emulator misses an operand in assembly";
  check_refused<"add.s32 $0;">(why);
  check_refused<"ld.global.b32 $0;">(why);
  check_refused<"lop3.b32 $0, $1, $1;">(why);
}
