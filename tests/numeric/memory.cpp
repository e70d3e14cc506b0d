// SPDX-License-Identifier: MIT
//
// Loads, stores, masks, overlapping addresses and atomics.

#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

template <class T, int Fill>
constexpr auto copy_or_fill = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto at = tl::arange<256>();
  auto v = tl::load(x + at, at < n, tl::cast<T>(tl::i32(Fill)));
  tl::store(out + at, v);
}};

template <class T>
constexpr auto copy_rows = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto column = tl::arange<128>();
  auto at = tl::program_id(0) * n + column;
  tl::store(out + at, tl::load(x + at, column < n, 0), column < n);
}};

template <class T>
constexpr auto copy_strided =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 start, tl::i32 stride, tl::i32 n) {
      auto column = tl::arange<512>();
      auto row = tl::program_id(0) * stride;
      auto v = tl::load(x + start + row + column, column < n, 7);
      tl::store(out + start + row + column, v, column < n);
    }};

/// Rows of 512 from the first to the last, and the other way.
template <class T> void check_strided() {
  constexpr int rows = 5, columns = 512, n = 391;
  const std::vector<T> x = tl::testing::random_values<T>(rows * columns);
  for (tl::device dev : tl::testing::devices())
    for (bool backward : {false, true}) {
      tl::buffer<T> in(dev, x), out(dev, std::vector<T>(x.size(), T(1)));
      numeric::seen(copy_strided<T>[numeric::grid(rows)](
          in, out, backward ? (rows - 1) * columns : 0, backward ? -columns : columns, n));
      std::vector<T> want(x.size(), T(1));
      for (std::size_t i = 0; i < x.size(); ++i)
        if (i % columns < n)
          want[i] = x[i];
      CHECK(allclose(out, want));
    }
}

constexpr auto raise_column = tl::kernel{[](tl::ptr<float> x, tl::i32 stride, tl::i32 n) {
  tl::assume(stride >= 0);
  tl::assume(stride < 64);
  auto row = tl::arange<1024>();
  auto mask = row < n;
  tl::store(x + row * stride, tl::load(x + row * stride, mask, 0.0f) + 1.0f, mask);
}};

constexpr auto copy_tile =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i32 n) {
      auto row = tl::arange<32>()(tl::all, tl::newaxis);
      auto column = tl::arange<64>()(tl::newaxis, tl::all);
      auto at = row * 64 + column;
      auto mask = (row < m) & (column < n);
      tl::store(out + at, tl::load(x + at, mask, -tl::inf), mask);
    }};

constexpr auto copy_from_afar = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> out, tl::i64 far, tl::i64 back, tl::i32 n) {
      auto i = tl::arange<512>();
      auto v = tl::load(x + far + (tl::cast<std::int64_t>(i) + back), i < n, 7);
      tl::store(out + i, v);
    }};

/// What a mask lets through of 64 elements: below `n`, from `n` on, or those that are no further
/// than `n` past the sixth, without a sign.
template <int Kind> bool is_let_through(int at, int n) {
  return Kind == 0 ? at < n : Kind == 1 ? at >= n : at >= 5 && at - 5 < n;
}

template <class T, int Kind>
constexpr auto copy_to_an_end = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto at = tl::arange<64>();
  auto mask = [&] {
    if constexpr (Kind == 0)
      return at < n;
    else if constexpr (Kind == 1)
      return n <= at;
    else
      return tl::cast<std::uint32_t>(at - 5) < tl::cast<std::uint32_t>(n);
  }();
  auto v = tl::load(x + at, mask, tl::cast<T>(tl::i32(3)));
  tl::store(out + at, v, mask);
  tl::store(out + 64 + at, v);
}};

template <class T, int Kind> void check_every_end() {
  const std::vector<T> x = tl::testing::random_values<T>(64);
  for (tl::device dev : tl::testing::devices())
    for (int n = 0; n <= 64; ++n) {
      tl::buffer<T> out(dev, std::vector<T>(128, T(1)));
      numeric::seen(copy_to_an_end<T, Kind>[numeric::grid(1)](tl::buffer<T>(dev, x), out, n));
      std::vector<T> want(128, T(1));
      for (int at = 0; at < 64; ++at) {
        want[64 + at] = is_let_through<Kind>(at, n) ? x[at] : T(3);
        if (is_let_through<Kind>(at, n))
          want[at] = x[at];
      }
      INFO("end " << n);
      CHECK(allclose(out, want));
    }
}

