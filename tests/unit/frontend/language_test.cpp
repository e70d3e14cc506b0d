// SPDX-License-Identifier: MIT
// What the functions that are written in the language itself compute, on every device: sorting,
// counting, random numbers, casts of float8e4b15, rounding division. Single operations are in
// tests/numeric.
#include "comma_locale.hpp"
#include "devices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using on_devices::check;
using on_devices::holding;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T, bool Descending>
constexpr auto sorts = tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> x) {
  auto at = tl::arange<4>()(tl::all, tl::newaxis) * 16 + tl::arange<16>();
  tl::store(out + at, tl::sort(tl::load(x + at), {.descending = Descending}));
}};

template <class T> void check_sort(std::vector<T> x) {
  auto up = x, down = x;
  for (int row = 0; row < 4; ++row) {
    std::sort(up.begin() + row * 16, up.begin() + row * 16 + 16);
    std::sort(down.begin() + row * 16, down.begin() + row * 16 + 16,
              [](T a, T b) { return b < a; });
  }
  check<T>(up, [&](tl::device dev, auto &out) { sorts<T, false>[1](out, holding(dev, x)); });
  check<T>(down, [&](tl::device dev, auto &out) { sorts<T, true>[1](out, holding(dev, x)); });
}

TEST_CASE("sort orders the rows of a block") {
  std::mt19937 random(7);
  std::vector<int> ints(64);
  std::vector<float> floats(64);
  std::vector<std::uint8_t> bytes(64);
  for (int i = 0; i < 64; ++i) {
    ints[i] = static_cast<int>(random());
    floats[i] = static_cast<float>(static_cast<int>(random() % 20)) - 10;
    bytes[i] = static_cast<std::uint8_t>(random());
  }
  check_sort(ints);
  check_sort(floats);
  check_sort(bytes);
}

constexpr auto sort_line = tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> x) {
  auto at = tl::arange<8>();
  tl::store(out + at, tl::sort(tl::load(x + at)));
  tl::store(out + 8 + tl::arange<2>(), tl::topk<2>(tl::load(x + at)));
  tl::store(out + 10 + tl::arange<1>(), tl::topk<1>(tl::load(x + at), {.descending = false}));
}};

TEST_CASE("NaN sorts after all numbers") {
  check<float>({-INFINITY, -1, 0, 2, 3, INFINITY, nan, nan, nan, nan, -INFINITY}, [](tl::device dev,
                                                                                     auto &out) {
    sort_line[1](out, holding<float>(dev, {3, nan, -1, INFINITY, 2, nan, -INFINITY, 0}));
  });
}

template <int K>
constexpr auto tops = tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x) {
  auto rows = tl::arange<4>()(tl::all, tl::newaxis);
  tl::store(out + rows * K + tl::arange<K>(),
            tl::topk<K>(tl::load(x + rows * 8 + tl::arange<8>())));
}};

template <int K> void check_tops() {
  std::vector<int> x(32), expected;
  for (int i = 0; i < 32; ++i)
    x[i] = (i * 37) % 31;
  for (int row = 0; row < 4; ++row) {
    std::vector<int> sorted(x.begin() + row * 8, x.begin() + row * 8 + 8);
    std::sort(sorted.rbegin(), sorted.rend());
    expected.insert(expected.end(), sorted.begin(), sorted.begin() + K);
  }
  check<int>(expected, [&](tl::device dev, auto &out) { tops<K>[1](out, holding(dev, x)); });
}

TEST_CASE("topk takes any number up to the extent") {
  check_tops<1>();
  check_tops<2>();
  check_tops<3>();
  check_tops<5>();
  check_tops<8>();
}

constexpr auto rounding_up = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 a, tl::i32 b) {
  tl::store(out, tl::cdiv(a, b));
  tl::store(out + 1, a / b);
  tl::store(out + 2, a % b);
  tl::store(out + 3, tl::cdiv(a, 5));
}};

TEST_CASE("division truncates and cdiv rounds up, whatever the signs") {
  struct row {
    int a, b;
  };
  for (row r : {row{-36, 5}, row{-1, 2}, row{-8, 3}, row{7, 2}, row{2147483647, 2}, row{-7, -2},
                row{7, -2}, row{1, 1}, row{0, 3}, row{-2147483647, 2}})
    check<int>({tl::cdiv(r.a, r.b), r.a / r.b, r.a % r.b, tl::cdiv(r.a, 5)},
               [&](tl::device, auto &out) { rounding_up[1](out, r.a, r.b); });
}

constexpr auto indices = tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> x) {
  auto v = tl::load(x + tl::arange<4>());
  tl::store(out, tl::max(v));
  tl::store(out + 1, tl::min(v));
  tl::store(out + 2, tl::argmax<0>(v));
  tl::store(out + 3, tl::argmin<0>(v));
}};

