// SPDX-License-Identifier: MIT
//
// Sorting, the largest values, counting.

#include "sweep.hpp"

#include <algorithm>
#include <cmath>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

template <class T, int Rows, int Columns>
constexpr auto sort_rows = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns +
            tl::arange<Columns>()(tl::newaxis, tl::all);
  tl::tensor v = tl::load(x + at);
  tl::store(out + at, tl::sort(v));
  tl::store(out + Rows * Columns + at, tl::sort(v, {.descending = true}));
}};

template <class T, int Rows, int Columns, bool Descending>
constexpr auto sort_indices =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<std::int32_t> indices, tl::ptr<T> values) {
      auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns +
                tl::arange<Columns>()(tl::newaxis, tl::all);
      tl::tensor v = tl::load(x + at);
      tl::store(indices + at, tl::argsort(v, {.descending = Descending}));
      auto [sorted, where] = tl::sort_with_indices(v, {.descending = Descending});
      tl::store(indices + Rows * Columns + at, where);
      tl::store(values + at, sorted);
    }};

template <class T, int Rows, int Columns, int K, bool Descending>
constexpr auto choose =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> values, tl::ptr<std::int32_t> indices) {
      auto rows = tl::arange<Rows>()(tl::all, tl::newaxis);
      auto to = rows * K + tl::arange<K>()(tl::newaxis, tl::all);
      tl::tensor v = tl::load(x + rows * Columns + tl::arange<Columns>()(tl::newaxis, tl::all));
      tl::store(values + to, tl::topk<K>(v, {.descending = Descending}));
      auto [best, at] = tl::topk_with_indices<K>(v, {.descending = Descending});
      tl::store(values + Rows * K + to, best);
      tl::store(indices + to, at);
    }};

template <class T, int Columns>
constexpr auto merge_rows = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto at =
      tl::arange<4>()(tl::all, tl::newaxis) * Columns + tl::arange<Columns>()(tl::newaxis, tl::all);
  tl::store(out + at, tl::bitonic_merge(tl::load(x + at)));
  tl::store(out + 4 * Columns + at, tl::bitonic_merge(tl::load(x + at), {.descending = true}));
}};

/// Two rows rise and fall, two fall and rise; of each pair one turns early, and its last numbers
/// are equal.
template <class T, int Columns> void check_merge() {
  std::vector<T> host, want(2 * 4 * Columns);
  for (int row = 0; row < 4; ++row)
    for (int at = 0; at < Columns; ++at) {
      const int turn = row % 2 ? Columns / 5 : Columns * 2 / 3;
      const int height = at < turn ? at : std::max(2 * turn - at, row % 2 ? -2 : -200);
      host.push_back(T(float(row < 2 ? height : -height)));
    }
  for (int row = 0; row < 4; ++row) {
    const auto first = want.begin() + row * Columns;
    std::partial_sort_copy(host.begin() + row * Columns, host.begin() + (row + 1) * Columns, first,
                           first + Columns);
    std::reverse_copy(first, first + Columns, first + 4 * Columns);
  }
  INFO("rows of ", Columns);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host);
    guarded_buffer<T> out(dev, want.size());
    numeric::seen(merge_rows<T, Columns>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

/// Few different numbers, so that many are equal; every seventh float is a zero or NaN of some
/// sign.
template <class T> std::vector<T> with_equals(int n) {
  std::vector<T> values = tl::testing::random_values<T>(n, {0, 40});
  for (int i = 0; i < n; i += 7)
    if constexpr (std::is_floating_point_v<T>) {
      const T odd[] = {T(0), -T(0), T(HUGE_VAL), -T(HUGE_VAL), T(std::nan("")), -T(std::nan(""))};
      values[std::size_t(i)] = odd[i / 7 % 6];
    }
  return values;
}

template <class T> bool is_nan(const T &x) { return double(x) != double(x); }

/// In ascending order NaN comes last; equal elements stay as they come.
template <class T>
std::vector<std::int32_t> order(const std::vector<T> &x, int row, int columns, bool descending) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i)
    places[std::size_t(i)] = i;
  const auto before = [&](T a, T b) {
    return is_nan(a) || is_nan(b) ? !is_nan(a) && is_nan(b) : a < b;
  };
  std::sort(places.begin(), places.end(), [&](int i, int j) {
    const T &a = x[std::size_t(row * columns + i)], &b = x[std::size_t(row * columns + j)];
    const bool first = descending ? before(b, a) : before(a, b);
    const bool last = descending ? before(a, b) : before(b, a);
    return first || (!last && i < j);
  });
  return places;
}

template <class T> bool same(const std::vector<T> &got, const std::vector<T> &want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!(got[i] == want[i] || (is_nan(got[i]) && is_nan(want[i])))) {
      INFO("at ", i, ": ", double(got[i]), " instead of ", double(want[i]));
      CHECK(false);
      return false;
    }
  return true;
}

