// SPDX-License-Identifier: MIT
#pragma once
// Attention in the configuration that is the fastest here: the candidates are values of config.

#include "forward.hpp"

namespace bench::attention {

/// A kernel with the parameters of forward, which tries its candidates when the numbers of queries
/// or keys are new.
///
///     tuned_forward<tl::float16, 64, mask::causal>()[blocks_of(queries, batch * heads)](…);
template <class T, int Head, mask Mask> const auto &tuned_forward() {
  static const auto tuned =
      tl::autotune<config{128, 64, Head, Mask, 4, 3}, config{128, 64, Head, Mask, 8, 3},
                   config{128, 128, Head, Mask, 8, 3}, config{64, 64, Head, Mask, 4, 3},
                   config{64, 64, Head, Mask, 4, 2, false, true}, config{64, 32, Head, Mask, 4, 2}>(
          []<config C> { return forward<T, C>; }, {.key = tl::args<7, 8>});
  return tuned;
}

/// The grid for whatever configuration is tried.
inline auto blocks_of(int queries, int heads) {
  return tl::grid([=](config c) { return tl::launch_grid(tl::cdiv(queries, c.block_m), heads); });
}

} // namespace bench::attention
