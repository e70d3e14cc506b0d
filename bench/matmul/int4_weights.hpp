// SPDX-License-Identifier: MIT
#pragma once
// C = X W where W has 4 bits an element, widened on the way: w = (q - zero) * scale, with a zero
// and a scale for each column and `group` rows. Bound by the weights where X has few rows; then K
// is divided among programs as in split_k.hpp.
//
// Eight neighbours of a row share an int32, as activation-aware weight quantisation (AWQ) packs
// them: column j of the eight is in bits 4 p to 4 p + 3 with p = j / 2 + (j % 2) * 4.
//
// The tile's columns are multiplied in another order: the first of all words, then the second of
// all words, and so on. So a thread that has a word widens all of it, by shifts known beforehand,
// and the product takes what it makes in registers; only the sums are brought in order.

#include "split_k.hpp"

namespace bench::products {

/// The eight numbers of each int32 of <rows, words>, in <rows, 8, words>.
template <class Words> auto unpacked(const Words &words) {
  auto j = tl::arange<8>();
  auto shift = (j / 2 + j % 2 * 4) * 4;
  return (words(tl::all, tl::newaxis, tl::all) >> shift(tl::newaxis, tl::all, tl::newaxis)) & 15;
}

/// Words across, in the order in which a product of groups of warps has rows of its first operand:
/// each warp has 16 rows of 16 * Warps, those of number l and l + 8 in one thread. <K, 8 * Warps>
/// become <4, Warps, 2, 8, K>, of which the first and third axis count the numbers of a word.
template <int K, int Warps, class Words> auto by_groups(const Words &words) {
  return tl::reshape<1, Warps, 1, 8, K>(tl::trans(words));
}
template <int Warps> auto shifts_by_groups() {
  auto j = tl::reshape<4, 1, 2, 1, 1>(tl::arange<8>());
  return (j / 2 + j % 2 * 4) * 4;
}

/// X is M x K; `words` K x N / 8; `zeros` K / group x N / 8; `scales` K / group x N; by rows.
/// `packs` is N / 8; group is a multiple of C.block_k. On a grid of tiles x splits; `sums` and
/// `counters` as in split_k.hpp.
template <class T, tile_config C>
inline constexpr auto int4_matmul = tl::kernel{
    "int4_matmul",
    [](tl::ptr<const T> x, tl::ptr<const std::int32_t> words, tl::ptr<const std::int32_t> zeros,
       tl::ptr<const T> scales, tl::ptr<T> c, tl::i32 M, tl::i32 packs, tl::i32 K, tl::i32 group,
       tl::ptr<float> sums, tl::ptr<std::int32_t> counters) {
      constexpr int G = C.block_n / 8;
      tl::tensor tile = tl::program_id(0);
      auto N = packs * 8;
      auto [m, n] = tile_at<C>(tile, M, N);
      auto rows = m * C.block_m + tl::arange<C.block_m>();
      auto columns = n * G + tl::arange<G>();
      auto ks = tl::arange<C.block_k>();
      auto steps = tl::cdiv(tl::cdiv(K, C.block_k), C.splits);
      auto first = tl::program_id(1) * steps * C.block_k;
      auto last = tl::minimum(K, first + steps * C.block_k);
      // With many rows the product is that of W transposed, whose first operand groups of warps
      // take from registers.
      constexpr bool turned = C.block_m >= 64 && C.block_n == 64 * C.num_warps;
      tl::tensor acc = [] {
        if constexpr (turned)
          return tl::zeros<float, C.block_n, C.block_m>();
        else
          return tl::zeros<float, C.block_m, C.block_n>();
      }();
      auto exist = columns < packs;
      for (auto k : tl::range(first, last, C.block_k)) {
        auto a = tl::load(x + down(rows) * K + across(k + ks),
                          (down(rows) < M) & (across(ks) < last - k), 0.0f);
        auto q = tl::load(words + down(k + ks) * packs + across(columns),
                          (down(ks) < last - k) & across(exist), 0);
        // A group covers the whole step, so that zeros and scales are one row.
        auto line = k / group * packs;
        auto z = tl::load(zeros + line + columns, exist, 0);
        auto s = tl::load(scales + line * 8 + down(columns * 8) + across(tl::arange<8>()),
                          down(exist), 0.0f);
        if constexpr (turned) {
          constexpr int W = C.num_warps;
          auto shift = shifts_by_groups<W>();
          auto number = ((by_groups<C.block_k, W>(q) >> shift) & 15) -
                        ((by_groups<1, W>(down(z)) >> shift) & 15);
          auto scale =
              tl::reshape<4, W, 2, 8, 1>(tl::permute<2, 0, 3, 1>(tl::reshape<W, 8, 4, 2>(s)));
          tl::tensor w = tl::cast<T>(tl::cast<T>(number) * scale);
          acc = tl::dot(tl::reshape<C.block_n, C.block_k>(w), tl::trans(a), acc);
        } else {
          auto number = unpacked(q) - unpacked(across(z));
          auto scale = tl::trans(s)(tl::newaxis, tl::all, tl::all);
          tl::tensor w = tl::cast<T>(tl::cast<T>(number) * scale);
          acc = tl::dot(a, tl::reshape<C.block_k, C.block_n>(w), acc);
        }
      }
      const auto finish = [&](const auto &total) {
        store_tile<C>(c, m, n, tl::reshape<C.block_m, C.block_n>(total), M, N, N);
      };
      if constexpr (turned)
        add_splits<C>(tl::trans(acc), down(rows) < M, tile, sums, counters, [&](const auto &total) {
          finish(tl::permute<0, 2, 4, 1, 3>(tl::reshape<C.block_m, 4, C.num_warps, 2, 8>(total)));
        });
      else
        add_splits<C>(acc, down(rows) < M, tile, sums, counters, [&](const auto &total) {
          finish(tl::permute<0, 2, 1>(tl::reshape<C.block_m, 8, G>(total)));
        });
    }};

} // namespace bench::products
