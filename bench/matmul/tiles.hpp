// SPDX-License-Identifier: MIT
#pragma once
// What the matrix products of this folder share: the configuration, the order of the tiles, and how
// a tile of operands becomes a part of a tile of C. Each kernel has a header of its own.

#include <tl/tl.hpp>

#include <type_traits>

namespace bench::products {

/// The tile of C that a program computes, the steps along K, and how many rows of tiles run one
/// after the other because they share columns of B. Values of it are candidates of an autotuner.
struct tile_config {
  int block_m = 128, block_n = 128, block_k = 64, group_m = 8;
  int num_warps = 4, num_stages = 3;
  int splits = 1;     ///< of K, for the kernels that divide it
  bool exact = false; ///< floats are multiplied as they are; else rounded to tf32
  int num_ctas = 1;   ///< blocks of a cluster that share a tile
  bool whole = false; ///< the extents are multiples of the tile's: nothing is masked
};

/// What products of T are summed in.
template <class T>
using sum_type = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t,
                                    std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// How an operand or a result lies in memory: elements from one row, and one column, to the next.
template <class X> auto down(const X &x) { return x(tl::all, tl::newaxis); }
template <class X> auto across(const X &x) { return x(tl::newaxis, tl::all); }

/// Row and column of tile number `tile`, counted in tiles, `group_m` rows of which come one after
/// the other.
template <tile_config C, class Tile>
auto tile_at(const Tile &tile, const tl::i32 &M, const tl::i32 &N) {
  auto rows = tl::cdiv(M, C.block_m), columns = tl::cdiv(N, C.block_n);
  return tl::swizzle2d(tile / columns, tile % columns, rows, columns, C.group_m);
}

/// acc + a b.
template <tile_config C, class A, class B, class Acc>
auto multiply(const A &a, const B &b, const Acc &acc) {
  return tl::dot(a, b, acc, {.input_precision = C.exact ? tl::ieee : tl::tf32});
}

/// Two matrices by pointers, with any strides: the one that is 1 says how a matrix lies.
template <class T> struct operands {
  tl::ptr<const T> a, b;
  tl::i32 M, N, K, a_row, a_column, b_row, b_column;
};

/// What exists of a tile in memory, zeros elsewhere.
template <tile_config C, class Pointers, class Mask>
auto loaded(const Pointers &pointers, const Mask &exists) {
  if constexpr (C.whole)
    return tl::load(pointers);
  else
    return tl::load(pointers, exists, 0);
}

/// The sum over first <= k < last for the tile at (m, n), in tiles of the numbers' extents.
template <tile_config C, class T, class Row, class Column, class First, class Last>
auto sum_over_k(const operands<T> &o, const Row &m, const Column &n, const First &first,
                const Last &last) {
  auto rows = m * C.block_m + tl::arange<C.block_m>();
  auto columns = n * C.block_n + tl::arange<C.block_n>();
  auto ks = tl::arange<C.block_k>();
  // [loop]
  tl::tensor a_tile = o.a + down(rows) * o.a_row + across(first + ks) * o.a_column;
  tl::tensor b_tile = o.b + down(first + ks) * o.b_row + across(columns) * o.b_column;
  tl::tensor acc = tl::zeros<sum_type<T>, C.block_m, C.block_n>();
  for (auto k : tl::range(first, last, C.block_k)) {
    auto a = loaded<C>(a_tile, (down(rows) < o.M) & (across(ks) < last - k));
    auto b = loaded<C>(b_tile, (down(ks) < last - k) & (across(columns) < o.N));
    acc = multiply<C>(a, b, acc);
    a_tile += C.block_k * o.a_column;
    b_tile += C.block_k * o.b_row;
  }
  // [loop]
  return acc;
}

/// Writes the tile at (m, n) of C, whose rows are `c_row` elements apart.
template <tile_config C, class R, class Row, class Column, class Value>
void store_tile(const tl::ptr<R> &c, const Row &m, const Column &n, const Value &value,
                const tl::i32 &M, const tl::i32 &N, const tl::i32 &c_row) {
  auto rows = m * C.block_m + tl::arange<C.block_m>();
  auto columns = n * C.block_n + tl::arange<C.block_n>();
  tl::store(c + down(rows) * c_row + across(columns), tl::cast<R>(value),
            (down(rows) < M) & (across(columns) < N));
}

/// Which operands lie column by column: their descriptors are of the transposed matrices.
struct transposed {
  bool a = false, b = false;
};
/// A descriptor, `tl::descriptor` or `tl::tensor_descriptor`, of blocks of <Rows, Columns>.
template <template <class, int...> class Descriptor, class T, int Rows, int Columns,
          bool Transposed>
using blocks_of =
    std::conditional_t<Transposed, Descriptor<T, Columns, Rows>, Descriptor<T, Rows, Columns>>;

/// The block at (row, column) of a matrix.
template <bool Transposed> auto block_at(const auto &matrix, const auto &row, const auto &column) {
  if constexpr (Transposed)
    return tl::trans(matrix.load({column, row}));
  else
    return matrix.load({row, column});
}

/// Tile (m, n) of C = A B by tensor descriptors; `finish` makes what is written of the sums.
template <class T, class R, tile_config C, transposed Lie>
void multiply_blocks(const auto &a, const auto &b, const auto &c, const auto &m, const auto &n,
                     const auto &K, const auto &finish) {
  tl::tensor row = m * C.block_m, column = n * C.block_n;
  tl::tensor acc = tl::zeros<sum_type<T>, C.block_m, C.block_n>();
  for (auto k : tl::range(0, K, C.block_k)) {
    auto a_tile = block_at<Lie.a>(a, row, k);
    acc = multiply<C>(a_tile, block_at<Lie.b>(b, k, column), acc);
  }
  c.store({row, column}, tl::cast<R>(finish(acc)));
}
template <class T, class R, tile_config C, transposed Lie>
void multiply_blocks(const auto &a, const auto &b, const auto &c, const auto &m, const auto &n,
                     const auto &K) {
  multiply_blocks<T, R, C, Lie>(a, b, c, m, n, K, [](const auto &acc) { return acc; });
}

/// activation(acc + bias) for the tiles of column n, where a tile is still in registers; bias has
/// an element a column.
template <tile_config C, auto Activation, class R>
auto activated(const auto &acc, const tl::ptr<const R> &bias, const auto &n, const tl::i32 &N) {
  auto columns = n * C.block_n + tl::arange<C.block_n>();
  auto added = tl::cast<float>(tl::load(bias + columns, columns < N, 0));
  return Activation(acc + across(added));
}

} // namespace bench::products