template <class T, int Kind>
constexpr auto masked_store = tl::kernel{[](tl::ptr<T> out) {
  auto i = tl::arange<128>();
  tl::store(out + i, tl::full<T, 128>(7), [&] {
    if constexpr (Kind == 0)
      return i % 4 == 1;
    else if constexpr (Kind == 1)
      return i < 5;
    else
      return i >= 123;
  }());
}};

template <class T, int Kind> void check_masked_store(auto selected) {
  std::vector<T> before(128, T(1)), want = before;
  for (int i = 0; i < 128; ++i)
    if (selected(i))
      want[std::size_t(i)] = T(7);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> out(dev, before);
    numeric::seen(masked_store<T, Kind>[numeric::grid(1)](out));
    CHECK(allclose(out, want));
  }
}

template <class To, class From>
constexpr auto narrowed = tl::kernel{[](tl::ptr<const From> x, tl::ptr<To> out, tl::i32 n) {
  auto at = tl::arange<64>();
  tl::store(out + at, tl::cast<To>(tl::load(x + at)), at < n);
}};

/// Casts to a narrower element and stores the first few; a count of 1 is a constant in the kernel.
template <class To, class From> void check_narrowed() {
  std::vector<From> x(64);
  for (int i = 0; i < 64; ++i)
    x[std::size_t(i)] = From(i + 1);
  for (tl::device dev : tl::testing::devices())
    for (int n : {1, 2, 5, 16, 17, 33, 64}) {
      tl::buffer<From> in(dev, x);
      guarded_buffer<To> out(dev, std::size_t(n));
      numeric::seen(narrowed<To, From>[numeric::grid(1)](in, out, n));
      std::vector<To> want(x.begin(), x.begin() + n);
      CHECK(allclose(out, want));
      CHECK(out.intact());
    }
}

constexpr auto shifted_copy = tl::kernel{[](tl::ptr<float> x, tl::i32 from, tl::i32 to) {
  auto at = tl::arange<256>();
  tl::store(x + to + at, tl::load(x + from + at) + 1.0f);
}};

constexpr auto store_then_load = tl::kernel{[](tl::ptr<float> x, tl::ptr<float> out) {
  auto at = tl::arange<64>();
  tl::store(x + at, tl::load(x + at) * 2.0f);
  tl::store(out + at, tl::load(x + 63 - at));
}};

constexpr auto pick = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<const std::int32_t> index, tl::ptr<float> out, tl::i32 n) {
      auto at = tl::program_id(0) * 64 + tl::arange<64>();
      auto mask = at < n;
      tl::store(out + at, tl::load(x + tl::load(index + at, mask, 0), mask), mask);
    }};

template <class Index>
constexpr auto narrow_index = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto at = tl::arange<256>();
  tl::store(out + at, tl::load(x + tl::cast<Index>(at)));
}};

template <class T>
constexpr auto count_up = tl::kernel{[](tl::ptr<T> counters, tl::i32 n) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  tl::atomic_add(counters + at % 8, tl::full<T, 64>(1), at < n);
}};

constexpr auto extremes =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 n) {
      auto at = tl::program_id(0) * 64 + tl::arange<64>();
      auto mask = at < n;
      auto v = tl::load(x + at, mask, 0);
      tl::atomic_max(out + at * 0, v, mask);
      tl::atomic_min(out + 1 + at * 0, v, mask);
      tl::atomic_xor(out + 2 + at * 0, v, mask);
    }};

/// All lanes add 1 to one element; the old values go to `olds`.
template <class T>
constexpr auto add_to_one = tl::kernel{[](tl::ptr<T> x, tl::ptr<T> olds, tl::i32 place) {
  auto at = tl::arange<256>();
  tl::store(olds + at, tl::atomic_add(x + (place + at * 0), tl::full<T, 256>(T(1.0f))));
}};

