// SPDX-License-Identifier: MIT
#pragma once
// The sum of two vectors: offsets, a mask, loads and a store.
// The lesson is ../01_vector_add.cpp.

#include <tl/tl.hpp>

namespace kernels {

// [kernel]
template <int Block>
inline constexpr auto add =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};
// [kernel]

} // namespace kernels
