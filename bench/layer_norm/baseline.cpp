// SPDX-License-Identifier: MIT
//
// The plain C++ layer normalisation: a pass for the mean, one for the variance about it, one to
// write, over a row that stays in the first-level cache.

#include "../peers.hpp"

#include <cmath>

namespace bench::peer {

void layer_norm(const float *x, const float *weight, const float *bias, float *y, float *mean,
                float *rstd, std::ptrdiff_t rows, std::ptrdiff_t cols, float eps) {
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float *in = x + row * cols;
    float *out = y + row * cols;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::ptrdiff_t i = 0; i < cols; ++i)
      sum += in[i];
    const float m = sum / float(cols);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::ptrdiff_t i = 0; i < cols; ++i)
      squares += (in[i] - m) * (in[i] - m);
    const float r = 1 / std::sqrt(squares / float(cols) + eps);
    mean[row] = m;
    rstd[row] = r;
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < cols; ++i)
      out[i] = (in[i] - m) * r * weight[i] + bias[i];
  }
}

} // namespace bench::peer