template <class T>
constexpr auto count_by_seven = tl::kernel{[](tl::ptr<T> counters, tl::i32 only_even) {
  auto i = tl::program_id(0) * 512 + tl::arange<512>();
  tl::atomic_add(counters + i % 7, tl::full<T, 512>(T(1.0f)), (i % 2 == 0) | (only_even == 0));
}};

template <class T>
constexpr auto float_extremes =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> largest, tl::ptr<T> smallest) {
      auto at = tl::arange<8>();
      tl::atomic_max(largest + at, tl::load(x + at));
      tl::atomic_min(smallest + at, tl::load(x + at));
    }};

/// What an atomic found is a row number.
constexpr auto store_to_found_row =
    tl::kernel{[](tl::ptr<std::int32_t> next, tl::ptr<std::int64_t> out) {
      auto row = tl::atomic_add(next + tl::arange<1>(), 1);
      tl::store(out + tl::broadcast_to<8>(row) * 8 + tl::arange<8>(), tl::full<std::int64_t, 8>(2));
    }};

/// A column is read, spread over many threads, and written back changed.
constexpr auto spread_and_replace = tl::kernel{[](tl::ptr<float> x, tl::ptr<float> sums) {
  auto rows = x + tl::program_id(0) * 8 + tl::arange<8>()(tl::all, tl::newaxis);
  auto v = tl::load(rows);
  tl::store(rows, v + 1.0f);
  auto r = tl::arange<512>();
  auto table = v + tl::cast<float>(r)(tl::newaxis, tl::all);
  tl::store(sums + tl::program_id(0) * 512 + r, tl::sum<0>(table));
}};

constexpr auto take_tickets = tl::kernel{[](tl::ptr<std::int32_t> lock, tl::ptr<std::int32_t> out) {
  // Each program adds one under a lock: without it additions would be lost.
  tl::tensor taken = tl::atomic_cas(lock, 0, 1);
  tl::while_([&] { return taken == 1; }, [&] { taken = tl::atomic_cas(lock, 0, 1); });
  tl::atomic_store(out, tl::atomic_load(out) + 1);
  tl::atomic_xchg(lock, 0);
}};

constexpr auto poll = tl::kernel{[](tl::ptr<std::int32_t> flag, tl::ptr<std::int32_t> out) {
  auto there = tl::atomic_poll(flag, 1, {.timeout_ns = 1000000});
  auto never = tl::atomic_poll(flag, 2, {.timeout_ns = 1000});
  tl::store(out, tl::cast<std::int32_t>(there));
  tl::store(out + 1, tl::cast<std::int32_t>(never));
}};

constexpr auto through_addresses = tl::kernel{[](tl::ptr<float> x, tl::ptr<float> out) {
  tl::tensor address = tl::cast<std::int64_t>(x);
  auto moved = tl::cast<float *>(address + 4 * 8);
  tl::store(out + tl::arange<8>(), tl::load(moved + tl::arange<8>()));
}};

} // namespace

TEST_CASE_TEMPLATE("masked-off elements are the fill", T, float, double, tl::float16, tl::bfloat16,
                   std::int8_t, std::int32_t, std::int64_t, std::uint8_t) {
  const auto check = [](const auto &kernel, T fill) {
    std::vector<T> host(16), want(256, fill);
    for (int i = 0; i < 16; ++i)
      host[std::size_t(i)] = want[std::size_t(i)] = T(i + 1);
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<T> x(dev, host);
      guarded_buffer<T> out(dev, 256);
      numeric::seen(kernel[numeric::grid(1)](x, out, 16));
      CHECK(allclose(out, want));
      CHECK(out.intact());
    }
  };
  check(copy_or_fill<T, 0>, T(0));
  check(copy_or_fill<T, 100>, T(100));
  if constexpr (!std::is_unsigned_v<T>) {
    check(copy_or_fill<T, -1>, T(-1));
    check(copy_or_fill<T, -128>, T(-128));
  }
}

