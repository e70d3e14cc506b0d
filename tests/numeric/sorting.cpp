// SPDX-License-Identifier: MIT
//
// Sorting, the largest values, counting.

#include "sweep.hpp"

#include <algorithm>
#include <functional>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

template <class T>
constexpr auto sort_rows = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto at = tl::arange<8>()(tl::all, tl::newaxis) * 32 + tl::arange<32>()(tl::newaxis, tl::all);
  tl::tensor v = tl::load(x + at);
  tl::store(out + at, tl::sort(v));
  tl::store(out + 256 + at, tl::sort(v, {.descending = true}));
}};

constexpr auto largest = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  tl::store(out + tl::arange<8>(), tl::topk<8>(tl::load(x + tl::arange<128>())));
}};

constexpr auto count =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 n) {
      auto at = tl::arange<512>();
      auto mask = at < n;
      tl::store(out + tl::arange<16>(), tl::histogram<16>(tl::load(x + at, mask, 0), mask));
    }};

} // namespace

TEST_CASE_TEMPLATE("a sort orders each row", T, float, std::int32_t, std::uint8_t, std::int64_t) {
  const auto host = tl::testing::random_values<T>(256);
  std::vector<T> want(512);
  for (int row = 0; row < 8; ++row) {
    const auto first = host.begin() + row * 32;
    std::partial_sort_copy(first, first + 32, want.begin() + row * 32,
                           want.begin() + row * 32 + 32);
    std::reverse_copy(want.begin() + row * 32, want.begin() + row * 32 + 32,
                      want.begin() + 256 + row * 32);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host);
    guarded_buffer<T> out(dev, 512);
    numeric::seen(sort_rows<T>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("the k largest come in order") {
  auto host = tl::testing::random_values<float>(128);
  auto want = host;
  std::sort(want.begin(), want.end(), std::greater<>());
  want.resize(8);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 8);
    numeric::seen(largest[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

constexpr auto count_wide = tl::kernel{
    [](tl::ptr<const std::int64_t> x, tl::ptr<const std::uint64_t> y, tl::ptr<std::int32_t> out) {
      auto at = tl::arange<8>();
      tl::store(out + tl::arange<16>(), tl::histogram<16>(tl::load(x + at)));
      tl::store(out + 16 + tl::arange<16>(), tl::histogram<16>(tl::load(y + at), at < 7));
    }};

TEST_CASE("a histogram of 64-bit numbers counts none by its low bits alone") {
  const std::int64_t over = std::int64_t(1) << 32;
  const std::vector<std::int64_t> signs{1, over + 3, 3, 2 - over, 15, 16, -1, INT64_MIN};
  const std::vector<std::uint64_t> large{1, std::uint64_t(over) + 3, 3, ~0ull, 15, 16, 15, 15};
  std::vector<std::int32_t> want(32, 0);
  for (int bin : {1, 3, 15, 16 + 1, 16 + 3, 16 + 15, 16 + 15})
    ++want[std::size_t(bin)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int64_t> x(dev, signs);
    tl::buffer<std::uint64_t> y(dev, large);
    guarded_buffer<std::int32_t> out(dev, 32);
    numeric::seen(count_wide[numeric::grid(1)](x, y, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a histogram counts what is in its bins and not masked off") {
  const int n = 400;
  const auto host = tl::testing::random_values<std::int32_t>(n, {-4, 20});
  std::vector<std::int32_t> want(16, 0);
  for (std::int32_t value : host)
    if (value >= 0 && value < 16)
      ++want[std::size_t(value)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host);
    guarded_buffer<std::int32_t> out(dev, 16);
    numeric::seen(count[numeric::grid(1)](x, out, n));
    CHECK(allclose(out, want));
  }
}
