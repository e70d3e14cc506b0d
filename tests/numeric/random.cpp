// SPDX-License-Identifier: MIT
//
// Random numbers are upstream's, bit for bit: Philox with ten rounds.

#include "sweep.hpp"

#include <array>

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

constexpr auto uniform = tl::kernel{[](tl::ptr<float> out, tl::i32 seed, tl::i32 n) {
  auto at = tl::program_id(0) * 256 + tl::arange<256>();
  tl::store(out + at, tl::rand(seed, at), at < n);
}};

constexpr auto normal = tl::kernel{[](tl::ptr<float> out, tl::i32 seed, tl::i32 n) {
  auto at = tl::program_id(0) * 256 + tl::arange<256>();
  tl::store(out + at, tl::randn(seed, at), at < n);
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

} // namespace

TEST_CASE("the generator is Philox4x32 with ten rounds") {
  // The published answer for a counter and a key of zeros.
  CHECK(philox({0, 0, 0, 0}, 0, 0)[0] == 0x6627e8d5u);
  for (int seed : {0, 1, 123456789}) {
    std::vector<std::uint32_t> want(256);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const auto block = philox({i, 0, 0, 0}, std::uint32_t(seed), 0);
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
