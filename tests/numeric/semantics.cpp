// SPDX-License-Identifier: MIT
//
// Rules of docs/explanation/semantics.md that no file of one operation holds: bools in memory,
// denormal numbers, NaN in atomics, and loops over 64-bit numbers.

#include "gpus.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace {

using tl::testing::allclose;

constexpr auto bools =
    tl::kernel{[](tl::ptr<std::uint8_t> memory, tl::ptr<std::uint8_t> stored,
                  tl::ptr<std::int32_t> numbers, tl::ptr<float> chosen, tl::ptr<float> masked) {
      auto i = tl::arange<256>();
      tl::tensor flags = tl::load(tl::cast<bool *>(memory) + i);
      tl::store(tl::cast<bool *>(stored) + i, flags);
      tl::store(numbers + i, tl::cast<std::int32_t>(flags) + tl::cast<std::int32_t>(!flags) * 10);
      tl::store(chosen + i, tl::where(flags, 1.0f, 2.0f));
      tl::store(masked + i, 3.0f, flags);
    }};

template <class T>
constexpr auto denormals = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::ptr<T> whole) {
  auto i = tl::arange<256>();
  tl::tensor v = tl::load(x + i);
  const auto part = [&](int number, const auto &value) {
    tl::store(out + (256 * number + i), tl::cast<T>(value));
  };
  part(0, v);
  part(1, v + v);
  part(2, v * 4.0f * 0.25f);
  part(3, tl::where(v > 0, v, 0));
  part(4, tl::maximum(v, 0) - tl::minimum(-v, 0));
  part(5, tl::cast<double>(v));
  part(6, tl::cast<float>(v));
  part(7, -tl::abs(-v));
  part(8, tl::cumsum<0>(tl::where(i < 16, v, 0)));
  part(9, tl::fma(tl::cast<float>(v), 1.0f, tl::cast<float>(v)));
  part(10, tl::div_rn(tl::cast<float>(v), 0.5f));
  tl::store(whole, tl::cast<T>(tl::sum<0>(v)));
  tl::store(whole + 1, tl::max<0>(tl::where(i < 16, v, 0)));
}};

/// All results are multiples of the smallest number that the type has exactly.
template <class T> void check_denormals() {
  const double least = double(std::numeric_limits<T>::denorm_min());
  const auto times = [&](int n) { return T(n * least); };
  const double widest = sizeof(T) == 8 ? 0 : 1; // casts to float lose the denormals of double
  std::vector<T> x, want;
  for (int n = 0; n < 256; ++n)
    x.push_back(times(n));
  for (int part = 0; part < 11; ++part)
    for (int n = 0; n < 256; ++n)
      want.push_back(part == 1 || part == 4 ? times(2 * n)
                     : part == 6            ? T(widest * n * least)
                     : part == 7            ? -times(n)
                     : part == 8            ? times(std::min(n, 15) * (std::min(n, 15) + 1) / 2)
                     : part > 8             ? T(widest * 2 * n * least)
                                            : times(n));
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> in(dev, x), out(dev, want.size()), whole(dev, 2);
    numeric::seen(denormals<T>[numeric::grid(1)](in, out, whole));
    CHECK(allclose(out, want));
    CHECK(allclose(whole, std::vector<T>{times(255 * 128), times(15)}));
  }
}

/// x times the unit matrix.
template <class T, class R>
constexpr auto product = tl::kernel{[](tl::ptr<const T> x, tl::ptr<R> out) {
  auto row = tl::arange<16>()(tl::all, tl::newaxis);
  auto column = tl::arange<16>()(tl::newaxis, tl::all);
  auto unit = tl::cast<T>(tl::where(row == column, 1.0f, 0.0f));
  tl::store(out + (row * 16 + column),
            tl::dot(tl::load(x + (row * 16 + column)), unit, {.input_precision = tl::ieee}));
}};

template <class T, class R> void check_product() {
  std::vector<T> x;
  std::vector<R> want;
  for (int n = 0; n < 256; ++n) {
    x.push_back(T(n * double(std::numeric_limits<T>::denorm_min())));
    want.push_back(R(x.back()));
  }
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> in(dev, x);
    tl::buffer<R> out(dev, 256);
    numeric::seen(product<T, R>[numeric::grid(1)](in, out));
    CHECK(allclose(out, want));
  }
}

template <class T>
constexpr auto atomic_additions = tl::kernel{[](tl::ptr<T> sums, tl::ptr<const T> x) {
  auto i = tl::arange<16>();
  tl::atomic_add(sums + i, tl::load(x + i));
}};

template <class T>
constexpr auto extremes_of_nan =
    tl::kernel{[](tl::ptr<T> largest, tl::ptr<T> smallest, tl::tensor<T> x) {
      tl::atomic_max(largest, x);
      tl::atomic_min(smallest, x);
    }};

constexpr std::int64_t far = std::int64_t(1) << 40, step_of_far = std::int64_t(1) << 33;

