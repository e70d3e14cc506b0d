// SPDX-License-Identifier: MIT
//
// Random numbers are upstream's, bit for bit: Philox with ten rounds.

#include "sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using tl::testing::allclose;

constexpr auto words = tl::kernel{[](tl::ptr<std::uint32_t> out, tl::i32 seed) {
  auto at = tl::arange<64>();
  auto [a, b, c, d] = tl::randint4x(seed, at);
  tl::store(out + at, a);
  tl::store(out + 64 + at, b);
  tl::store(out + 128 + at, c);
  tl::store(out + 192 + at, d);
}};

constexpr auto draw = tl::kernel{[](tl::ptr<std::uint32_t> out, tl::i32 seed) {
  auto at = tl::program_id(0) * 4096 + tl::arange<4096>();
  tl::store(out + at, tl::randint(seed, at * 4093));
}};

constexpr auto uniform = tl::kernel{[](tl::ptr<float> out, tl::i32 seed, tl::i32 n) {
  auto at = tl::program_id(0) * 256 + tl::arange<256>();
  tl::store(out + at, tl::rand(seed, at), at < n);
}};

constexpr auto normal = tl::kernel{[](tl::ptr<float> out, tl::i32 seed, tl::i32 n) {
  auto at = tl::program_id(0) * 256 + tl::arange<256>();
  tl::store(out + at, tl::randn(seed, at), at < n);
}};

/// Four blocks each: uniform and normal numbers, and what they are made of.
constexpr auto in_fours = tl::kernel{[](tl::ptr<float> out, tl::i32 seed) {
  auto at = tl::arange<64>();
  auto [a, b, c, d] = tl::rand4x(seed, at);
  tl::store(out + at, a);
  tl::store(out + 64 + at, b);
  tl::store(out + 128 + at, c);
  tl::store(out + 192 + at, d);
  auto [e, f, g, h] = tl::randn4x(seed, at);
  tl::store(out + 256 + at, e);
  tl::store(out + 320 + at, f);
  tl::store(out + 384 + at, g);
  tl::store(out + 448 + at, h);
  auto [p, q] = tl::pair_uniform_to_normal(a, b);
  tl::store(out + 512 + at, p - e);
  tl::store(out + 576 + at, q - f);
}};

constexpr auto wide_words =
    tl::kernel{[](tl::ptr<std::uint64_t> out, tl::ptr<float> uniform, tl::u64 seed) {
      auto at = tl::cast<std::uint64_t>(tl::arange<64>());
      auto zero = tl::full_like(at, 0);
      auto [a, b, c, d] =
          tl::philox_impl(at, zero + 3, at * at, zero, seed, tl::full_like(seed, 9));
      tl::store(out + at, a);
      tl::store(out + 64 + at, b);
      tl::store(out + 128 + at, c);
      tl::store(out + 192 + at, d);
      tl::store(uniform + at, tl::uint_to_uniform_float(a));
    }};

// Philox4x32 with ten rounds, from its description.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::uint32_t k0,
                                    std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t low = std::uint64_t(0xD2511F53u) * c[0];
    const std::uint64_t high = std::uint64_t(0xCD9E8D57u) * c[2];
    c = {std::uint32_t(high >> 32) ^ c[1] ^ k0, std::uint32_t(high),
         std::uint32_t(low >> 32) ^ c[3] ^ k1, std::uint32_t(low)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// Philox4x64, likewise.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> c, std::uint64_t k0,
                                    std::uint64_t k1) {
  __extension__ using wide = unsigned __int128;
  for (int round = 0; round < 10; ++round) {
    const wide low = wide(0xD2E7470EE14C6C93u) * c[0], high = wide(0xCA5A826395121157u) * c[2];
    c = {std::uint64_t(high >> 64) ^ c[1] ^ k0, std::uint64_t(high),
         std::uint64_t(low >> 64) ^ c[3] ^ k1, std::uint64_t(low)};
    k0 += 0x9E3779B97F4A7C15u;
    k1 += 0xBB67AE8584CAA73Bu;
  }
  return c;
}

/// A number in [0, 1) of the bits of a signed one.
float uniform_of(std::uint32_t word) {
  const auto bits = std::int32_t(word);
  return float(bits < 0 ? ~bits : bits) * 4.6566127342e-10f;
}
float uniform_of(std::uint64_t word) {
  const auto bits = std::int64_t(word);
  return float(bits < 0 ? ~bits : bits) * 1.0842020432385337e-19f;
}

} // namespace

