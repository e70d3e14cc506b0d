// SPDX-License-Identifier: MIT
//
// Random numbers: dropout whose mask is a seed and takes no memory.
//
// tl::rand(seed, offsets) gives element i the same number whenever it is asked: a counter-based
// generator (Philox) has no state. So the backward pass computes the mask again instead of loading
// it, and a host can check every bit of it.

#include "kernels/dropout.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

// Philox4x32-10 for the counter (offset, 0, 0, 0): the first of its four words, as a float in [0,
// 1).
float host_rand(std::uint32_t seed, std::uint32_t offset) {
  std::uint32_t c0 = offset, c1 = 0, c2 = 0, c3 = 0, k0 = seed, k1 = 0;
  for (int round = 0; round < 10; ++round) {
    std::uint64_t left = std::uint64_t(0xD2511F53) * c0, right = std::uint64_t(0xCD9E8D57) * c2;
    c0 = std::uint32_t(right >> 32) ^ c1 ^ k0;
    c2 = std::uint32_t(left >> 32) ^ c3 ^ k1;
    c1 = std::uint32_t(right);
    c3 = std::uint32_t(left);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  auto word = std::int32_t(c0);
  return float(word < 0 ? ~word : word) * 4.6566127342e-10f;
}

bool check(const lesson::options &o, int n, float p, int seed) {
  auto host = lesson::random_values(n, 21);
  tl::buffer<float> x(o.device, host), out(o.device, n), again(o.device, n);
  dropout<512>[tl::grid(tl::cdiv(n, 512))](x, out, n, p, seed);
  dropout<128>[tl::grid(tl::cdiv(n, 128))](x, again, n, p, seed); // blocks do not matter
  auto result = out.to_vector();

  int dropped = 0, wrong = 0;
  for (int i = 0; i < n; ++i) {
    float want = host_rand(seed, i) > p ? host[i] / (1.0f - p) : 0.0f;
    wrong += std::abs(result[i] - want) > 1e-6f * std::abs(want);
    dropped += result[i] == 0.0f;
  }
  bool same = again.to_vector() == result;
  std::printf("seed %d, p = %.2f: dropped %.2f %% of %d, %d wrong, %s for another block size\n",
              seed, p, 100.0 * dropped / n, n, wrong, same ? "the same" : "DIFFERENT");
  return wrong == 0 && same;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "dropout", [](const lesson::options &o) {
    const int n = o.quick ? 5000 : 1000003;
    return check(o, n, 0.5f, 123) && check(o, n, 0.1f, 123) && check(o, n, 0.5f, 512);
  });
}
