// SPDX-License-Identifier: MIT
#pragma once
// C = A B of elements of 8 or 4 bits of which 32 neighbours along K share a scale, a power of two
// (the OCP microscaling formats).

#include "tiles.hpp"

namespace bench::products {

/// The format's bytes in memory and how many elements of K a byte holds.
template <tl::scaled_format F>
using bytes_of =
    std::conditional_t<F == tl::e2m1, std::uint8_t,
                       std::conditional_t<F == tl::e4m3, tl::float8e4nv, tl::float8e5>>;
template <tl::scaled_format F> inline constexpr int packed = F == tl::e2m1 ? 2 : 1;

/// A is M x K by rows, B N x K by rows, that is, transposed; both packed along K. Scales are
/// exponents, M x K / 32 and N x K / 32. K is a multiple of 32.
template <tl::scaled_format FA, tl::scaled_format FB, class R, tile_config C>
inline constexpr auto block_scaled_matmul = tl::kernel{
    "block_scaled_matmul", [](tl::ptr<const bytes_of<FA>> a, tl::ptr<const std::uint8_t> a_scales,
                              tl::ptr<const bytes_of<FB>> b, tl::ptr<const std::uint8_t> b_scales,
                              tl::ptr<R> c, tl::i32 M, tl::i32 N, tl::i32 K) {
      constexpr int group = 32;
      static_assert(C.block_k % group == 0, "a step along K holds whole groups of 32");
      auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
      auto rows = down(m * C.block_m + tl::arange<C.block_m>());
      auto columns = down(n * C.block_n + tl::arange<C.block_n>());
      auto a_bytes = across(tl::arange<C.block_k / packed<FA>>());
      auto b_bytes = across(tl::arange<C.block_k / packed<FB>>());
      auto groups = across(tl::arange<C.block_k / group>());
      tl::tensor acc = tl::zeros<float, C.block_m, C.block_n>();
      for (auto k : tl::range(0, K, C.block_k)) {
        const auto tile = [&](const auto &from, const auto &lines, const auto &limit,
                              const auto &places, int share) {
          auto at = k / share + places;
          return tl::load(from + lines * (K / share) + at, (lines < limit) & (at < K / share), 0);
        };
        acc = tl::dot_scaled<FA, FB>(tile(a, rows, M, a_bytes, packed<FA>),
                                     tile(a_scales, rows, M, groups, group),
                                     tl::trans(tile(b, columns, N, b_bytes, packed<FB>)),
                                     tile(b_scales, columns, N, groups, group), acc);
      }
      store_tile<C>(c, m, n, acc, M, N, N);
    }};

} // namespace bench::products
