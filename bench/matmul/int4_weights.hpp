// SPDX-License-Identifier: MIT
#pragma once
// C = X W where W has 4 bits an element, widened on the way: w = (q - zero) * scale, with a zero
// and a scale for each column and `Group` rows. Bound by the weights where X has few rows; then K
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

/// The order in which a product of groups of warps has the rows of its first operand: each warp has
/// 16 of 16 * Warps rows, those of number l and l + 8 in one thread, and so again for the next
/// rows. The numbers of a word are those of one l, of both halves, of all passes, and of as many
/// groups of warps as it takes to make eight.
template <int Columns, int Warps> struct group_order {
  static constexpr int passes = Columns / (16 * Warps), groups = passes ? 4 / passes : 0;
  static constexpr int warps = groups ? Warps / groups : 0;
  static constexpr bool exists = passes * groups == 4 && warps * groups == Warps;

  /// <K, Columns / 8> become <passes, groups, warps, 2, 8, K>. Each group of warps moves its first
  /// number down, from where the others of a thread are at shifts known beforehand.
  template <int K, class Words> static auto numbers_of(const Words &words) {
    auto first = tl::reshape<1, groups, 1, 1, 1, 1>(tl::arange<groups>() * (passes * 4));
    auto j = tl::reshape<passes, 1, 1, 2, 1, 1>(tl::arange<passes * 2>());
    auto moved = tl::reshape<1, 1, warps, 1, 8, K>(tl::trans(words)) >> first;
    return (moved >> (j / 2 + j % 2 * 4) * 4) & 15;
  }
  /// Of <Columns / 8, 8> in the order of memory.
  template <class Numbers> static auto numbers(const Numbers &numbers) {
    return tl::reshape<passes, groups, warps, 2, 8, 1>(
        tl::permute<3, 2, 0, 4, 1>(tl::reshape<warps, 8, groups, passes, 2>(numbers)));
  }
  /// Sums of <Columns, Rows> in the order in which threads have them: Rows / 8 times those that a
  /// thread has of two columns and two rows.
  template <int Rows, class Sums> static auto as_they_are(const Sums &sums) {
    auto parts =
        tl::permute<3, 0, 2, 4, 1, 5>(tl::reshape<Columns / 16, 2, 8, Rows / 8, 4, 2>(sums));
    return tl::reshape<Columns * Rows>(parts);
  }
  /// <Rows, Columns> in the order of memory from all of them or from a part.
  template <int Rows, class Sums> static auto in_rows(const Sums &sums) {
    auto parts =
        tl::permute<0, 3, 5, 1, 4, 2>(tl::reshape<Rows / 8, Columns / 16, 8, 4, 2, 2>(sums));
    return tl::permute<0, 3, 5, 2, 1, 4>(tl::reshape<Rows, passes, groups, warps, 2, 8>(parts));
  }
};

/// How a tile is summed. With many rows the product is that of W transposed, whose first operand
/// groups of warps take from registers.
template <class T, tile_config C> struct int4_sums {
  using order = group_order<C.block_n, C.num_warps>;
  static constexpr bool turned = C.block_m >= 64 && order::exists;

  static auto none() {
    if constexpr (turned)
      return tl::zeros<float, C.block_n, C.block_m>();
    else
      return tl::zeros<float, C.block_m, C.block_n>();
  }

  /// acc + a w: block_m x block_k numbers of X, the words of as many rows of W, and the words of
  /// zeros and the scales, eight a word, of all these rows.
  template <class Acc, class A, class Words, class Zeros, class Scales>
  static auto add(const Acc &acc, const A &a, const Words &q, const Zeros &z, const Scales &s) {
    if constexpr (turned) {
      auto number =
          order::template numbers_of<C.block_k>(q) - order::template numbers_of<1>(down(z));
      tl::tensor w = tl::cast<T>(tl::cast<T>(number) * order::numbers(s));
      return tl::dot(tl::reshape<C.block_n, C.block_k>(w), tl::trans(a), acc);
    } else {
      auto number = unpacked(q) - unpacked(across(z));
      auto scale = tl::trans(s)(tl::newaxis, tl::all, tl::all);
      tl::tensor w = tl::cast<T>(tl::cast<T>(number) * scale);
      return tl::dot(a, tl::reshape<C.block_k, C.block_n>(w), acc);
    }
  }

  /// Writes tile (m, n) of C, or this program's part of it. `AtOnce`: all programs of the grid run
  /// at the same time.
  template <bool AtOnce = false>
  static void store(const auto &acc, const tl::ptr<T> &c, const auto &m, const auto &n,
                    const tl::i32 &M, const tl::i32 &N, const tl::i32 &tile,
                    const tl::ptr<float> &sums, const tl::ptr<std::int32_t> &counters) {
    if constexpr (turned) {
      const auto finish = [&](const auto &total, const auto &part) {
        constexpr int rows = C.block_m / C.splits;
        constexpr tile_config part_of_tile = {.block_m = rows, .block_n = C.block_n};
        auto value = tl::reshape<rows, C.block_n>(order::template in_rows<rows>(total));
        store_tile<part_of_tile>(c, m * C.splits + part, n, value, M, N, N);
      };
      auto all = order::template as_they_are<C.block_m>(acc);
      if constexpr (C.splits == 1)
        finish(all, 0);
      else if constexpr (AtOnce)
        add_splits_at_once<C>(all, tile, sums, finish);
      else
        add_splits_in_parts<C>(all, tile, sums, counters, finish);
    } else {
      auto rows_exist = down(m * C.block_m + tl::arange<C.block_m>()) < M;
      add_splits<C>(acc, rows_exist, tile, sums, counters, [&](const auto &total) {
        auto columns = tl::permute<0, 2, 1>(tl::reshape<C.block_m, 8, C.block_n / 8>(total));
        store_tile<C>(c, m, n, tl::reshape<C.block_m, C.block_n>(columns), M, N, N);
      });
    }
  }
};