TEST_CASE_TEMPLATE("rows of bytes are copied to their ends", T, std::int8_t, std::uint8_t, bool) {
  std::vector<T> rows;
  for (int i = 0; i < 300; ++i)
    rows.push_back(static_cast<T>(std::is_same_v<T, bool> ? i % 3 == 0 : i * 7));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, rows);
    guarded_buffer<T> out(dev, rows.size());
    numeric::seen(copy_rows<T>[numeric::grid(3)](x, out, 100));
    CHECK(out.to_vector() == rows);
    CHECK(out.intact());
  }
}

TEST_CASE_TEMPLATE("a store writes exactly where its mask is true", T, float, std::int8_t,
                   tl::float16, std::int64_t) {
  check_masked_store<T, 0>([](int i) { return i % 4 == 1; });
  check_masked_store<T, 1>([](int i) { return i < 5; });
  check_masked_store<T, 2>([](int i) { return i >= 123; });
}

TEST_CASE_TEMPLATE("a mask ends, or begins, anywhere among neighbours", T, float, tl::float16,
                   std::int8_t, double) {
  check_every_end<T, 0>();
  check_every_end<T, 1>();
  check_every_end<T, 2>();
}

TEST_CASE("masked rows are read and written forwards and backwards") {
  check_strided<float>();
  check_strided<tl::float16>();
  check_strided<std::uint8_t>();
  check_strided<double>();
}

TEST_CASE("masked rows lie at a distance of which the least and the most are promised") {
  for (int stride : {1, 3, 63})
    for (int n : {0, 1, 700, 1024}) {
      const std::vector<float> x = tl::testing::random_values<float>(std::size_t(1024 * stride));
      std::vector<float> want = x;
      for (int row = 0; row < n; ++row)
        want[std::size_t(row * stride)] += 1.0f;
      for (tl::device dev : tl::testing::devices()) {
        tl::buffer<float> out(dev, x);
        numeric::seen(raise_column[numeric::grid(1)](out, stride, n));
        CHECK(allclose(out, want));
      }
    }
}

TEST_CASE("a tile is masked along both axes") {
  const std::vector<float> x = tl::testing::random_values<float>(32 * 64);
  for (tl::device dev : tl::testing::devices())
    for (auto [m, n] : {std::pair(32, 64), std::pair(31, 9), std::pair(3, 64), std::pair(0, 7)}) {
      tl::buffer<float> in(dev, x), out(dev, std::vector<float>(x.size(), 1.0f));
      numeric::seen(copy_tile[numeric::grid(1)](in, out, m, n));
      std::vector<float> want(x.size(), 1.0f);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          want[std::size_t(i * 64 + j)] = x[std::size_t(i * 64 + j)];
      CHECK(allclose(out, want));
    }
}

TEST_CASE("masked blocks lie where offsets of 64 bits meet, however large these are") {
  const std::vector<float> x = tl::testing::random_values<float>(512);
  for (tl::device dev : tl::testing::devices())
    for (std::int64_t far : {std::int64_t(1) << 31, (std::int64_t(1) << 40) + 3}) {
      tl::buffer<float> in(dev, x), out(dev, 512);
      numeric::seen(copy_from_afar[numeric::grid(1)](in, out, far, -far, 301));
      std::vector<float> want = x;
      std::fill(want.begin() + 301, want.end(), 7.0f);
      CHECK(allclose(out, want));
    }
}

TEST_CASE("narrowing stores under a mask write no neighbour") {
  check_narrowed<std::int8_t, std::int32_t>();
  check_narrowed<std::int16_t, std::int32_t>();
  check_narrowed<std::int8_t, std::int16_t>();
  check_narrowed<std::int32_t, std::int64_t>();
  check_narrowed<tl::bfloat16, float>();
  check_narrowed<tl::float16, float>();
  check_narrowed<tl::float8e5, float>();
  check_narrowed<tl::float8e4nv, float>();
  check_narrowed<std::int8_t, float>();
}

