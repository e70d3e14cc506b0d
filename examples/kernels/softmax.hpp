// SPDX-License-Identifier: MIT
#pragma once
// Softmax of one row per program: reductions over a masked block.
// The lesson is ../02_softmax.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [kernel]
template <class T, int Cols>
inline constexpr auto softmax =
    tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> in, tl::i32 stride, tl::i32 n_cols) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n_cols;
      tl::tensor v = tl::cast<float>(tl::load(in + row * stride + cols, mask, -tl::inf));
      tl::tensor e = tl::exp(v - tl::max<0>(v));
      tl::store(out + row * stride + cols, tl::cast<T>(e / tl::sum<0>(e)), mask);
    }};
// [kernel]

} // namespace kernels