/// X is M x K; `words` K x N / 8; `zeros` K / Group x N / 8; `scales` K / Group x N; by rows.
/// `packs` is N / 8; `Group`, the rows that share a zero and a scale, is a multiple of C.block_k.
/// On a grid of tiles x splits; `sums` and `counters` as in split_k.hpp.
template <class T, tile_config C, int Group>
inline constexpr auto int4_matmul =
    tl::kernel{"int4_matmul", [](tl::ptr<const T> x, tl::ptr<const std::int32_t> words,
                                 tl::ptr<const std::int32_t> zeros, tl::ptr<const T> scales,
                                 tl::ptr<T> c, tl::i32 M, tl::i32 packs, tl::i32 K,
                                 tl::ptr<float> sums, tl::ptr<std::int32_t> counters) {
                 constexpr int G = C.block_n / 8;
                 tl::tensor tile = tl::program_id(0);
                 auto [m, n] = tile_at<C>(tile, M, packs * 8);
                 auto steps = tl::cdiv(tl::cdiv(K, C.block_k), C.splits);
                 auto first = tl::program_id(1) * steps * C.block_k;
                 auto last = tl::minimum(K, first + steps * C.block_k);
                 auto rows = m * C.block_m + tl::arange<C.block_m>();
                 auto columns = n * G + tl::arange<G>();
                 auto ks = tl::arange<C.block_k>();
                 auto exist = columns < packs;
                 tl::tensor acc = int4_sums<T, C>::none();
                 for (auto k : tl::range(first, last, C.block_k)) {
                   auto a = tl::load(x + down(rows) * K + across(k + ks),
                                     (down(rows) < M) & (across(ks) < last - k), 0.0f);
                   auto q = tl::load(words + down(k + ks) * packs + across(columns),
                                     (down(ks) < last - k) & across(exist), 0);
                   // A group covers the whole step, so that zeros and scales are one row.
                   auto line = k / Group * packs;
                   auto z = tl::load(zeros + line + columns, exist, 0);
                   auto s =
                       tl::load(scales + line * 8 + down(columns * 8) + across(tl::arange<8>()),
                                down(exist), 0.0f);
                   acc = int4_sums<T, C>::add(acc, a, q, z, s);
                 }
                 int4_sums<T, C>::store(acc, c, m, n, M, packs * 8, tile, sums, counters);
               }};

/// The same with a descriptor of X, where K is a multiple of Group, and Group and the program's
/// part of K are multiples of C.block_k. `AtOnce`: all programs of the grid have to fit on the GPU.
template <class T, tile_config C, int Group, bool AtOnce = false>
inline constexpr auto int4_matmul_described = tl::kernel{
    "int4_matmul_described",
    [](tl::descriptor<T, C.block_m, C.block_k> x, tl::ptr<const std::int32_t> words,
       tl::ptr<const std::int32_t> zeros, tl::ptr<const T> scales, tl::ptr<T> c, tl::i32 M,
       tl::i32 packs, tl::i32 K, tl::ptr<float> sums, tl::ptr<std::int32_t> counters) {
      constexpr int G = C.block_n / 8;
      tl::tensor tile = tl::program_id(0);
      auto [m, n] = tile_at<C>(tile, M, packs * 8);
      auto steps = tl::cdiv(K / C.block_k, C.splits);
      auto first = tl::program_id(1) * steps * C.block_k;
      auto last = tl::minimum(K, first + steps * C.block_k);
      auto columns = n * G + tl::arange<G>();
      auto exist = columns < packs;
      tl::tensor row = m * C.block_m;
      tl::tensor acc = int4_sums<T, C>::none();
      for (auto k : tl::range(first, last, C.block_k)) {
        auto a = x.load({row, k});
        auto q = tl::load(words + down(k + tl::arange<C.block_k>()) * packs + across(columns),
                          across(exist), 0);
        auto line = k / Group * packs;
        auto z = tl::load(zeros + line + columns, exist, 0);
        auto s = tl::load(scales + line * 8 + down(columns * 8) + across(tl::arange<8>()),
                          down(exist), 0.0f);
        acc = int4_sums<T, C>::add(acc, a, q, z, s);
      }
      int4_sums<T, C>::template store<AtOnce>(acc, c, m, n, M, packs * 8, tile, sums, counters);
    }};

} // namespace bench::products