TEST_CASE("a block is read before a later store overwrites it, however the two overlap") {
  std::vector<float> host(1024);
  std::iota(host.begin(), host.end(), 0.0f);
  for (auto [from, to] : {std::pair(16, 0), {0, 16}, {0, 1}, {1, 0}, {0, 0}, {0, 512}, {300, 44}}) {
    std::vector<float> want = host;
    for (int i = 0; i < 256; ++i)
      want[std::size_t(to + i)] = host[std::size_t(from + i)] + 1;
    for (tl::device dev : tl::testing::devices()) {
      INFO("from " << from << " to " << to);
      tl::buffer<float> x(dev, host);
      numeric::seen(shifted_copy[numeric::grid(1)](x, from, to));
      CHECK(allclose(x, want));
    }
  }
}

TEST_CASE("a load sees what the program stored before") {
  std::vector<float> host(64), want(64);
  for (int i = 0; i < 64; ++i) {
    host[std::size_t(i)] = float(i);
    want[std::size_t(i)] = 2.0f * float(63 - i);
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 64);
    numeric::seen(store_then_load[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("addresses may come from memory") {
  const int n = 150;
  const auto host = tl::testing::random_values<float>(1000);
  const auto index = tl::testing::random_values<std::int32_t>(n, {0, 1000});
  std::vector<float> want;
  for (std::int32_t i : index)
    want.push_back(host[std::size_t(i)]);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    tl::buffer<std::int32_t> where(dev, index);
    guarded_buffer<float> out(dev, n);
    numeric::seen(pick[numeric::grid(3)](x, where, out, n));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("an unsigned index never counts backwards") {
  std::vector<float> host(256);
  std::iota(host.begin(), host.end(), 0.0f);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 256);
    numeric::seen(narrow_index<std::uint8_t>[numeric::grid(1)](x, out));
    CHECK(allclose(out, host));
    numeric::seen(narrow_index<std::uint16_t>[numeric::grid(1)](x, out));
    CHECK(allclose(out, host));
  }
}

TEST_CASE_TEMPLATE("atomic additions to one address are all applied", T, std::int32_t, float,
                   std::int64_t, double) {
  const int n = 1000;
  std::vector<T> want(8, T(n / 8));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> counters(dev, std::vector<T>(8, T(0)));
    numeric::seen(count_up<T>[numeric::grid(tl::cdiv(n, 64))](counters, n));
    CHECK(allclose(counters, want));
  }
}

TEST_CASE("atomic extremes and bits are those of all values") {
  const int n = 333;
  const auto host = tl::testing::random_values<std::int32_t>(n);
  std::vector<std::int32_t> want{INT32_MIN, INT32_MAX, 0};
  for (std::int32_t value : host) {
    want[0] = std::max(want[0], value);
    want[1] = std::min(want[1], value);
    want[2] ^= value;
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host);
    tl::buffer<std::int32_t> out(dev, std::vector<std::int32_t>{INT32_MIN, INT32_MAX, 0});
    numeric::seen(extremes[numeric::grid(tl::cdiv(n, 64))](x, out, n));
    CHECK(allclose(out, want));
  }
}

TEST_CASE_TEMPLATE("lanes that add to one element find all its values", T, tl::float16,
                   tl::bfloat16, float) {
  for (int place : {0, 1, 3, 6, 7})
    for (tl::device dev : tl::testing::devices()) {
      INFO("element " << place);
      std::vector<T> start, want, found;
      for (int i = 0; i < 8; ++i)
        start.push_back(T(i == place ? 0.0f : 10.0f * static_cast<float>(i + 1)));
      want = start;
      want[std::size_t(place)] = T(256.0f);
      for (int i = 0; i < 256; ++i)
        found.push_back(T(static_cast<float>(i)));
      tl::buffer<T> x(dev, start);
      guarded_buffer<T> olds(dev, 256);
      numeric::seen(add_to_one<T>[numeric::grid(1)](x, olds, place));
      CHECK(allclose(x, want));
      std::vector<T> got = olds.to_vector();
      std::sort(got.begin(), got.end(), [](T a, T b) { return float(a) < float(b); });
      CHECK(std::equal(got.begin(), got.end(), found.begin(),
                       [](T a, T b) { return float(a) == float(b); }));
    }
}

