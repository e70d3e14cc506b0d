// SPDX-License-Identifier: MIT
//
// Integers that pass the end of their type and start again, where something depends on their order
// or is computed from a base and a stride: extensions, masks, addresses, tiles that overlap.

#include "sweep.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <numeric>

namespace {

using tl::testing::guarded_buffer;

std::int32_t wrapped(std::int64_t value) { return static_cast<std::int32_t>(value); }

constexpr int big = 1103515245;

constexpr auto extended = tl::kernel{[](tl::ptr<std::int64_t> out, tl::i32 first, tl::i32 factor) {
  auto i = tl::arange<64>();
  tl::store(out + i, tl::cast<std::int64_t>(i * big));
  tl::store(out + 64 + i, tl::cast<std::int64_t>((first + i) * factor));
  tl::store(out + 128 + i, tl::cast<std::int64_t>(first + i) * 3 + 1);
  tl::store(out + 192 + i,
            tl::cast<std::int64_t>(tl::cast<std::int32_t>(tl::cast<std::int64_t>(i) * big)));
  tl::store(out + 256 + i, tl::cast<std::int64_t>(tl::cast<std::int16_t>(i * 999)));
  tl::store(out + 320 + i, tl::cast<std::int64_t>(tl::cast<std::uint32_t>(first + i)));
}};

constexpr auto looked_up =
    tl::kernel{[](tl::ptr<const float> table, tl::ptr<float> out, tl::i32 seed) {
      auto i = tl::arange<64>();
      auto hash = (i + seed) * big + 12345;
      tl::store(out + i, tl::load(table + 999 + tl::cast<std::int64_t>(hash) % 1000));
    }};

/// Kinds of masks over 64 x 64 positions that start anywhere.
template <int Kind>
constexpr auto masked = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 first, tl::i32 bound) {
  auto i = tl::arange<64>()(tl::all, tl::newaxis) * 64 + tl::arange<64>()(tl::newaxis, tl::all);
  auto ones = tl::full<std::int32_t, 64, 64>(1);
  if constexpr (Kind == 0)
    tl::store(out + i, ones, first + i < bound);
  else if constexpr (Kind == 1)
    tl::store(out + i, ones, i * big + first <= bound);
  else if constexpr (Kind == 2)
    tl::store(out + i, ones, tl::cast<std::int64_t>(first + i) < tl::cast<std::int64_t>(bound));
  else if constexpr (Kind == 3)
    tl::store(out + i, ones, tl::cast<std::uint32_t>(first + i) < tl::cast<std::uint32_t>(bound));
  else
    tl::store(out + i, ones, (bound < first - i) & (first - i * 2 > bound));
}};

/// The same for one row.
template <int Kind>
constexpr auto masked_row = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 first, tl::i32 bound) {
  auto i = tl::arange<512>();
  auto ones = tl::full<std::int32_t, 512>(1);
  if constexpr (Kind == 0)
    tl::store(out + i, ones, first + i < bound);
  else if constexpr (Kind == 1)
    tl::store(out + i, ones, (first + i <= bound) & (i < 500));
  else if constexpr (Kind == 2)
    tl::store(out + i, ones, tl::cast<std::int64_t>(first + i) < tl::cast<std::int64_t>(bound) + 7);
  else
    tl::store(out + i, ones, tl::cast<std::uint32_t>(first + i) < tl::cast<std::uint32_t>(bound));
}};

const std::array<std::array<std::int32_t, 2>, 7> bounds = {{{2147483640, 0},
                                                            {2147483640, 2147483645},
                                                            {-2147483640, -2147483000},
                                                            {-100, 20},
                                                            {1800000000, 0},
                                                            {-8, 5},
                                                            {100, 300}}};

void check_mask(const auto &kernel, int count, auto selected) {
  for (auto [first, bound] : bounds) {
    std::vector<std::int32_t> want;
    for (std::int64_t i = 0; i < count; ++i)
      want.push_back(selected(i, first, bound));
    for (tl::device dev : tl::testing::devices()) {
      INFO("from " << first << " to " << bound);
      tl::buffer<std::int32_t> out(dev, std::vector<std::int32_t>(std::size_t(count), 0));
      numeric::seen(kernel[numeric::grid(1)](out, first, bound));
      CHECK(out.to_vector() == want);
    }
  }
}

