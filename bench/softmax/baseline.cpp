// SPDX-License-Identifier: MIT
//
// The plain C++ softmax: three passes over a row that stays in the first-level cache, each a loop
// that the compiler vectorises. The library's expf would be one call per element, so the
// exponential is a polynomial of about the accuracy of tl's: within 1 ULP, but results below 2^-126
// become zero, and there must be no NaN and no infinity, which spares these loops some work.

#include "../peers.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace bench::peer {

namespace {

inline float exp_polynomial(float x) {
  constexpr float log2_e = 1.44269504089f, ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  constexpr float shift = 0x1.8p23f; // adding it rounds to an integer, kept in the low bits
  x = x < -87.3f ? -87.3f : x;
  float shifted = x * log2_e + shift;
  float n = shifted - shift;
  float r = x - n * ln2_high;
  r = r - n * ln2_low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(p) +
                              (std::bit_cast<std::int32_t>(shifted) << 23));
}

} // namespace

void softmax(const float *in, float *out, std::ptrdiff_t rows, std::ptrdiff_t cols) {
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float *x = in + row * cols;
    float *y = out + row * cols;
    float largest = std::numeric_limits<float>::lowest();
#pragma omp simd reduction(max : largest)
    for (std::ptrdiff_t i = 0; i < cols; ++i)
      largest = x[i] > largest ? x[i] : largest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::ptrdiff_t i = 0; i < cols; ++i) {
      float e = exp_polynomial(x[i] - largest);
      y[i] = e;
      sum += e;
    }
    float scale = 1 / sum;
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < cols; ++i)
      y[i] *= scale;
  }
}

} // namespace bench::peer
