// SPDX-License-Identifier: MIT
#pragma once
// C = X W where W has 4 bits an element, widened on the way: w = (q - zero) * scale, with a zero
// and a scale for each column and `group` rows. Bound by the weights where X has few rows; then K
// is divided among programs as in split_k.hpp.
//
// Eight neighbours of a row share an int32, as activation-aware weight quantisation (AWQ) packs
// them: column j of the eight is in bits 4 p to 4 p + 3 with p = j / 2 + (j % 2) * 4.

#include "split_k.hpp"

namespace bench::products {

/// Each int32 of <rows, columns / 8> as its eight numbers, in <rows, columns>.
template <int Rows, int Columns, class Words> auto unpacked(const Words &words) {
  auto twice = tl::interleave(words, words);
  auto four = tl::interleave(twice, twice);
  auto eight = tl::interleave(four, four);
  auto j = tl::arange<Columns>() % 8;
  return (eight >> across((j / 2 + j % 2 * 4) * 4)) & 15;
}

/// X is M x K; `words` K x N / 8; `zeros` K / group x N / 8; `scales` K / group x N; by rows. N is
/// a multiple of 8, and group one of C.block_k or a divisor of it by whole rows. On a grid of tiles
/// x splits; `sums` and `counters` as in split_k.hpp.
template <class T, tile_config C>
inline constexpr auto int4_matmul =
    tl::kernel{"int4_matmul", [](tl::ptr<const T> x, tl::ptr<const std::int32_t> words,
                                 tl::ptr<const std::int32_t> zeros, tl::ptr<const T> scales,
                                 tl::ptr<T> c, tl::i32 M, tl::i32 N, tl::i32 K, tl::i32 group,
                                 tl::ptr<float> sums, tl::ptr<std::int32_t> counters) {
                 tl::tensor tile = tl::program_id(0);
                 auto [m, n] = tile_at<C>(tile, M, N);
                 auto rows = m * C.block_m + tl::arange<C.block_m>();
                 auto columns = n * C.block_n + tl::arange<C.block_n>();
                 auto packs = n * (C.block_n / 8) + tl::arange<C.block_n / 8>();
                 auto ks = tl::arange<C.block_k>();
                 auto steps = tl::cdiv(tl::cdiv(K, C.block_k), C.splits);
                 auto first = tl::program_id(1) * steps * C.block_k;
                 auto last = tl::minimum(K, first + steps * C.block_k);
                 tl::tensor acc = tl::zeros<float, C.block_m, C.block_n>();
                 for (auto k : tl::range(first, last, C.block_k)) {
                   auto at = k + ks;
                   auto pack_exists = (down(at) < last) & (across(packs) < N / 8);
                   auto a = tl::load(x + down(rows) * K + across(at),
                                     (down(rows) < M) & (across(at) < last), 0.0f);
                   auto q = tl::load(words + down(at) * (N / 8) + across(packs), pack_exists, 0);
                   // A group covers the whole step, so that zeros and scales are one row.
                   auto line = k / group;
                   auto z = tl::load(zeros + line * (N / 8) + packs, packs < N / 8, 0);
                   auto s = tl::load(scales + line * N + columns, columns < N, 0.0f);
                   tl::tensor zero = unpacked<1, C.block_n>(across(z));
                   tl::tensor number = unpacked<C.block_k, C.block_n>(q) - zero;
                   tl::tensor w = tl::cast<T>(tl::cast<T>(number) * across(s));
                   acc = tl::dot(a, w, acc);
                 }
                 add_splits<C>(acc, tile, sums, counters,
                               [&](const auto &total) { store_tile<C>(c, m, n, total, M, N, N); });
               }};

} // namespace bench::products
