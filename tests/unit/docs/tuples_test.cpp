// SPDX-License-Identifier: MIT
//
// What docs/how_to/reduce_several_values.md shows: reductions and scans of tuples.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace testing = tl::testing;

namespace {

// [moments]
template <int Cols>
constexpr auto moments =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> mean, tl::ptr<float> variance, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor v = tl::load(x + row * n + cols, mask, 0.0f);
      auto count = tl::cast<float>(mask);
      auto zeros = tl::zeros<float, Cols>();
      auto [total, average, squares] =
          tl::reduce<0>(std::tuple(count, v, zeros),
                        [](auto n1, auto mean1, auto m1, auto n2, auto mean2, auto m2) {
                          auto sum = n1 + n2;
                          auto share = tl::where(sum == 0, 0.0f, n2 / sum);
                          auto distance = mean2 - mean1;
                          return std::tuple(sum, mean1 + distance * share,
                                            m1 + m2 + distance * distance * n1 * share);
                        });
      tl::store(mean + row, average);
      tl::store(variance + row, squares / total);
    }};
// [moments]

// [segments]
template <int Block>
constexpr auto sum_segments =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const std::int32_t> starts, tl::ptr<float> out) {
      auto i = tl::arange<Block>();
      tl::tensor value = tl::load(x + i);
      tl::tensor start = tl::load(starts + i); // 1 where a segment begins
      auto [sums, seen] = tl::associative_scan<0>(
          std::tuple(value, start), [](auto left, auto began, auto right, auto begins) {
            return std::tuple(tl::where(begins != 0, right, left + right), began | begins);
          });
      tl::store(out + i, sums);
    }};
// [segments]

// [nearest]
constexpr auto nearest = tl::kernel{[](tl::ptr<const float> x, tl::f32 to, tl::ptr<float> value,
                                       tl::ptr<std::int32_t> index) {
  auto i = tl::arange<64>();
  tl::tensor v = tl::load(x + i);
  auto [distance, found, where] = tl::reduce<0>(
      std::tuple(tl::abs(v - to), v, i), [](auto d1, auto v1, auto i1, auto d2, auto v2, auto i2) {
        auto first = (d1 < d2) | ((d1 == d2) & (i1 < i2)); // of equals, the lower index
        return std::tuple(tl::where(first, d1, d2), tl::where(first, v1, v2),
                          tl::where(first, i1, i2));
      });
  tl::store(value, found);
  tl::store(index, where);
}};
// [nearest]

} // namespace

TEST_CASE("docs: mean and variance are reduced together") {
  constexpr int rows = 5, n = 100;
  const auto host = testing::random_values<float>(rows * n);
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), mean(dev, rows), variance(dev, rows);
    moments<128>[tl::grid(rows)](x, mean, variance, n);
    const auto means = mean.to_vector(), variances = variance.to_vector();
    for (int row = 0; row < rows; ++row) {
      double sum = 0, squares = 0;
      for (int i = 0; i < n; ++i)
        sum += host[row * n + i];
      for (int i = 0; i < n; ++i)
        squares += (host[row * n + i] - sum / n) * (host[row * n + i] - sum / n);
      CHECK(means[row] == doctest::Approx(sum / n).epsilon(1e-5).scale(1));
      CHECK(variances[row] == doctest::Approx(squares / n).epsilon(1e-5).scale(1));
    }
  }
}

TEST_CASE("docs: a scan of pairs starts anew where a segment begins") {
  std::vector<float> host(64), expected(64);
  std::vector<std::int32_t> starts(64);
  for (int i = 0; i < 64; ++i) {
    host[i] = float(i % 7);
    starts[i] = i % 10 == 3;
    expected[i] = host[i] + (i == 0 || starts[i] ? 0 : expected[i - 1]);
  }
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, 64);
    tl::buffer<std::int32_t> begin(dev, starts);
    sum_segments<64>[tl::grid(1)](x, begin, out);
    CHECK(testing::allclose(out, expected));
  }
}

TEST_CASE("docs: the element nearest to a number is reduced with its index") {
  std::vector<float> host(64);
  for (int i = 0; i < 64; ++i)
    host[i] = float((i * 37) % 64);
  host[50] = host[7]; // a tie
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), value(dev, 1);
    tl::buffer<std::int32_t> index(dev, 1);
    nearest[tl::grid(1)](x, host[7] + 0.25f, value, index);
    CHECK(value.to_vector()[0] == host[7]);
    CHECK(index.to_vector()[0] == 7);
  }
}