TEST_CASE("numbers in fours are those of the four words") {
  const int seed = 99;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::testing::guarded_buffer<float> out(dev, 640);
    numeric::seen(in_fours[numeric::grid(1)](out, seed));
    const std::vector<float> got = out.to_vector();
    int wrong = 0;
    for (std::uint32_t i = 0; i < 64; ++i) {
      const auto block = philox(std::array<std::uint32_t, 4>{i, 0, 0, 0}, std::uint32_t(seed), 0u);
      for (std::size_t word = 0; word < 4; ++word) {
        wrong += got[word * 64 + i] != uniform_of(block[word]);
        // Box and Muller: two of each pair.
        const double u = std::max(double(uniform_of(block[word & 2])), 1e-7);
        const double angle = 6.283185307179586 * uniform_of(block[(word & 2) + 1]);
        const double radius = std::sqrt(-2 * std::log(u));
        const double want = radius * (word % 2 ? std::sin(angle) : std::cos(angle));
        wrong += !(std::abs(got[256 + word * 64 + i] - want) < 1e-4);
      }
      wrong += got[512 + i] != 0 || got[576 + i] != 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the generator of 64-bit words is Philox4x64 with ten rounds") {
  const std::uint64_t seed = 0x123456789ABCDEF0u;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::testing::guarded_buffer<std::uint64_t> out(dev, 256);
    tl::testing::guarded_buffer<float> uniform(dev, 64);
    numeric::seen(wide_words[numeric::grid(1)](out, uniform, seed));
    const auto got = out.to_vector();
    const auto numbers = uniform.to_vector();
    int wrong = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const auto block = philox(std::array<std::uint64_t, 4>{i, 3, i * i, 0}, seed, 9);
      for (std::size_t word = 0; word < 4; ++word)
        wrong += got[word * 64 + i] != block[word];
      wrong += numbers[i] != uniform_of(block[0]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the generator is Philox4x32 with ten rounds") {
  // The published answer for a counter and a key of zeros.
  CHECK(philox(std::array<std::uint32_t, 4>{0, 0, 0, 0}, 0u, 0u)[0] == 0x6627e8d5u);
  for (int seed : {0, 1, 123456789}) {
    std::vector<std::uint32_t> want(256);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const auto block = philox(std::array<std::uint32_t, 4>{i, 0, 0, 0}, std::uint32_t(seed), 0u);
      for (std::size_t word = 0; word < 4; ++word)
        want[word * 64 + i] = block[word];
    }
    for (tl::device dev : tl::testing::devices()) {
      tl::testing::guarded_buffer<std::uint32_t> out(dev, 256);
      numeric::seen(words[numeric::grid(1)](out, seed));
      CHECK(allclose(out, want));
    }
  }
}

TEST_CASE("a million draws are those of Philox, at every distance from the first") {
  constexpr int draws = 1 << 20;
  const int seed = 0x7654321;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::testing::guarded_buffer<std::uint32_t> out(dev, draws);
    numeric::seen(draw[numeric::grid(draws / 4096)](out, seed));
    const std::vector<std::uint32_t> got = out.to_vector();
    int wrong = 0;
    for (std::uint32_t i = 0; i < draws; ++i) {
      const std::uint32_t at = i * 4093; // counters near 2^32, too
      wrong +=
          got[i] != philox(std::array<std::uint32_t, 4>{at, 0, 0, 0}, std::uint32_t(seed), 0u)[0];
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("uniform numbers lie in [0, 1) and fill it evenly") {
  const int n = 5000;
  for (tl::device dev : tl::testing::devices()) {
    tl::testing::guarded_buffer<float> out(dev, n);
    numeric::seen(uniform[numeric::grid(tl::cdiv(n, 256))](out, 7, n));
    double sum = 0;
    int low = 0;
    for (float x : out.to_vector()) {
      REQUIRE(x >= 0);
      REQUIRE(x < 1);
      sum += x;
      low += x < 0.25f;
    }
    CHECK(std::abs(sum / n - 0.5) < 0.03);
    CHECK(std::abs(low / double(n) - 0.25) < 0.03);
    CHECK(out.intact());
  }
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
  const int n = 5000;
  for (tl::device dev : tl::testing::devices()) {
    tl::testing::guarded_buffer<float> out(dev, n);
    numeric::seen(normal[numeric::grid(tl::cdiv(n, 256))](out, 7, n));
    double sum = 0, squares = 0;
    for (float x : out.to_vector()) {
      sum += x;
      squares += double(x) * x;
    }
    CHECK(std::abs(sum / n) < 0.06);
    CHECK(std::abs(squares / n - 1) < 0.1);
  }
}