template <class T, int Rows, int Columns, bool Descending> void check_indices() {
  const auto host = with_equals<T>(Rows * Columns);
  std::vector<T> values;
  std::vector<std::int32_t> places;
  for (int row = 0; row < Rows; ++row)
    for (const std::int32_t at : order(host, row, Columns, Descending)) {
      places.push_back(at);
      values.push_back(host[std::size_t(row * Columns + at)]);
    }
  places.insert(places.end(), places.begin(), places.begin() + Rows * Columns);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host);
    guarded_buffer<std::int32_t> indices(dev, 2 * Rows * Columns);
    guarded_buffer<T> out(dev, Rows * Columns);
    numeric::seen(sort_indices<T, Rows, Columns, Descending>[numeric::grid(1)](x, indices, out));
    CHECK(allclose(indices, places));
    CHECK(same(out.to_vector(), values));
    CHECK((out.intact() && indices.intact()));
  }
}

template <class T, int Rows, int Columns, int K, bool Descending> void check_choice() {
  const auto host = with_equals<T>(Rows * Columns);
  std::vector<T> values;
  std::vector<std::int32_t> places;
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; const std::int32_t at : order(host, row, Columns, Descending))
      if (i++ < K) {
        places.push_back(at);
        values.push_back(host[std::size_t(row * Columns + at)]);
      }
  values.insert(values.end(), values.begin(), values.begin() + Rows * K);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host);
    guarded_buffer<std::int32_t> indices(dev, Rows * K);
    guarded_buffer<T> out(dev, 2 * Rows * K);
    numeric::seen(choose<T, Rows, Columns, K, Descending>[numeric::grid(1)](x, out, indices));
    CHECK(allclose(indices, places));
    CHECK(same(out.to_vector(), values));
    CHECK((out.intact() && indices.intact()));
  }
}

constexpr auto count =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 n) {
      auto at = tl::arange<512>();
      auto mask = at < n;
      tl::store(out + tl::arange<16>(), tl::histogram<16>(tl::load(x + at, mask, 0), mask));
    }};

} // namespace

TEST_CASE_TEMPLATE("a sort orders each row", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, tl::float8e4nv,
                   tl::float8e5, tl::float16, tl::bfloat16, float, double) {
  const auto host = tl::testing::random_values<T>(256);
  std::vector<T> want(512);
  for (int row = 0; row < 8; ++row) {
    const auto first = host.begin() + row * 32;
    std::partial_sort_copy(first, first + 32, want.begin() + row * 32, want.begin() + row * 32 + 32,
                           [](T a, T b) { return double(a) < double(b); });
    std::reverse_copy(want.begin() + row * 32, want.begin() + row * 32 + 32,
                      want.begin() + 256 + row * 32);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host);
    guarded_buffer<T> out(dev, 512);
    numeric::seen(sort_rows<T, 8, 32>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("a long row is sorted, across warps") {
  const auto host = tl::testing::random_values<float>(2048);
  std::vector<float> want = host;
  std::sort(want.begin(), want.end());
  want.insert(want.end(), want.rbegin(), want.rend());
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 4096);
    numeric::seen(sort_rows<float, 1, 2048>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE_TEMPLATE("sorted elements come with where they stood, equal ones in their order", T,
                   std::uint8_t, std::int32_t, std::int64_t, tl::float16, float, double) {
  check_indices<T, 4, 64, false>();
  check_indices<T, 4, 64, true>();
}

TEST_CASE_TEMPLATE("the k largest come in order, with where they stood", T, std::uint8_t,
                   std::int32_t, std::int64_t, tl::float16, float, double) {
  check_choice<T, 2, 128, 8, true>();
  check_choice<T, 2, 128, 8, false>();
  check_choice<T, 4, 32, 1, true>();
  check_choice<T, 4, 32, 32, true>();
  check_choice<T, 3, 32, 5, true>();
  check_choice<T, 3, 7, 5, false>();
  check_choice<T, 2, 100, 50, true>();
}

TEST_CASE("minus zero is sorted before zero, and NaN of either sign after infinity") {
  std::vector<float> host(32);
  const float odd[] = {0.0f, -HUGE_VALF, std::nanf(""), -0.0f, HUGE_VALF, -std::nanf(""), 1.0f};
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = odd[i % 7];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 64);
    numeric::seen(sort_rows<float, 1, 32>[numeric::grid(1)](x, out));
    const std::vector<float> got = out.to_vector();
    const auto rank = [](float v) {
      return v != v ? 5 : v == 0 ? std::signbit(v) ? 1 : 2 : v < 0 ? 0 : v == 1 ? 3 : 4;
    };
    for (std::size_t i = 1; i < 32; ++i) {
      CHECK(rank(got[i - 1]) <= rank(got[i]));
      CHECK(rank(got[31 + i]) >= rank(got[32 + i]));
    }
  }
}

TEST_CASE_TEMPLATE("rows of any length that rise and fall are merged", T, std::int16_t, float) {
  check_merge<T, 64>();
  check_merge<T, 100>();
  check_merge<T, 7>();
  check_merge<T, 5>();
  check_merge<T, 1>();
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