TEST_CASE("NaN is skipped by max, min and their indices, wherever it stands") {
  check<float>({8, 6, 2, 1}, [](tl::device dev, auto &out) {
    indices[1](out, holding<float>(dev, {nan, 6, 8, nan}));
  });
  check<float>({8, 6, 2, 0}, [](tl::device dev, auto &out) {
    indices[1](out, holding<float>(dev, {6, nan, 8, nan}));
  });
  check<float>({8, 6, 0, 1}, [](tl::device dev, auto &out) {
    indices[1](out, holding<float>(dev, {8, 6, nan, 8}));
  });
  check<float>({nan, nan, 0, 0}, [](tl::device dev, auto &out) {
    indices[1](out, holding<float>(dev, {nan, nan, nan, nan}));
  });
}

template <class T>
constexpr auto half_sums = tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> x) {
  tl::store(out, tl::sum<0>(tl::load(x + tl::arange<4096>())));
}};

TEST_CASE("sums of small floats are kept in float") {
  std::vector<tl::float16> ones(4096, tl::float16(1)), big(4096, tl::float16(0));
  big[0] = tl::float16(65504);
  big[1000] = tl::float16(100);
  big[4000] = tl::float16(-65504);
  check<tl::float16>({tl::float16(4096)}, [&](tl::device dev, auto &out) {
    half_sums<tl::float16>[1](out, holding(dev, ones));
  });
  check<tl::float16>({tl::float16(100)}, [&](tl::device dev, auto &out) {
    half_sums<tl::float16>[1](out, holding(dev, big));
  });
}

constexpr auto counts = tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int8_t> x) {
  tl::store(out + tl::arange<4>(), tl::histogram<4>(tl::load(x + tl::arange<1024>())));
}};

TEST_CASE("a histogram of bytes counts in int32") {
  check<int>({1024, 0, 0, 0}, [](tl::device dev, auto &out) {
    counts[1](out, holding(dev, std::vector<std::int8_t>(1024, 0)));
  });
}

constexpr auto arranged = tl::kernel{[](tl::ptr<std::int32_t> out, tl::ptr<const std::int32_t> x) {
  auto at = tl::arange<8>();
  auto v = tl::load(x + at);
  tl::store(out + at, tl::flip(v));
  tl::store(out + 8 + tl::arange<16>(), tl::cat(v, v + 100));
  tl::store(out + 24 + tl::arange<16>(), tl::interleave(v, v + 100));
  auto tile = tl::reshape<2, 4>(v);
  auto tile_at = tl::arange<2>()(tl::all, tl::newaxis) * 4 + tl::arange<4>();
  tl::store(out + 40 + tile_at, tl::flip<0>(tile));
  auto [even, odd] = tl::split(tl::reshape<4, 2>(v));
  tl::store(out + 48 + tl::arange<4>(), even);
  tl::store(out + 52 + tl::arange<4>(), odd);
  tl::i32 one = tl::load(x), two = tl::load(x + 1), three = tl::load(x + 2), four = tl::load(x + 3);
  tl::store(out + 56 + tl::arange<4>(),
            tl::reshape<4>(tl::join(tl::join(one, two), tl::join(three, four))));
}};

TEST_CASE("rearrangements keep the documented order") {
  std::vector<int> e{8, 7, 6, 5, 4, 3, 2, 1};
  for (int i = 1; i <= 8; ++i)
    e.push_back(i);
  for (int i = 101; i <= 108; ++i)
    e.push_back(i);
  for (int i = 1; i <= 8; ++i)
    e.insert(e.end(), {i, i + 100});
  e.insert(e.end(), {5, 6, 7, 8, 1, 2, 3, 4, 1, 3, 5, 7, 2, 4, 6, 8, 1, 3, 2, 4});
  check<int>(e, [](tl::device dev, auto &out) {
    arranged[1](out, holding<int>(dev, {1, 2, 3, 4, 5, 6, 7, 8}));
  });
}

constexpr auto e4b15 =
    tl::kernel{[](tl::ptr<tl::float8e4b15> q, tl::ptr<float> back, tl::ptr<const float> x) {
      auto at = tl::arange<16>();
      tl::store(q + at, tl::load(x + at));
      tl::store(back + at, tl::cast<float>(tl::cast<tl::float8e4b15>(tl::load(x + at))));
    }};

TEST_CASE("float8e4b15 is converted as the host converts it") {
  const std::vector<float> x{0,    -0.0f, 1,     1.0625f, 1.1875f, 1.75f,    2,          -100,
                             0.1f, 1e-4f, 1e-5f, 3.9e-6f, 1e-7f,   0x1p-14f, 0x1.ep-15f, -0.7f};
  std::vector<tl::float8e4b15> expected;
  for (float v : x)
    expected.push_back(tl::float8e4b15(v));
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<tl::float8e4b15> q(dev, x.size());
    tl::buffer<float> back(dev, x.size());
    e4b15[1](q, back, holding(dev, x));
    const auto bytes = q.to_vector();
    const auto values = back.to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CHECK(int(bytes[i].bits) == int(expected[i].bits));
      CHECK(values[i] == float(expected[i]));
    }
  }
}

