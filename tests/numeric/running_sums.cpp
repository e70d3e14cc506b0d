// SPDX-License-Identifier: MIT
//
// Who searches in running sums (a sampler, say) relies on their order: of numbers that are not
// negative, no sum is below the one before it, however the scan is shared by threads. The inputs
// have zeros and numbers far apart, so that sums round.

#include "gpus.hpp"
#include "sweep.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace {

template <class T, int Rows, int Columns, int Axis, bool Reverse, class F>
constexpr auto scans = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns + tl::arange<Columns>();
  auto v = tl::load(x + at);
  if constexpr (Rows == 1)
    tl::store(out + at, tl::reshape<1, Columns>(
                            F::template run<0>(tl::reshape<Columns>(v), {.reverse = Reverse})));
  else
    tl::store(out + at, F::template run<Axis>(v, {.reverse = Reverse}));
}};

struct sum {
  static constexpr const char *name = "sum";
  template <int Axis> static auto run(const auto &x, tl::scan_options options) {
    return tl::associative_scan<Axis>(x, [](auto a, auto b) { return a + b; }, options);
  }
  static double combine(double a, double b) { return a + b; }
  static constexpr int order = 1;
};
struct product {
  static constexpr const char *name = "product";
  template <int Axis> static auto run(const auto &x, tl::scan_options options) {
    return tl::associative_scan<Axis>(x, [](auto a, auto b) { return a * b; }, options);
  }
  static double combine(double a, double b) { return a * b; }
  static constexpr int order = -1; // of numbers from 0 to 1
};
struct largest {
  static constexpr const char *name = "largest";
  template <int Axis> static auto run(const auto &x, tl::scan_options options) {
    return tl::associative_scan<Axis>(x, [](auto a, auto b) { return tl::maximum(a, b); }, options);
  }
  static double combine(double a, double b) { return a < b ? b : a; }
  static constexpr int order = 1;
};
struct smallest {
  static constexpr const char *name = "smallest";
  template <int Axis> static auto run(const auto &x, tl::scan_options options) {
    return tl::associative_scan<Axis>(x, [](auto a, auto b) { return tl::minimum(a, b); }, options);
  }
  static double combine(double a, double b) { return b < a ? b : a; }
  static constexpr int order = -1;
};

/// Numbers from 0 to 1 of which four in ten are 0 (for products: 1).
template <class T, class F> std::vector<T> input(int count, std::mt19937 &random) {
  std::uniform_real_distribution<float> part(0, 1);
  std::uniform_int_distribution<int> exponent(0, 12);
  std::vector<T> x;
  for (int i = 0; i < count; ++i) {
    const float small = std::ldexp(part(random), -exponent(random));
    x.push_back(T(part(random) < 0.4f ? 0.0f : small));
    if (std::is_same_v<F, product>)
      x.back() = T(1 - float(x.back()) / 64);
  }
  return x;
}

template <class F, class T, int Rows, int Columns, int Axis, bool Reverse> void check_order() {
  constexpr int length = Axis == 0 && Rows > 1 ? Rows : Columns;
  constexpr int stride = Axis == 0 && Rows > 1 ? Columns : 1;
  // Each of the additions in a row rounds by half a unit in the last place.
  const double relative = std::ldexp(double(length), -(sizeof(T) == 8   ? 52
                                                       : sizeof(T) == 4 ? 23
                                                                        : 7));
  std::mt19937 random{unsigned(tl::testing::seed())};
  CAPTURE(F::name);
  for (tl::device dev : tl::testing::devices()) {
    const bool gpu = numeric::is_gpu(dev.name());
    for (int way = 0; way < 8; ++way) {
      const int warps = 1 << way % 4;
      const bool deterministic = way >= 4;
      if (!gpu && warps > 1)
        continue;
      CAPTURE(std::string(dev.name()));
      CAPTURE(warps);
      CAPTURE(deterministic);
      const std::vector<T> x = input<T, F>(Rows * Columns, random);
      tl::buffer<T> in(dev, x), out(dev, std::vector<T>(x.size(), T(-77)));
      tl::launch_options options = numeric::grid(1);
      options.num_warps = warps;
      options.deterministic = deterministic;
      numeric::seen(scans<T, Rows, Columns, Axis, Reverse, F>[options](in, out));
      const std::vector<T> got = out.to_vector();
      int disorder = 0, wrong = 0;
      for (int line = 0; line < Rows * Columns / length; ++line) {
        const int first = stride == 1 ? line * length : line;
        double exact = 0, before = 0;
        for (int i = 0; i < length; ++i) {
          const int at = first + (Reverse ? length - 1 - i : i) * stride;
          const double now = double(float(got[at])), value = double(float(x[at]));
          const double full = sizeof(T) == 8 ? double(got[at]) : now;
          exact = i == 0 ? value : F::combine(exact, value);
          disorder += i > 0 && (F::order > 0 ? full < before : full > before);
          wrong += !(std::fabs(full - exact) <= relative * std::fabs(exact) + 1e-7);
          before = full;
        }
      }
      CHECK(disorder == 0);
      CHECK(wrong == 0);
    }
  }
}

template <class F, class T, int Rows, int Columns, int Axis> void check_both_ways() {
  check_order<F, T, Rows, Columns, Axis, false>();
  check_order<F, T, Rows, Columns, Axis, true>();
}

template <class F, class T> void check_shapes() {
  check_both_ways<F, T, 1, 32, 1>();
  check_both_ways<F, T, 1, 1024, 1>();
  check_both_ways<F, T, 64, 16, 0>();
  check_both_ways<F, T, 16, 64, 1>();
}

} // namespace

TEST_CASE("running sums of numbers that are not negative never decrease") {
  check_shapes<sum, float>();
  check_shapes<sum, double>();
  check_shapes<sum, tl::float16>();
  check_shapes<sum, tl::bfloat16>();
  check_both_ways<sum, float, 1, 4096, 1>();
  check_both_ways<sum, float, 4, 512, 1>();
  check_both_ways<sum, float, 512, 4, 0>();
}

TEST_CASE("running products of numbers up to one never increase") {
  check_shapes<product, float>();
}

TEST_CASE("running extremes are in order") {
  check_shapes<largest, float>();
  check_shapes<smallest, float>();
  check_shapes<largest, tl::float16>();
}