constexpr auto wide_loops = tl::kernel{[](tl::ptr<std::int64_t> out, tl::i64 low, tl::i64 high,
                                          tl::i64 step, tl::u64 first, tl::u64 end) {
  const auto run = [&](int place, auto range) {
    tl::tensor count = tl::zeros<std::int64_t>(), sum = count;
    for (auto i : range) {
      count += 1;
      sum += tl::cast<std::int64_t>(i);
    }
    tl::store(out + 2 * place, count);
    tl::store(out + (2 * place + 1), sum);
  };
  run(0, tl::range(low, high, step));
  run(1, tl::range(high, low, -step));
  const tl::i64 known = far;
  run(2, tl::range(known, far + 5 * step_of_far, step_of_far));
  run(3, tl::range(first, end));
  run(4, tl::range(low, low, step));
  run(5, tl::range(high, low, step));
  run(6, tl::range(std::int64_t(5), std::int64_t(-5)));
}};

} // namespace

TEST_CASE("a bool in memory is true unless its byte is 0, and is stored as 0 or 1") {
  std::vector<std::uint8_t> memory(256), stored(256, 1);
  std::iota(memory.begin(), memory.end(), std::uint8_t(0));
  std::vector<std::int32_t> numbers(256, 1);
  std::vector<float> chosen(256, 1), masked(256, 3);
  stored[0] = 0, numbers[0] = 10, chosen[0] = 2, masked[0] = -1;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<std::uint8_t> in(dev, memory), out(dev, std::vector<std::uint8_t>(256, 77));
    tl::buffer<std::int32_t> n(dev, 256);
    tl::buffer<float> c(dev, 256), m(dev, std::vector<float>(256, -1));
    numeric::seen(bools[numeric::grid(1)](in, out, n, c, m));
    CHECK(allclose(out, stored));
    CHECK(allclose(n, numbers));
    CHECK(allclose(c, chosen));
    CHECK(allclose(m, masked));
  }
}

TEST_CASE("denormal numbers are kept by arithmetic, casts, sums and scans") {
  check_denormals<float>();
  check_denormals<double>();
  check_denormals<tl::float16>();
  check_denormals<tl::bfloat16>();
}

TEST_CASE("denormal numbers are kept by products of float, double and float16") {
  check_product<float, float>();
  check_product<double, double>();
  check_product<tl::float16, float>();
}

TEST_CASE_TEMPLATE("denormal numbers are kept by atomic additions, but of float on a GPU", T, float,
                   double, tl::float16) {
  std::vector<T> x, want;
  for (int n = 0; n < 16; ++n) {
    x.push_back(T(n * double(std::numeric_limits<T>::denorm_min())));
    want.push_back(T(2 * n * double(std::numeric_limits<T>::denorm_min())));
  }
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> sums(dev, x), in(dev, x);
    numeric::seen(atomic_additions<T>[numeric::grid(1)](sums, in));
    if (std::is_same_v<T, float> && numeric::is_gpu(dev.name())) {
      // PTX: atom.add.f32 of global memory takes them for 0.
      for (float sum : sums.to_vector())
        CHECK(std::fabs(sum) < std::numeric_limits<float>::min());
    } else {
      CHECK(allclose(sums, want));
    }
  }
}

TEST_CASE_TEMPLATE("atomic extremes take a NaN for a number beyond the infinity of its sign", T,
                   float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (tl::device dev : tl::testing::devices())
    for (T x : {nan, -nan})
      for (T before : {T(3), T(-3), infinity, -infinity}) {
        CAPTURE(std::string(dev.name()));
        CAPTURE(std::signbit(x));
        CAPTURE(before);
        tl::buffer<T> largest(dev, std::vector<T>{before}), smallest(dev, std::vector<T>{before});
        numeric::seen(extremes_of_nan<T>[numeric::grid(1)](largest, smallest, x));
        const bool above = !std::signbit(x);
        CHECK(allclose(largest, std::vector<T>{above ? nan : before}, {.equal_nan = true}));
        CHECK(allclose(smallest, std::vector<T>{above ? before : nan}, {.equal_nan = true}));
      }
}

TEST_CASE("loops over 64-bit numbers count beyond 32 bits, and not at all where they are empty") {
  const std::int64_t ten = 10 * step_of_far, top = std::int64_t(1) << 63 >> 63;
  const std::vector<std::int64_t> want{5, 5 * far + ten,
                                       5, 5 * far + ten + 5 * step_of_far,
                                       5, 5 * far + ten,
                                       3, 3 * top - 6,
                                       0, 0,
                                       0, 0,
                                       0, 0};
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<std::int64_t> out(dev, want.size());
    numeric::seen(wide_loops[numeric::grid(1)](out, far, far + 5 * step_of_far, step_of_far,
                                               std::uint64_t(-4), std::uint64_t(-1)));
    CHECK(allclose(out, want));
  }
}
