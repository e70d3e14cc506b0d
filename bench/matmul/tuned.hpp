// SPDX-License-Identifier: MIT
#pragma once
// C = A B in the configuration that is the fastest here: the candidates are values of tile_config.

#include "tutorial.hpp"

namespace bench::products {

/// A kernel with the parameters of matmul, which tries its candidates when M, N, K or the way the
/// matrices lie are new.
///
///     tuned_matmul<tl::float16, tl::float16>()[tiles_of(M, N)](a, b, c, M, N, K, K, 1, N, 1, N);
template <class T, class R> const auto &tuned_matmul() {
  constexpr int k = 128 / sizeof(T);
  static const auto tuned =
      tl::autotune<tile_config{128, 256, k, 8, 8, 3}, tile_config{128, 128, k, 8, 4, 4},
                   tile_config{64, 128, k, 8, 4, 4}, tile_config{64, 64, k, 8, 4, 4},
                   tile_config{16, 64, 2 * k, 1, 4, 4}>(
          []<tile_config C> { return matmul<T, R, C>; }, {.key = tl::args<3, 4, 5, 7, 9>});
  return tuned;
}

/// The grid of an M x N result for whatever configuration is tried.
inline auto tiles_of(int M, int N) {
  return tl::grid([=](tile_config c) { return tl::cdiv(M, c.block_m) * tl::cdiv(N, c.block_n); });
}

} // namespace bench::products