/// Every third offset wraps to a small one: 3 * 1431655766 is 2^32 + 2.
constexpr auto every_third =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 stride) {
      auto i = tl::arange<64>();
      auto offset = i * stride;
      tl::store(out + i, tl::load(x + offset, i % 3 == 0, -1.0f));
      tl::store(out + 64 + i, tl::load(x + tl::cast<std::int64_t>(offset), i % 3 == 0, -2.0f));
      auto row = tl::arange<16>()(tl::all, tl::newaxis);
      auto column = tl::arange<32>()(tl::newaxis, tl::all);
      tl::store(out + 128 + row * 32 + column,
                tl::load(x + (row * stride + column), row % 3 == 0, -3.0f));
      tl::store(out + 640 + row * 32 + column,
                tl::load(x + column * stride + row, column % 3 == 0, -4.0f));
    }};

/// What is read backwards is overwritten where every third offset wraps to: 3 * -1431655765 is
/// 1 - 2^32.
constexpr auto overwritten = tl::kernel{[](tl::ptr<float> x, tl::i32 stride) {
  auto i = tl::arange<64>();
  tl::store(x + i * stride, tl::load(x + (64 - i)), i % 3 == 0);
}};

/// Quotients and remainders of numbers that count up, wherever they begin.
template <class T>
constexpr auto divided =
    tl::kernel{[](tl::ptr<T> quotients, tl::ptr<T> remainders, tl::i32 first, tl::i32 by) {
      auto i = tl::arange<512>();
      auto x = tl::cast<T>(first + i);
      tl::store(quotients + i, x / tl::cast<T>(by));
      tl::store(remainders + i, x % tl::cast<T>(by));
      auto row = tl::arange<16>()(tl::all, tl::newaxis);
      auto column = tl::arange<32>()(tl::newaxis, tl::all);
      auto y = tl::cast<T>(first + row * 32 + column);
      tl::store(quotients + 512 + row * 32 + column, y / tl::cast<T>(by));
      tl::store(remainders + 512 + row * 32 + column, y % tl::cast<T>(by));
    }};

template <class T> void check_division(std::int32_t first, std::int32_t by) {
  INFO("from " << first << " by " << by);
  std::vector<T> quotients, remainders;
  for (int part = 0; part < 2; ++part)
    for (std::int64_t i = 0; i < 512; ++i) {
      const auto x = static_cast<T>(wrapped(first + i)), y = static_cast<T>(by);
      quotients.push_back(y == 0 ? T(0) : static_cast<T>(x / y));
      remainders.push_back(y == 0 ? x : static_cast<T>(x % y));
    }
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<T> q(dev, quotients.size()), r(dev, remainders.size());
    numeric::seen(divided<T>[numeric::grid(1)](q, r, first, by));
    CHECK(q.to_vector() == quotients);
    CHECK(r.to_vector() == remainders);
  }
}

} // namespace

TEST_CASE("numbers that count up are divided as each of them is") {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  for (const std::int32_t by : {16, 48, -16, -80, 4096, 3, 0, least})
    for (const std::int32_t first : {0, 32, -256, -480, -33, 1 << 20, 2147483392, least}) {
      check_division<std::int32_t>(first, by);
      check_division<std::uint32_t>(first, by);
      check_division<std::int64_t>(first, by);
    }
}

TEST_CASE("what wraps is extended as the number that it became") {
  for (std::array<std::int32_t, 2> numbers :
       {std::array{2147483640, 1}, {99999, 1664525}, {0, 2147483647}, {-5, 3}}) {
    auto [first, factor] = numbers;
    std::vector<std::int64_t> want;
    for (int part = 0; part < 6; ++part)
      for (std::int64_t i = 0; i < 64; ++i) {
        const std::int64_t from = wrapped(first + i);
        want.push_back(part == 0 || part == 3 ? wrapped(i * big)
                       : part == 1            ? wrapped(from * factor)
                       : part == 2            ? from * 3 + 1
                       : part == 4            ? static_cast<std::int16_t>(i * 999)
                                              : std::int64_t(static_cast<std::uint32_t>(from)));
      }
    for (tl::device dev : tl::testing::devices()) {
      INFO("from " << first << " times " << factor);
      guarded_buffer<std::int64_t> out(dev, want.size());
      numeric::seen(extended[numeric::grid(1)](out, first, factor));
      CHECK(out.to_vector() == want);
    }
  }
}