constexpr auto words = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i64 first, tl::i32 seed) {
  auto narrow = tl::arange<4>();
  tl::store(out + narrow, tl::cast<std::int32_t>(tl::randint(seed, narrow)));
  auto wide = tl::cast<std::int64_t>(narrow) + first;
  tl::store(out + 4 + narrow, tl::cast<std::int32_t>(tl::randint(seed, wide)));
}};

TEST_CASE("random words are those of Philox 4x32 with ten rounds, for 64-bit offsets too") {
  const auto philox = [](std::uint32_t seed, std::uint64_t offset) {
    std::uint32_t c[4] = {std::uint32_t(offset), std::uint32_t(offset >> 32), 0, 0};
    std::uint32_t k0 = seed, k1 = 0;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t(0xD2511F53) * c[0],
                          b = std::uint64_t(0xCD9E8D57) * c[2];
      const std::uint32_t next[4] = {std::uint32_t(b >> 32) ^ c[1] ^ k0, std::uint32_t(b),
                                     std::uint32_t(a >> 32) ^ c[3] ^ k1, std::uint32_t(a)};
      std::copy(next, next + 4, c);
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return static_cast<int>(c[0]);
  };
  for (std::int64_t first : {std::int64_t(0), (std::int64_t(1) << 32) + 5}) {
    std::vector<int> expected;
    for (int i = 0; i < 4; ++i)
      expected.push_back(philox(42, std::uint64_t(i)));
    for (int i = 0; i < 4; ++i)
      expected.push_back(philox(42, std::uint64_t(first + i)));
    check<int>(expected, [&](tl::device, auto &out) { words[1](out, first, 42); });
  }
}

constexpr auto by_byte = tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> x) {
  auto at = tl::arange<256>();
  tl::store(out + at, tl::load(x + tl::cast<std::uint8_t>(at)));
}};

TEST_CASE("unsigned offsets are not negative") {
  std::vector<float> x(256);
  for (int i = 0; i < 256; ++i)
    x[i] = float(i);
  check<float>(x, [&](tl::device dev, auto &out) { by_byte[1](out, holding(dev, x)); });
}

constexpr auto optional_bias = tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> bias) {
  tl::f32 v = 1;
  if (!tl::is_null(bias))
    v += tl::load(bias);
  tl::store(out, v);
}};

TEST_CASE("an absent argument is a kernel of its own") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<float> out(dev, 1), bias(dev, std::vector<float>{2});
    for (bool present : {true, false, true}) {
      if (present)
        optional_bias[1](out, bias);
      else
        optional_bias[{.grid = {1}, .device = dev}](out, nullptr);
      CHECK(out.to_vector()[0] == (present ? 3.0f : 1.0f));
    }
  }
}

constexpr auto scaled = tl::kernel{[](tl::ptr<float> out, tl::ptr<const float> x) {
  auto at = tl::arange<4>();
  tl::store(out + at, tl::load(x + at) * 1.375f + 0.1f);
}};

TEST_CASE("kernels compile in a program whose locale has commas") {
  const comma_locale comma;
  if (!comma.is_set())
    return tl::testing::skip("localedef makes no locale with commas");
  check<float>({0.1f, 1.475f, 2.85f, 4.225f}, [](tl::device dev, auto &out) {
    scaled[{.grid = {1}, .fp_fusion = false}](out, holding<float>(dev, {0, 1, 2, 3}));
  });
}

constexpr auto differences =
    tl::kernel{[](tl::ptr<std::uint64_t> out, tl::i32 n, tl::u32 m, tl::u64 x) {
      tl::store(out, x + (n - 2));
      tl::store(out + 1, tl::cast<std::uint64_t>(m - 2u));
      tl::store(out + 2, tl::cast<std::uint64_t>(tl::cast<std::int8_t>(n * 300)));
      tl::store(out + 3, tl::cast<std::uint64_t>(tl::cast<std::uint16_t>(-n)));
    }};

TEST_CASE("a kernel gives the same for 1, which it is specialised on, as for other numbers") {
  for (int n : {0, 1, 2, 3})
    check<std::uint64_t>(
        {std::uint64_t(7 + n - 2), std::uint32_t(n - 2), std::uint64_t(std::int8_t(n * 300)),
         std::uint16_t(-n)},
        [&](tl::device, auto &out) { differences[1](out, n, std::uint32_t(n), std::uint64_t(7)); });
}

constexpr auto strided = tl::kernel{[](tl::ptr<std::int32_t> out, tl::i32 stride) {
  auto at = tl::multiple_of<1>(tl::multiple_of<16>(tl::arange<16>()));
  tl::store(out + at * tl::multiple_of<1>(stride), tl::multiple_of<1>(tl::full<int, 16>(5)));
}};

TEST_CASE("hints on what is known, and several on one value, compile") {
  for (int stride : {1, 2}) {
    std::vector<int> expected(32, -77);
    for (int i = 0; i < 16; ++i)
      expected[i * stride] = 5;
    check<int>(expected, [&](tl::device, auto &out) { strided[1](out, stride); });
  }
}

} // namespace
