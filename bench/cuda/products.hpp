// SPDX-License-Identifier: MIT
#pragma once
// The ways in which C = A B of one element type is measured. Parameters: a b c M N K a_row a_column
// b_row b_column c_row scratch, where scratch is zeroed memory for 1024 counters of programs that
// work on one tile and their sums. Kinds, each with block_m block_n block_k warps stages:
//   tile        a tile per program, by pointers
//   described   the same by tensor descriptors
//   persistent  as many programs as fit, by pointers; `all` is that by descriptors
//   split       K in the number of parts that comes last
//   stream      equal numbers of steps for all programs
// `in 2`: clusters of two blocks; `by 16`: rows of 16 tiles, not 8, share columns of B.
// Included by a file per element type, which lists its configurations.

#include "../matmul/persistent.hpp"
#include "../matmul/split_k.hpp"
#include "../matmul/stream_k.hpp"
#include "../matmul/tutorial.hpp"
#include "kernel_list.hpp"

namespace bench::gpu {

using products::tile_config;

inline constexpr int counters_of_products = 65536;

struct product_sizes {
  int M, N, K, a_row, a_column, b_row, b_column, c_row;
  explicit product_sizes(const launch_arguments &a)
      : M(a.number(3)), N(a.number(4)), K(a.number(5)), a_row(a.number(6)), a_column(a.number(7)),
        b_row(a.number(8)), b_column(a.number(9)), c_row(a.number(10)) {}
  int tiles(const tile_config &c) const { return tl::cdiv(M, c.block_m) * tl::cdiv(N, c.block_n); }
};

inline tl::launch_options launched(const launch_arguments &a, tl::launch_grid grid,
                                   const tile_config &c) {
  tl::launch_options options = a.on(grid, c.num_warps);
  options.num_stages = c.num_stages;
  options.num_ctas = c.num_ctas;
  return options;
}

inline std::string named(const char *kind, const tile_config &c) {
  std::string name = named(kind, {c.block_m, c.block_n, c.block_k, c.num_warps, c.num_stages});
  if (c.splits != 1)
    name += ' ' + std::to_string(c.splits);
  if (c.num_ctas != 1)
    name += " in " + std::to_string(c.num_ctas);
  if (c.group_m > 8)
    name += " by " + std::to_string(c.group_m);
  return c.whole ? name + " whole" : name;
}

/// The same for clusters of two blocks, and for extents that are multiples of the tile's.
constexpr tile_config shared_by_two(tile_config c) {
  c.num_ctas = 2;
  return c;
}
template <tile_config C> inline constexpr tile_config in_cluster = shared_by_two(C);
constexpr tile_config without_masks(tile_config c) {
  c.whole = true;
  return c;
}
template <tile_config C> inline constexpr tile_config whole = without_masks(C);

/// A tile that is much larger than C does useless work.
template <tile_config C> bool fits_pointers(const launch_arguments &a) {
  const product_sizes s(a);
  if (C.whole && (s.M % C.block_m || s.N % C.block_n || s.K % C.block_k))
    return false;
  return (C.block_m <= 16 || C.block_m < 2 * s.M) && (C.block_n <= 16 || C.block_n < 2 * s.N) &&
         std::size_t(s.tiles(C)) <= std::size_t(counters_of_products);
}
/// What a descriptor demands; and A lies row by row where wgmma cannot transpose it.
template <class T, class R, tile_config C> bool fits_descriptors(const launch_arguments &a) {
  const product_sizes s(a);
  const auto aligned = [](int stride, std::size_t bytes) { return stride * bytes % 16 == 0; };
  return fits_pointers<C>(a) && (s.a_column == 1 || (sizeof(T) == 2 && s.a_row == 1)) &&
         (s.b_column == 1 || s.b_row == 1) &&
         aligned(s.a_column == 1 ? s.a_row : s.a_column, sizeof(T)) &&
         aligned(s.b_column == 1 ? s.b_row : s.b_column, sizeof(T)) && aligned(s.c_row, sizeof(R));
}

template <class T, class R, tile_config C> configuration tile() {
  return {named("tile", C), fits_pointers<C>, [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::matmul<T, R, C>[launched(a, s.tiles(C), C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<R>(2), s.M, s.N, s.K,
                s.a_row, s.a_column, s.b_row, s.b_column, s.c_row);
          }};
}

/// Programs that run at once, each on `blocks` multiprocessors.
inline int residents(const launch_arguments &a, int tiles, int blocks = 1) {
  return std::min(a.multiprocessors / blocks, tiles);
}

template <class T, class R, tile_config C> configuration persistent() {
  return {named("persistent", C), fits_pointers<C>, [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::persistent_matmul<T, R, C>[launched(a, residents(a, s.tiles(C)), C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<R>(2), s.M, s.N, s.K,
                s.a_row, s.a_column, s.b_row, s.b_column, s.c_row);
          }};
}

/// A descriptor of a matrix of rows x columns whose elements are `row` and `column` apart.
template <class T, int Rows, int Columns, bool Transposed>
auto descriptor_of(T *elements, int rows, int columns, int row, int column) {
  using type = products::blocks_of<tl::tensor_descriptor, T, Rows, Columns, Transposed>;
  if constexpr (Transposed)
    return type(elements, {columns, rows}, {column, 1});
  else
    return type(elements, {rows, columns}, {row, 1});
}

/// Calls `run.operator()<Lie>` with the descriptors of A, B and C.
template <class T, class R, tile_config C, class Run>
tl::compiled_kernel with_descriptors(const launch_arguments &a, const Run &run) {
  using products::transposed;
  const product_sizes s(a);
  const auto call = [&]<transposed Lie>() {
    return run.template operator()<Lie>(
        descriptor_of<T, C.block_m, C.block_k, Lie.a>(a.pointer<T>(0), s.M, s.K, s.a_row,
                                                      s.a_column),
        descriptor_of<T, C.block_k, C.block_n, Lie.b>(a.pointer<T>(1), s.K, s.N, s.b_row,
                                                      s.b_column),
        descriptor_of<R, C.block_m, C.block_n, false>(a.pointer<R>(2), s.M, s.N, s.c_row, 1));
  };
  if constexpr (sizeof(T) == 2)
    if (s.a_column != 1)
      return s.b_column == 1 ? call.template operator()<transposed{true, false}>()
                             : call.template operator()<transposed{true, true}>();
  return s.b_column == 1 ? call.template operator()<transposed{false, false}>()
                         : call.template operator()<transposed{false, true}>();
}

template <class T, class R, tile_config C> configuration described() {
  return {named("described", C), fits_descriptors<T, R, C>, [](const launch_arguments &a) {
            return with_descriptors<T, R, C>(
                a, [&]<products::transposed Lie>(const auto &x, const auto &y, const auto &z) {
                  const product_sizes s(a);
                  return products::matmul_descriptors<T, R, C, Lie>[launched(a, s.tiles(C), C)](
                      x, y, z, s.M, s.N, s.K);
                });
          }};
}

template <class T, class R, tile_config C> configuration all() {
  return {named("all", C), fits_descriptors<T, R, C>, [](const launch_arguments &a) {
            return with_descriptors<T, R, C>(
                a, [&]<products::transposed Lie>(const auto &x, const auto &y, const auto &z) {
                  const product_sizes s(a);
                  return products::persistent_matmul_descriptors<T, R, C, Lie>[launched(
                      a, residents(a, s.tiles(C), C.num_ctas), C)](x, y, z, s.M, s.N, s.K);
                });
          }};
}

// Scratch: the counters first.
template <class T> products::sum_type<T> *sums_of(const launch_arguments &a) {
  return a.pointer<products::sum_type<T>>(11) + counters_of_products;
}

template <class T, class R, tile_config C> configuration split() {
  return {named("split", C),
          [](const launch_arguments &a) {
            const product_sizes s(a);
            // For more tiles than programs fit, there is nothing to gain.
            return fits_pointers<C>(a) && s.tiles(C) <= 2 * a.multiprocessors &&
                   s.K >= C.splits * C.block_k;
          },
          [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::split_k_matmul<T, R, C>[launched(a, {s.tiles(C), C.splits}, C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<R>(2), s.M, s.N, s.K,
                s.a_row, s.a_column, s.b_row, s.b_column, s.c_row, sums_of<T>(a),
                a.pointer<std::int32_t>(11));
          }};
}

template <class T, class R, tile_config C> configuration stream() {
  return {named("stream", C),
          [](const launch_arguments &a) { return fits_pointers<C>(a) && a.programs_may_wait; },
          [](const launch_arguments &a) {
            const product_sizes s(a);
            return products::stream_k_matmul<T, R, C>[launched(a, a.multiprocessors, C)](
                a.pointer<const T>(0), a.pointer<const T>(1), a.pointer<R>(2), s.M, s.N, s.K,
                s.a_row, s.a_column, s.b_row, s.b_column, s.c_row, sums_of<T>(a),
                a.pointer<std::int32_t>(11));
          }};
}

/// The configurations of one type: the extents along K are of 128 bytes and more.
template <class T, class R> std::vector<configuration> product_configurations() {
  constexpr int k = 128 / sizeof(T), half = k / 2, twice = 2 * k;
  return {
      tile<T, R, {128, 256, k, 8, 8, 3}>(),
      tile<T, R, {256, 128, k, 8, 8, 3}>(),
      tile<T, R, {128, 128, k, 8, 8, 3}>(),
      tile<T, R, {128, 128, k, 8, 4, 4}>(),
      tile<T, R, {128, 128, k, 8, 4, 3}>(),
      tile<T, R, {128, 128, half, 8, 4, 4}>(),
      tile<T, R, {64, 256, k, 8, 4, 3}>(),
      tile<T, R, {128, 64, k, 8, 4, 4}>(),
      tile<T, R, {64, 128, k, 8, 4, 4}>(),
      tile<T, R, {64, 64, k, 8, 4, 4}>(),
      tile<T, R, {16, 128, twice, 1, 4, 4}>(),
      tile<T, R, {16, 64, twice, 1, 4, 4}>(),
      tile<T, R, {16, 32, twice, 1, 4, 4}>(),
      described<T, R, {128, 256, k, 8, 8, 3}>(),
      described<T, R, {128, 256, k, 8, 8, 4}>(),
      described<T, R, {128, 128, k, 8, 4, 4}>(),
      described<T, R, {128, 128, k, 8, 4, 3}>(),
      described<T, R, {64, 128, k, 8, 4, 4}>(),
      described<T, R, {64, 64, k, 8, 4, 4}>(),
      persistent<T, R, {128, 256, k, 8, 8, 3}>(),
      persistent<T, R, {128, 128, k, 8, 8, 4}>(),
      all<T, R, {128, 256, k, 8, 8, 3}>(),
      all<T, R, {128, 256, k, 8, 8, 4}>(),
      all<T, R, {256, 128, k, 8, 8, 3}>(),
      all<T, R, {128, 128, k, 8, 8, 4}>(),
      split<T, R, {64, 64, k, 8, 4, 4, 4}>(),
      split<T, R, {64, 128, k, 8, 4, 4, 4}>(),
      split<T, R, {64, 64, k, 8, 4, 4, 8}>(),
      split<T, R, {16, 64, twice, 1, 4, 4, 2}>(),
      split<T, R, {16, 64, twice, 1, 4, 4, 4}>(),
      split<T, R, {16, 128, twice, 1, 4, 4, 8}>(),
      tile<T, R, {64, 64, k, 8, 4, 8}>(),
      tile<T, R, {64, 64, twice, 8, 4, 5}>(),
      tile<T, R, {16, 64, twice, 1, 4, 6}>(),
      described<T, R, {64, 64, k, 8, 4, 8}>(),
      split<T, R, {64, 64, k, 8, 4, 6, 2}>(),
      tile<T, R, {128, 64, k, 8, 8, 4}>(),
      described<T, R, {128, 64, k, 8, 4, 4}>(),
      described<T, R, {128, 64, k, 8, 4, 6}>(),
      described<T, R, {64, 128, k, 8, 4, 6}>(),
      described<T, R, {128, 64, k, 8, 8, 6}>(),
      all<T, R, {128, 64, k, 8, 8, 6}>(),
      tile<T, R, whole<{128, 64, k, 8, 8, 4}>>(),
      tile<T, R, whole<{64, 128, k, 8, 4, 4}>>(),
      tile<T, R, whole<{64, 64, twice, 8, 4, 5}>>(),
      tile<T, R, whole<{16, 64, twice, 1, 4, 6}>>(),
      described<T, R, in_cluster<{128, 128, k, 8, 4, 6}>>(),
      described<T, R, in_cluster<{256, 256, k, 8, 8, 4}>>(),
      described<T, R, {128, 256, k, 16, 8, 4}>(),
      all<T, R, in_cluster<{256, 256, k, 8, 8, 4}>>(),
      stream<T, R, {128, 256, k, 8, 8, 3}>(),
      stream<T, R, {128, 128, k, 8, 8, 3}>(),
  };
}

/// What is likely to be the fastest; compare them with --sweep.
template <class T> std::string choose_product(const launch_arguments &a) {
  constexpr int k = 128 / sizeof(T);
  const product_sizes s(a);
  const auto with = [&](const char *kind, int m, int n, int depth, int warps, int stages) {
    return named(kind, {m, n, depth, warps, stages});
  };
  if (s.M <= 16)
    return with("tile", 16, 64, 2 * k, 4, 4);
  if (s.M <= 64 || std::int64_t(s.M) * s.N <= 1024 * 1024)
    return with("tile", 64, 64, k, 4, 4);
  if (std::int64_t(s.M) * s.N <= 2048 * 2048)
    return with("tile", 128, 128, k, 4, 4);
  // Where an operand goes by way of registers, two programs on a multiprocessor hide how it gets
  // there.
  if (sizeof(T) != 2 && s.b_column == 1)
    return with("tile", 128, 128, k, 4, 3);
  return with("tile", 128, 256, k, 8, 3);
}

template <class T, class R> measured_kernel products_of(const char *name) {
  return {name, "a b c M N K a_row a_column b_row b_column c_row scratch",
          product_configurations<T, R>(), choose_product<T>};
}

} // namespace bench::gpu