TEST_CASE_TEMPLATE("repeated indices are each counted, under a mask too", T, std::int32_t, float,
                   tl::float16) {
  const int n = 1024;
  for (int only_even : {0, 1}) {
    std::vector<T> want(7, T(0.0f));
    for (int i = 0; i < n; ++i)
      if (!only_even || i % 2 == 0)
        want[std::size_t(i % 7)] = T(static_cast<float>(want[std::size_t(i % 7)]) + 1.0f);
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<T> counters(dev, std::vector<T>(7, T(0.0f)));
      numeric::seen(count_by_seven<T>[numeric::grid(n / 512)](counters, only_even));
      CHECK(allclose(counters, want));
    }
  }
}

TEST_CASE_TEMPLATE("atomic extremes of floats know zeros and signs", T, float, double) {
  // A NaN counts as larger than all numbers.
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x{T(-0.0), T(-1), T(0.0), T(7), nan, T(-7), T(-INFINITY), T(INFINITY)};
  const std::vector<T> lowest(8, std::numeric_limits<T>::lowest()), five(8, T(5));
  const T low = lowest[0];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> in(dev, x), largest(dev, lowest), smallest(dev, five);
    numeric::seen(float_extremes<T>[numeric::grid(1)](in, largest, smallest));
    CHECK(allclose(largest, std::vector<T>{x[0], x[1], x[2], x[3], nan, x[5], low, x[7]},
                   {.equal_nan = true}));
    CHECK(allclose(smallest, std::vector<T>{x[0], x[1], x[2], T(5), T(5), x[5], x[6], T(5)}));
  }
}

TEST_CASE("what an atomic found may be an address for all threads") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> next(dev, std::vector<std::int32_t>{1});
    tl::buffer<std::int64_t> out(dev, std::vector<std::int64_t>(16, 0));
    numeric::seen(store_to_found_row[numeric::grid(1)](next, out));
    std::vector<std::int64_t> want(16, 0);
    std::fill(want.begin() + 8, want.end(), 2);
    CHECK(allclose(out, want));
    CHECK(allclose(next, std::vector<std::int32_t>{2}));
  }
}

TEST_CASE("what was loaded is not read again after its memory was overwritten") {
  const int programs = 50;
  std::vector<float> want;
  for (int p = 0; p < programs; ++p)
    for (int r = 0; r < 512; ++r)
      want.push_back(8.0f * static_cast<float>(r));
  for (tl::device dev : tl::testing::devices())
    for (int iteration = 0; iteration < 5; ++iteration) {
      tl::buffer<float> x(dev, std::vector<float>(8 * programs, 0.0f));
      guarded_buffer<float> sums(dev, want.size());
      numeric::seen(spread_and_replace[numeric::grid(programs)](x, sums));
      CHECK(allclose(sums, want));
      CHECK(allclose(x, std::vector<float>(8 * programs, 1.0f)));
    }
}

TEST_CASE("a lock made of atomic_cas and atomic_xchg keeps programs apart") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> lock(dev, std::vector<std::int32_t>{0});
    tl::buffer<std::int32_t> out(dev, std::vector<std::int32_t>{0});
    numeric::seen(take_tickets[numeric::grid(200)](lock, out));
    CHECK(allclose(out, std::vector<std::int32_t>{200}));
    CHECK(allclose(lock, std::vector<std::int32_t>{0}));
  }
}

TEST_CASE("a poll tells a value that is there from one that never comes") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> flag(dev, std::vector<std::int32_t>{1});
    guarded_buffer<std::int32_t> out(dev, 2);
    numeric::seen(poll[numeric::grid(1)](flag, out));
    CHECK(allclose(out, std::vector<std::int32_t>{1, 0}));
  }
}

TEST_CASE("an address is an integer and back") {
  std::vector<float> host(16);
  std::iota(host.begin(), host.end(), 0.0f);
  const std::vector<float> want(host.begin() + 8, host.end());
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 8);
    numeric::seen(through_addresses[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}
