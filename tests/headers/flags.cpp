// SPDX-License-Identifier: MIT
// What the user's compiler flags and floating-point mode must not change: prints what a program
// gets from tl, and says what is wrong. `run` compiles it with each compiler under many flags.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <cfenv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

int wrong = 0;
void expect(bool holds, const char *what) {
  if (!holds) {
    std::printf("wrong: %s\n", what);
    wrong = 1;
  }
}
bool has(const std::string &text, const char *word) { return text.find(word) != text.npos; }

constexpr auto numbers =
    tl::kernel{"numbers", [](tl::ptr<float> x, tl::ptr<double> d, tl::ptr<tl::float16> h,
                             tl::ptr<tl::bfloat16> b, tl::ptr<tl::float8e5> s) {
                 auto at = tl::arange<8>();
                 tl::store(x + at, tl::full<float, 8>(-tl::inf));
                 tl::store(x + at, tl::where(at < 3, tl::load(x + at), tl::nan));
                 tl::store(x + at, tl::load(x + at, at < 3, tl::inf) * -tl::inf);
                 tl::tensor best = tl::full<float, 8>(-tl::inf);
                 best = tl::maximum(best, tl::load(x + at));
                 tl::store(x + at, best + 0x1p-149f);
                 tl::store(x, 0x1p-133);
                 tl::store(x, 1.0 / 3);
                 tl::store(x, -0.0f);
                 tl::store(d, tl::inf);
                 tl::store(d, 0x1.8p-1060);
                 tl::store(d, 0.1);
                 tl::store(h, -tl::inf);
                 tl::store(h, 0x1p-24);
                 tl::store(h, 0.1);
                 tl::store(b, 0x1p-133f);
                 tl::store(b, tl::nan);
                 tl::store(s, 0.3);
                 tl::store(h, tl::cast<tl::float16>(tl::load(x) + tl::float16(0.1)));
               }};

constexpr auto too_large = tl::kernel{[](tl::ptr<float> x) { tl::store(x, tl::load(x) + 1e60); }};
constexpr auto no_integer =
    tl::kernel{[](tl::ptr<int> x) { tl::store(x, tl::load(x, tl::program_id(0) < 3, tl::nan)); }};

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const tl::error &e) {
    return e.message();
  }
  return "no error";
}

std::string plain(std::string text) {
  for (std::size_t at; (at = text.find(" loc(")) != text.npos;)
    text.erase(at, text.find(')', text.find("\":", at)) + 1 - at);
  return text;
}

void check_comparisons() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto differ = [](float a, float b, tl::testing::tolerance allowed = {}) {
    return !tl::testing::allclose(std::vector<float>{a}, std::vector<float>{b}, allowed);
  };
  expect(differ(nan, 1), "NaN is not 1");
  expect(differ(1, nan), "1 is not NaN");
  expect(differ(nan, nan), "NaN is not NaN unless one says so");
  expect(!differ(nan, nan, {.equal_nan = true}), "NaN is NaN where one says so");
  expect(differ(tl::inf, 1e30f, {.rtol = 1}), "infinity is not a number");
  expect(!differ(tl::inf, tl::inf), "infinity is infinity");
  expect(differ(tl::inf, -tl::inf), "infinity is not its opposite");
  expect(differ(0x1p-140f, 0), "a denormal is not 0");
  expect(message_of([&] { tl::testing::random_values<float>(1, {0, double(tl::inf)}); }) !=
             "no error",
         "random values lie in a finite interval");
}

/// The trace and comparisons under a mode, which is as before afterwards.
void check_mode(const char *name, const std::string &text) {
  std::fenv_t before, after;
  std::memset(&before, 0, sizeof before);
  std::memset(&after, 0, sizeof after);
  std::fegetenv(&before);
#if defined(__SSE2__)
  const unsigned control = _mm_getcsr();
#endif
  const std::string now = plain(numbers.trace());
  const std::string message = message_of([] { too_large.trace(); });
#if defined(__SSE2__)
  expect(_mm_getcsr() == control, "the mode is as before");
#endif
  const int rounding = std::fegetround();
  std::fegetenv(&after);
  std::fesetenv(FE_DFL_ENV);
  expect(now == text && has(message, "does not fit fp32"), name);
  std::fesetenv(&before);
  expect(std::fegetround() == rounding, "the rounding is as before");
  check_comparisons();
  std::fesetenv(FE_DFL_ENV);
}

} // namespace

int main() {
  std::fenv_t start; // a program that is linked with -ffast-math begins with denormals flushed
  std::fegetenv(&start);
  const std::string text = plain(numbers.trace());
  std::printf("%s", text.c_str());
  for (const char *constant :
       {"dense<0xFF800000> : tensor<8xf32>", "dense<0x7FC00000> : tensor<8xf32>",
        "dense<0x7F800000> : tensor<8xf32>", "dense<1.401298e-45> : tensor<8xf32>",
        "9.183550e-41 : f32", "0x3EAAAAAB : f32", "-0.000000e+00 : f32", "0x7FF0000000000000 : f64",
        "1.000000e-01 : f64", "0xFC00 : f16", "5.960464e-08 : f16", "9.997559e-02 : f16",
        "9.183550e-41 : bf16", "0x7FC0 : bf16", "3.125000e-01 : f8E5M2"})
    expect(has(text, constant), constant);
  expect(message_of([] { too_large.trace(); }) == "the number 1e+60 does not fit fp32",
         "numbers that do not fit are refused");
  expect(message_of([] { no_integer.trace(); }) == "the number nan cannot become i32",
         "NaN is no integer");
  check_comparisons();
  check_mode("the mode that the program began with", text);
  for (int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(rounding);
    check_mode("another rounding", text);
  }
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
  check_mode("flushed denormals", text);
#endif
#if defined(__GLIBC__)
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  check_mode("traps", text);
#endif
  std::fesetenv(&start);
  std::printf("%s\n", wrong ? "failed" : "passed");
  return wrong;
}
