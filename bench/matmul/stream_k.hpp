// SPDX-License-Identifier: MIT
#pragma once
// C = A B where each program gets the same number of steps along K, across the borders of tiles: no
// program is idle in the last wave. A program that begins or ends within a tile does a part of it;
// the one with the tile's end adds the parts of those before it, which have begun earlier.

#include "tiles.hpp"

namespace bench::products {

/// `sums` holds a tile of sum_type, and `arrived` an integer, for each program; the integers begin
/// and end as zeros.
template <class T, class R, tile_config C>
inline constexpr auto stream_k_matmul = tl::kernel{
    "stream_k_matmul",
    [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<R> c, tl::i32 M, tl::i32 N, tl::i32 K,
       tl::i32 a_row, tl::i32 a_column, tl::i32 b_row, tl::i32 b_column, tl::i32 c_row,
       tl::ptr<sum_type<T>> sums, tl::ptr<std::int32_t> arrived) {
      const operands<T> o{a, b, M, N, K, a_row, a_column, b_row, b_column};
      constexpr int size = C.block_m * C.block_n;
      auto place = down(tl::arange<C.block_m>()) * C.block_n + across(tl::arange<C.block_n>());
      auto steps = tl::cdiv(K, C.block_k);
      auto all = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n) * steps;
      tl::tensor each = tl::cdiv(all, tl::num_programs(0));
      tl::tensor self = tl::program_id(0);
      tl::tensor step = self * each;
      tl::tensor end = tl::minimum(all, step + each);
      tl::while_([&] { return step < end; },
                 [&] {
                   tl::tensor tile = step / steps;
                   tl::tensor begin = tile * steps;
                   tl::tensor until = tl::minimum(begin + steps, end);
                   auto [m, n] = tile_at<C>(tile, M, N);
                   tl::tensor acc = sum_over_k<C>(o, m, n, (step - begin) * C.block_k,
                                                  tl::minimum(K, (until - begin) * C.block_k));
                   tl::if_(
                       until == begin + steps,
                       [&] {
                         for (auto other : tl::range(begin / each, self)) {
                           tl::atomic_poll(arrived + other, 1);
                           acc += tl::load(sums + other * size + place);
                           tl::debug_barrier(); // all have read
                           tl::store(arrived + other, 0);
                         }
                         store_tile<C>(c, m, n, acc, M, N, c_row);
                       },
                       [&] {
                         tl::store(sums + self * size + place, acc);
                         tl::debug_barrier(); // the whole sum is there
                         tl::atomic_xchg(arrived + self, 1);
                       });
                   step = until;
                 });
    }};

} // namespace bench::products
