// SPDX-License-Identifier: MIT
#pragma once
// Many products C = A B of one size. Large ones take a program a tile, or as many programs as run
// at once, by descriptors with three axes; of small ones a program does several at once, as one
// product of blocks with three axes.

#include "tiles.hpp"

namespace bench::products {

/// On a grid of tiles x batch. Matrices are dense and lie row by row.
template <class T, class R, tile_config C>
inline constexpr auto batched_matmul = tl::kernel{
    "batched_matmul",
    [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M, tl::i32 N, tl::i32 K) {
      tl::tensor number = tl::cast<std::int64_t>(tl::program_id(1));
      auto [m, n] = tile_at<C>(tl::program_id(0), M, N);
      const operands<T> o{tl::ptr<const T>(a + number * (M * K)),
                          tl::ptr<const T>(b + number * (K * N)),
                          M,
                          N,
                          K,
                          K,
                          tl::i32(K * 0 + 1),
                          N,
                          tl::i32(N * 0 + 1)};
      store_tile<C>(tl::ptr<R>(c + number * (M * N)), m, n, sum_over_k<C>(o, m, n, 0, K), M, N, N);
    }};

/// The same by descriptors, whose first axis is the batch, on a grid of any number of programs.
template <class T, class R, tile_config C>
inline constexpr auto batched_matmul_descriptors = tl::kernel{
    "batched_matmul_descriptors",
    [](tl::descriptor<T, 1, C.block_m, C.block_k> a, tl::descriptor<T, 1, C.block_k, C.block_n> b,
       tl::descriptor<R, 1, C.block_m, C.block_n> c, tl::i32 batch, tl::i32 M, tl::i32 N,
       tl::i32 K) {
      auto tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
      for (auto i : tl::range(tl::program_id(0), tiles * batch, tl::num_programs(0),
                              {.flatten = true, .warp_specialize = true})) {
        tl::tensor number = i / tiles;
        auto [m, n] = tile_at<C>(i % tiles, M, N);
        tl::tensor row = m * C.block_m, column = n * C.block_n;
        tl::tensor acc = tl::zeros<sum_type<T>, C.block_m, C.block_n>();
        for (auto k : tl::range(0, K, C.block_k)) {
          auto a_tile = tl::reshape<C.block_m, C.block_k>(a.load({number, row, k}));
          auto b_tile = tl::reshape<C.block_k, C.block_n>(b.load({number, k, column}));
          acc = multiply<C>(a_tile, b_tile, acc);
        }
        c.store({number, row, column}, tl::reshape<1, C.block_m, C.block_n>(tl::cast<R>(acc)));
      }
    }};

/// `Batch` products a program, each of one tile, on a grid of batches.
template <class T, class R, tile_config C, int Batch>
inline constexpr auto small_batched_matmul = tl::kernel{
    "small_batched_matmul", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 batch,
                               tl::i32 M, tl::i32 N, tl::i32 K) {
      auto numbers =
          (tl::program_id(0) * Batch + tl::arange<Batch>())(tl::all, tl::newaxis, tl::newaxis);
      const auto second = [](const auto &x) { return x(tl::newaxis, tl::all, tl::newaxis); };
      const auto third = [](const auto &x) { return x(tl::newaxis, tl::newaxis, tl::all); };
      auto rows = tl::arange<C.block_m>();
      auto columns = tl::arange<C.block_n>();
      tl::tensor acc = tl::zeros<sum_type<T>, Batch, C.block_m, C.block_n>();
      for (auto k : tl::range(0, K, C.block_k)) {
        auto ks = k + tl::arange<C.block_k>();
        auto a_tile = tl::load(a + numbers * (M * K) + second(rows) * K + third(ks),
                               (numbers < batch) & (second(rows) < M) & (third(ks) < K), 0);
        auto b_tile = tl::load(b + numbers * (K * N) + second(ks) * N + third(columns),
                               (numbers < batch) & (second(ks) < K) & (third(columns) < N), 0);
        acc = multiply<C>(a_tile, b_tile, acc);
      }
      tl::store(c + numbers * (M * N) + second(rows) * N + third(columns), tl::cast<R>(acc),
                (numbers < batch) & (second(rows) < M) & (third(columns) < N));
    }};

} // namespace bench::products