TEST_CASE("a table is looked up by a number that wraps") {
  std::vector<float> table(2000);
  std::iota(table.begin(), table.end(), 0.0f);
  std::vector<float> want;
  for (std::int64_t i = 0; i < 64; ++i)
    want.push_back(float(999 + wrapped(wrapped((i + 7) * big) + 12345LL) % 1000));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, table);
    guarded_buffer<float> out(dev, 64);
    numeric::seen(looked_up[numeric::grid(1)](x, out, 7));
    CHECK(out.to_vector() == want);
  }
}

TEST_CASE("a mask of numbers that wrap is true where they are below its bound") {
  using i64 = std::int64_t;
  check_mask(masked<0>, 4096,
             [](i64 i, i64 first, i64 bound) { return wrapped(first + i) < bound; });
  check_mask(masked<1>, 4096,
             [](i64 i, i64 first, i64 bound) { return wrapped(i * big + first) <= bound; });
  check_mask(masked<2>, 4096,
             [](i64 i, i64 first, i64 bound) { return wrapped(first + i) < bound; });
  check_mask(masked<3>, 4096, [](i64 i, i64 first, i64 bound) {
    return static_cast<std::uint32_t>(first + i) < static_cast<std::uint32_t>(bound);
  });
  check_mask(masked<4>, 4096, [](i64 i, i64 first, i64 bound) {
    return bound < wrapped(first - i) && wrapped(first - 2 * i) > bound;
  });
  check_mask(masked_row<0>, 512,
             [](i64 i, i64 first, i64 bound) { return wrapped(first + i) < bound; });
  check_mask(masked_row<1>, 512,
             [](i64 i, i64 first, i64 bound) { return wrapped(first + i) <= bound && i < 500; });
  check_mask(masked_row<2>, 512,
             [](i64 i, i64 first, i64 bound) { return wrapped(first + i) < bound + 7; });
  check_mask(masked_row<3>, 512, [](i64 i, i64 first, i64 bound) {
    return static_cast<std::uint32_t>(first + i) < static_cast<std::uint32_t>(bound);
  });
}

TEST_CASE("quotients of numbers of programs that wrap are those of negative numbers") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 n, tl::i32 least) {
    auto i = tl::arange<1024>();
    auto at = tl::program_id(0) * (1 << 30) + i;
    auto is_third = tl::program_id(0) == 2;
    tl::store(out + i, -1, !(at / (n * 16) > least) & is_third);
    tl::store(out + i, i, (at / (n * 16) > least) & is_third);
  }};
  std::vector<std::int32_t> want(1024);
  std::iota(want.begin(), want.end(), 0);
  want[0] = -1;
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> out(dev, want.size());
    numeric::seen(kernel[numeric::grid(3)](out, 1, -134217728));
    CHECK(out.to_vector() == want);
  }
}

TEST_CASE("an offset that wraps to a small one is that one") {
  std::vector<float> host(128);
  std::iota(host.begin(), host.end(), 0.0f);
  std::vector<float> want;
  for (int part = 0; part < 2; ++part)
    for (int i = 0; i < 64; ++i)
      want.push_back(i % 3 == 0 ? float(i / 3 * 2) : float(-1 - part));
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 32; ++column)
      want.push_back(row % 3 == 0 ? float(row / 3 * 2 + column) : -3.0f);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 32; ++column)
      want.push_back(column % 3 == 0 ? float(column / 3 * 2 + row) : -4.0f);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, want.size());
    numeric::seen(every_third[numeric::grid(1)](x, out, 1431655766));
    CHECK(out.to_vector() == want);
    CHECK(out.intact());
  }
}

TEST_CASE("a block is read before it is overwritten through offsets that wrap") {
  std::vector<float> host(128);
  std::iota(host.begin(), host.end(), 0.0f);
  std::vector<float> want = host;
  for (int i = 0; i < 64; i += 3)
    want[std::size_t(i) / 3] = host[std::size_t(64 - i)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    numeric::seen(overwritten[numeric::grid(1)](x, -1431655765));
    CHECK(x.to_vector() == want);
  }
}
