// SPDX-License-Identifier: MIT
#pragma once
// As many programs as the device runs at once, each with several tiles of C = A B, as far apart as
// there are programs.

#include "tiles.hpp"

namespace bench::products {

template <class T, class R, tile_config C>
inline constexpr auto persistent_matmul = tl::kernel{
    "persistent_matmul",
    [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M, tl::i32 N, tl::i32 K,
       tl::i32 a_row, tl::i32 a_column, tl::i32 b_row, tl::i32 b_column, tl::i32 c_row) {
      const operands<T> o{a, b, M, N, K, a_row, a_column, b_row, b_column};
      auto tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
      for (auto tile :
           tl::range(tl::program_id(0), tiles, tl::num_programs(0), {.flatten = true})) {
        auto [m, n] = tile_at<C>(tile, M, N);
        store_tile<C>(c, m, n, sum_over_k<C>(o, m, n, 0, K), M, N, c_row);
      }
    }};

/// The same by tensor descriptors.
template <class T, class R, tile_config C, transposed Lie>
inline constexpr auto persistent_matmul_descriptors =
    tl::kernel{"persistent_matmul_descriptors",
               [](blocks_of<tl::descriptor, T, C.block_m, C.block_k, Lie.a> a,
                  blocks_of<tl::descriptor, T, C.block_k, C.block_n, Lie.b> b,
                  tl::descriptor<R, C.block_m, C.block_n> c, tl::i32 M, tl::i32 N, tl::i32 K) {
                 auto tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
                 for (auto tile : tl::range(tl::program_id(0), tiles, tl::num_programs(0),
                                            {.flatten = true, .warp_specialize = true})) {
                   auto [m, n] = tile_at<C>(tile, M, N);
                   multiply_blocks<T, R, C, Lie>(a, b, c, m, n, K);
                 }
               }};

/// activation(A B + bias): the blocks of the next tile come in while this one's are computed.
template <class T, class R, tile_config C, transposed Lie, auto Activation>
inline constexpr auto persistent_activated_descriptors =
    tl::kernel{"persistent_activated_descriptors",
               [](blocks_of<tl::descriptor, T, C.block_m, C.block_k, Lie.a> a,
                  blocks_of<tl::descriptor, T, C.block_k, C.block_n, Lie.b> b,
                  tl::descriptor<R, C.block_m, C.block_n> c, tl::ptr<const R> bias, tl::i32 M,
                  tl::i32 N, tl::i32 K) {
                 auto tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
                 for (auto tile : tl::range(tl::program_id(0), tiles, tl::num_programs(0),
                                            {.flatten = true, .warp_specialize = true})) {
                   auto [m, n] = tile_at<C>(tile, M, N);
                   multiply_blocks<T, R, C, Lie>(a, b, c, m, n, K, [&](const auto &acc) {
                     return activated<C, Activation>(acc, bias, n, N);
                   });
                 }
               }};

} // namespace bench::products
