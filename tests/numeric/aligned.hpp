// SPDX-License-Identifier: MIT
//
// What traces of kernels for products assume of their parameters.
#pragma once

#include <tl/tl.hpp>

#include <cstddef>

namespace numeric {

/// What a trace may assume of the first parameters, which are pointers: that they are multiples of
/// 16. Then loads are wide enough to be copied ahead.
class aligned {
public:
  explicit aligned(std::size_t pointers) {
    for (std::size_t slot = 0; slot < pointers; ++slot)
      facts.set(slot, tl::impl::fact::divisible_by_16);
  }
  operator tl::impl::specialization() const { return {facts.array().data(), 8}; }

  tl::impl::fact_word<8> facts;
};

} // namespace numeric
