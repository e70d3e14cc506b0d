// SPDX-License-Identifier: MIT
#pragma once
// C = A B with K divided among several programs a tile, for products whose C has few tiles. Each
// leaves its sum in scratch memory; the last to come adds them all, in order, so that the result
// does not depend on who that is.

#include "tiles.hpp"

namespace bench::products {

/// Elements of sum_type that the partial sums need, and counters, which begin and end as zeros.
struct split_k_scratch {
  std::size_t sums, counters;
};
constexpr split_k_scratch scratch_of(const tile_config &c, int M, int N) {
  const std::size_t tiles =
      std::size_t((M + c.block_m - 1) / c.block_m) * std::size_t((N + c.block_n - 1) / c.block_n);
  return {tiles * std::size_t(c.splits * c.block_m * c.block_n), tiles};
}

/// Brings the programs of a tile together. `acc` is this one's sum, of the rows that exist;
/// `finish` gets the whole one, in one of them.
template <tile_config C, class Sum, class Acc, class Exists, class Finish>
void add_splits(const Acc &acc, const Exists &rows_exist, const tl::i32 &tile,
                const tl::ptr<Sum> &sums, const tl::ptr<std::int32_t> &counters,
                const Finish &finish) {
  if constexpr (C.splits == 1) {
    finish(acc);
  } else {
    constexpr int size = C.block_m * C.block_n;
    auto place = down(tl::arange<C.block_m>()) * C.block_n + across(tl::arange<C.block_n>());
    auto first = sums + tl::cast<std::int64_t>(tile) * (C.splits * size);
    tl::store(first + tl::program_id(1) * size + place, acc, rows_exist);
    tl::debug_barrier(); // the count says that the whole sum is there
    tl::tensor arrived = tl::atomic_add(counters + tile, 1);
    tl::if_(arrived == C.splits - 1, [&] {
      tl::tensor total = tl::zeros<Sum, C.block_m, C.block_n>();
      for (int split = 0; split < C.splits; ++split)
        total += tl::load(first + split * size + place, rows_exist, 0);
      finish(total);
      tl::store(counters + tile, 0);
    });
  }
}

/// Leaves `acc`, a vector of this program's sums in any order; where those of its tile begin.
template <tile_config C, class Sum, class Acc>
auto left_splits(const Acc &acc, const tl::i32 &tile, const tl::ptr<Sum> &sums) {
  constexpr int size = C.block_m * C.block_n;
  auto first = sums + tl::cast<std::int64_t>(tile) * (C.splits * size);
  tl::store(first + tl::program_id(1) * size + tl::arange<size>(), acc);
  return first;
}
/// Number `part` of C.splits parts of the whole sum.
template <tile_config C, class First, class Part>
auto part_of_splits(const First &first, const Part &part) {
  constexpr int size = C.block_m * C.block_n, length = size / C.splits;
  auto elements = first + part * length + tl::arange<length>();
  tl::tensor total = tl::load(elements);
  for (int split = 1; split < C.splits; ++split)
    total += tl::load(elements + split * size);
  return total;
}

/// As add_splits, of a vector; `finish` gets the parts of the whole sum one by one, which take few
/// registers, and their numbers.
template <tile_config C, class Sum, class Acc, class Finish>
void add_splits_in_parts(const Acc &acc, const tl::i32 &tile, const tl::ptr<Sum> &sums,
                         const tl::ptr<std::int32_t> &counters, const Finish &finish) {
  auto first = left_splits<C>(acc, tile, sums);
  tl::debug_barrier(); // the count says that the whole sum is there
  tl::tensor arrived = tl::atomic_add(counters + tile, 1);
  tl::if_(arrived == C.splits - 1, [&] {
    for (auto part : tl::range(0, C.splits))
      finish(part_of_splits<C>(first, part), part);
    tl::store(counters + tile, 0);
  });
}

/// The same where all programs run at once: each adds one part.
template <tile_config C, class Sum, class Acc, class Finish>
void add_splits_at_once(const Acc &acc, const tl::i32 &tile, const tl::ptr<Sum> &sums,
                        const Finish &finish) {
  auto first = left_splits<C>(acc, tile, sums);
  tl::grid_barrier();
  finish(part_of_splits<C>(first, tl::program_id(1)), tl::program_id(1));
}

/// Runs on a grid of tiles x splits.
template <class T, class R, tile_config C>
inline constexpr auto split_k_matmul = tl::kernel{
    "split_k_matmul",
    [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M, tl::i32 N, tl::i32 K,
       tl::i32 a_row, tl::i32 a_column, tl::i32 b_row, tl::i32 b_column, tl::i32 c_row,
       tl::ptr<sum_type<T>> sums, tl::ptr<std::int32_t> counters) {
      tl::tensor tile = tl::program_id(0);
      auto [m, n] = tile_at<C>(tile, M, N);
      auto steps = tl::cdiv(tl::cdiv(K, C.block_k), C.splits);
      auto first = tl::program_id(1) * steps * C.block_k;
      auto last = tl::minimum(K, first + steps * C.block_k);
      const operands<T> o{a, b, M, N, K, a_row, a_column, b_row, b_column};
      auto rows_exist = down(m * C.block_m + tl::arange<C.block_m>()) < M;
      add_splits<C>(sum_over_k<C>(o, m, n, first, last), rows_exist, tile, sums, counters,
                    [&](const auto &total) { store_tile<C>(c, m, n, total, M, N, c_row); });
    }};

} // namespace bench::products
