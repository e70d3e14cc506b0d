// SPDX-License-Identifier: MIT
#pragma once
// Layer normalisation, forward and backward, and the sum of partial gradients.
// The lesson is ../05_layer_norm.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [forward]
template <int Cols>
inline constexpr auto layer_norm = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<const float> weight, tl::ptr<const float> bias,
       tl::ptr<float> y, tl::ptr<float> mean, tl::ptr<float> rstd, tl::i32 n, tl::f32 eps) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor v = tl::load(x + row * n + cols, mask, 0.0f);
      tl::tensor m = tl::sum<0>(v) / tl::cast<float>(n);
      tl::tensor centred = tl::where(mask, v - m, 0.0f);
      tl::tensor r = tl::rsqrt(tl::sum<0>(centred * centred) / tl::cast<float>(n) + eps);
      tl::store(mean + row, m);
      tl::store(rstd + row, r);
      auto w = tl::load(weight + cols, mask);
      auto b = tl::load(bias + cols, mask);
      tl::store(y + row * n + cols, centred * r * w + b, mask);
    }};
// [forward]

// [backward]
template <int Cols>
inline constexpr auto layer_norm_backward =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> dy, tl::ptr<const float> weight,
                  tl::ptr<const float> mean, tl::ptr<const float> rstd, tl::ptr<float> dx,
                  tl::ptr<float> partial_dw, tl::ptr<float> partial_db, tl::i32 rows, tl::i32 n) {
      auto program = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto w = tl::load(weight + cols, mask, 0.0f);
      tl::tensor dw = tl::zeros<float, Cols>();
      tl::tensor db = tl::zeros<float, Cols>();
      for (auto row : tl::range(program, rows, tl::num_programs(0))) {
        auto r = tl::load(rstd + row);
        auto g = tl::load(dy + row * n + cols, mask, 0.0f);
        tl::tensor xhat = (tl::load(x + row * n + cols, mask, 0.0f) - tl::load(mean + row)) * r;
        xhat = tl::where(mask, xhat, 0.0f);
        tl::tensor wg = w * g;
        auto along_x = tl::sum<0>(xhat * wg) / tl::cast<float>(n);
        auto along_1 = tl::sum<0>(wg) / tl::cast<float>(n);
        tl::store(dx + row * n + cols, (wg - (xhat * along_x + along_1)) * r, mask);
        dw += g * xhat;
        db += g;
      }
      tl::store(partial_dw + program * n + cols, dw, mask);
      tl::store(partial_db + program * n + cols, db, mask);
    }};

template <int Rows, int Cols>
inline constexpr auto sum_columns =
    tl::kernel{[](tl::ptr<const float> in, tl::ptr<float> out, tl::i32 rows, tl::i32 n) {
      auto cols = tl::program_id(0) * Cols + tl::arange<Cols>();
      auto lanes = tl::arange<Rows>();
      tl::tensor total = tl::zeros<float, Rows, Cols>();
      for (auto first : tl::range(0, rows, Rows)) {
        tl::tensor at = (first + lanes)(tl::all, tl::newaxis);
        total += tl::load(in + at * n + cols(tl::newaxis, tl::all),
                          (at < rows) & (cols(tl::newaxis, tl::all) < n), 0.0f);
      }
      tl::store(out + cols, tl::sum<0>(total), cols < n);
    }};
// [backward]

} // namespace kernels
