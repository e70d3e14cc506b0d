// SPDX-License-Identifier: MIT
#pragma once
// A tile of C = A B per program, by pointers. The lesson on it is examples/03_matmul.cpp; this one
// takes matrices that lie row by row or column by column: the stride of neighbours is then 1.

#include "tiles.hpp"

namespace bench::products {

template <class T, class R, tile_config C>
inline constexpr auto matmul =
    tl::kernel{"matmul", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M,
                            tl::i32 N, tl::i32 K, tl::i32 a_row, tl::i32 a_column, tl::i32 b_row,
                            tl::i32 b_column, tl::i32 c_row) {
                 auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
                 const operands<T> o{a, b, M, N, K, a_row, a_column, b_row, b_column};
                 store_tile<C>(c, m, n, sum_over_k<C>(o, m, n, 0, K), M, N, c_row);
               }};

/// C = activation(A B + bias).
template <class T, class R, tile_config C, auto Activation>
inline constexpr auto matmul_activated = tl::kernel{
    "matmul_activated", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c,
                           tl::ptr<const R> bias, tl::i32 M, tl::i32 N, tl::i32 K, tl::i32 a_row,
                           tl::i32 a_column, tl::i32 b_row, tl::i32 b_column, tl::i32 c_row) {
      auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
      const operands<T> o{a, b, M, N, K, a_row, a_column, b_row, b_column};
      tl::tensor acc = sum_over_k<C>(o, m, n, 0, K);
      store_tile<C>(c, m, n, activated<C, Activation>(acc, bias, n, N), M, N, c_row);
    }};

/// Activations.
inline constexpr auto relu = [](const auto &x) { return tl::maximum(x, 0.0f); };
/// By the hyperbolic tangent.
inline constexpr auto gelu = [](const auto &x) {
  return x * tl::sigmoid(1.5957691f * (x + 0.044715f * x * x * x));
};

/// A tile of C = A B per program by tensor descriptors.
template <class T, class R, tile_config C, transposed Lie>
inline constexpr auto matmul_descriptors =
    tl::kernel{"matmul_descriptors",
               [](blocks_of<tl::descriptor, T, C.block_m, C.block_k, Lie.a> a,
                  blocks_of<tl::descriptor, T, C.block_k, C.block_n, Lie.b> b,
                  tl::descriptor<R, C.block_m, C.block_n> c, tl::i32 M, tl::i32 N, tl::i32 K) {
                 auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
                 multiply_blocks<T, R, C, Lie>(a, b, c, m, n, K);
               }};

/// activation(A B + bias) by tensor descriptors.
template <class T, class R, tile_config C, transposed Lie, auto Activation>
inline constexpr auto matmul_activated_descriptors = tl::kernel{
    "matmul_activated_descriptors", [](blocks_of<tl::descriptor, T, C.block_m, C.block_k, Lie.a> a,
                                       blocks_of<tl::descriptor, T, C.block_k, C.block_n, Lie.b> b,
                                       tl::descriptor<R, C.block_m, C.block_n> c,
                                       tl::ptr<const R> bias, tl::i32 M, tl::i32 N, tl::i32 K) {
      auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
      multiply_blocks<T, R, C, Lie>(a, b, c, m, n, K, [&](const auto &acc) {
        return activated<C, Activation>(acc, bias, n, N);
      });
    }};

} // namespace bench::products
