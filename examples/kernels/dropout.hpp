// SPDX-License-Identifier: MIT
#pragma once
// Dropout whose mask is computed from a seed.
// The lesson is ../04_dropout.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [kernel]
template <int Block>
inline constexpr auto dropout = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n,
                                              tl::f32 p, tl::i32 seed) {
  auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
  auto mask = offsets < n;
  tl::tensor keep = tl::rand(seed, offsets) > p;
  tl::store(out + offsets, tl::where(keep, tl::load(x + offsets, mask) / (1.0f - p), 0.0f), mask);
}};
// [kernel]

} // namespace kernels
