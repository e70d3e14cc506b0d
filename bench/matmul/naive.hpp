// SPDX-License-Identifier: MIT
#pragma once
// C = A B without tl::dot: outer products of a column of A and a row of B are summed one k after
// the other. Where docs/explanation/from_naive_to_peak.md begins.

#include "tiles.hpp"

namespace bench::products {

template <class T, class R, tile_config C>
inline constexpr auto naive_matmul =
    tl::kernel{"naive_matmul", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M,
                                  tl::i32 N, tl::i32 K, tl::i32 a_row, tl::i32 a_column,
                                  tl::i32 b_row, tl::i32 b_column, tl::i32 c_row) {
                 auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
                 auto rows = m * C.block_m + tl::arange<C.block_m>();
                 auto columns = n * C.block_n + tl::arange<C.block_n>();
                 tl::tensor acc = tl::zeros<sum_type<T>, C.block_m, C.block_n>();
                 // [loop]
                 for (auto k : tl::range(0, K)) {
                   auto column = tl::load(a + rows * a_row + k * a_column, rows < M, 0);
                   auto row = tl::load(b + k * b_row + columns * b_column, columns < N, 0);
                   acc += tl::cast<sum_type<T>>(down(column)) * tl::cast<sum_type<T>>(across(row));
                 }
                 // [loop]
                 store_tile<C>(c, m, n, acc, M, N, c_row);
               }};

} // namespace bench::products
