// SPDX-License-Identifier: MIT
//
// Products in loops that are exact: operands are small whole numbers, which all types hold and
// whose sums are exact too, whatever order and precision of a product a device chooses. Here are
// the kernel that every type and tile is tried with, and what the host computes.
#pragma once

#include "aligned.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <optional>

namespace numeric {

/// How an operand lies in memory and comes into the kernel.
enum class form {
  rows,       // row by row
  columns,    // column by column, loaded by pointers that say so
  transposed, // column by column, loaded as it lies and transposed
};

/// What a trace depends on beside types and tiles, so that a kernel is compiled once for all forms.
/// Traces read it, so it is set before each.
struct settings {
  form a = form::rows, b = form::rows;
  int stages = 0;                           // of tl::range
  int rows = 0, depth = 0;                  // of the matrices in memory; the columns are a tile's
  int other = 0;                            // of masked elements of the first operand
  tl::input_precision precision = tl::tf32; // of float
  std::optional<int> imprecise = {};        // products of fp8 that may be added imprecisely
  bool specialized = false;                 // of tl::range: warps of their own bring the blocks
  bool flattened = false;                   // of tl::range
  bool stores_blocks = false;               // of a described tensor
  bool in_two_loops = false;                // one after the other
};
inline settings chosen;

/// The tile of BR x BC at (row, column) of a matrix of `pitch` columns (of rows, if it lies column
/// by column). What is not below the limits is `other`.
template <int BR, int BC, class T, class R, class C, class RowLimit, class ColumnLimit>
auto tile_of(tl::ptr<const T> from, form f, int rows, int columns, const R &row, const C &column,
             const RowLimit &row_limit, const ColumnLimit &column_limit, int other) {
  auto r = row + tl::arange<BR>();
  auto c = column + tl::arange<BC>();
  tl::tensor result = tl::zeros<T, BR, BC>();
  if (f == form::transposed) {
    auto across = r(tl::newaxis, tl::all);
    auto down = c(tl::all, tl::newaxis);
    result = tl::trans(
        tl::load(from + down * rows + across, (down < column_limit) & (across < row_limit), other));
  } else {
    auto down = r(tl::all, tl::newaxis);
    auto across = c(tl::newaxis, tl::all);
    auto mask = (down < row_limit) & (across < column_limit);
    result = f == form::rows ? tl::load(from + down * columns + across, mask, other)
                             : tl::load(from + across * rows + down, mask, other);
  }
  return result;
}

template <class A, class B, class C> auto product(const A &a, const B &b, const C &sum) {
  return tl::dot(a, b, sum,
                 {.input_precision = chosen.precision, .max_num_imprecise_acc = chosen.imprecise});
}

/// Program p: the rows of A times B, over the first depths[p] of k.
template <class T, class C, int BM, int BN, int BK>
constexpr auto loop_of_products =
    tl::kernel{"loop_of_products", [](tl::ptr<const T> a, tl::ptr<const T> b,
                                      tl::ptr<const std::int32_t> depths, tl::ptr<C> out) {
                 const settings s = chosen;
                 auto p = tl::program_id(0);
                 auto depth = tl::load(depths + p);
                 tl::tensor acc = tl::zeros<C, BM, BN>();
                 for (auto k : tl::range(0, depth, BK, {.num_stages = s.stages})) {
                   auto x = tile_of<BM, BK>(a, s.a, s.rows, s.depth, 0, k, s.rows, depth, s.other);
                   auto y = tile_of<BK, BN>(b, s.b, s.depth, BN, k, 0, depth, BN, 0);
                   acc = product(x, y, acc);
                 }
                 auto m = tl::arange<BM>()(tl::all, tl::newaxis);
                 auto n = tl::arange<BN>()(tl::newaxis, tl::all);
                 tl::store(out + (p * s.rows + m) * BN + n, acc, m < s.rows);
               }};

// ---- The host's side

/// Whole numbers that all types hold.
inline std::vector<int> small_numbers(std::size_t count) {
  std::vector<int> numbers;
  for (std::int32_t number : tl::testing::random_values<std::int32_t>(count, {-3, 3}))
    numbers.push_back(number);
  return numbers;
}

/// A matrix that lies row by row, as `f` has it in memory.
template <class T>
std::vector<unsigned char> memory_of(const std::vector<int> &matrix, int columns,
                                     form f = form::rows) {
  const std::size_t wide = std::size_t(columns), rows = matrix.size() / wide;
  std::vector<unsigned char> bytes(matrix.size() * sizeof(T));
  T *to = reinterpret_cast<T *>(bytes.data());
  for (std::size_t i = 0; i < matrix.size(); ++i)
    to[f == form::rows ? i : i % wide * rows + i / wide] = T(float(matrix[i]));
  return bytes;
}

template <class T> std::vector<unsigned char> bytes_of(const std::vector<T> &values) {
  const auto *raw = reinterpret_cast<const unsigned char *>(values.data());
  return {raw, raw + values.size() * sizeof(T)};
}

/// sum + A B, over the first `depth` of k. The columns of A are its pitch, those of B all.
inline void add_product(std::vector<double> &sum, const std::vector<int> &a, int pitch,
                        const std::vector<int> &b, int columns, int depth) {
  const int rows = int(sum.size()) / columns;
  std::vector<int> row(std::size_t(columns), 0);
  for (int i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), 0);
    for (int k = 0; k < depth; ++k) {
      const int factor = a[std::size_t(i * pitch + k)];
      const int *from = b.data() + std::size_t(k) * std::size_t(columns);
      for (int j = 0; j < columns; ++j)
        row[std::size_t(j)] += factor * from[j];
    }
    for (int j = 0; j < columns; ++j)
      sum[std::size_t(i * columns + j)] += row[std::size_t(j)];
  }
}

template <class C> test_case case_of(std::string name, std::vector<double> exact) {
  test_case c;
  c.name = std::move(name);
  c.result = &info_of<C>();
  c.results = exact.size();
  c.exact = std::move(exact);
  return c;
}

template <class T>
using sum_of = std::conditional_t<std::is_integral_v<T>, std::int32_t,
                                  std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// How deep a program's product is that runs `count` iterations: whole tiles, one element more than
/// a tile, all but a few.
inline int depth_of(int count, int tile) {
  return count == 0       ? 0
         : count % 3 == 0 ? count * tile
         : count % 3 == 1 ? (count - 1) * tile + 1
                          : count * tile - std::min(3, tile - 1);
}

/// One program for each number of iterations: one less than that are whole.
template <class T, int BM, int BN, int BK>
void check_loop(settings s, const std::vector<int> &counts) {
  using C = sum_of<T>;
  const int most = *std::max_element(counts.begin(), counts.end());
  s.rows = s.rows ? s.rows : BM;
  s.depth = std::max(most, 1) * BK;
  chosen = s;
  const std::vector<int> a = small_numbers(std::size_t(s.rows * s.depth)),
                         b = small_numbers(std::size_t(s.depth * BN));
  std::vector<std::int32_t> depths;
  std::vector<double> exact;
  for (int count : counts) {
    const int depth = depth_of(count, BK);
    depths.push_back(depth);
    std::vector<double> part(std::size_t(s.rows * BN), 0);
    add_product(part, a, s.depth, b, BN, depth);
    exact.insert(exact.end(), part.begin(), part.end());
  }
  test_case c = case_of<C>(
      std::string("products ") + info_of<T>().name + ' ' + std::to_string(BM) + 'x' +
          std::to_string(BN) + 'x' + std::to_string(BK) + ", " + std::to_string(s.stages) +
          " stages, forms " + std::to_string(int(s.a)) + std::to_string(int(s.b)) +
          (s.imprecise ? ", " + std::to_string(*s.imprecise) + " imprecise" : std::string()),
      exact);
  c.ttir = loop_of_products<T, C, BM, BN, BK>.trace(aligned(4));
  c.programs = int(counts.size());
  c.inputs = {memory_of<T>(a, s.depth, s.a), memory_of<T>(b, BN, s.b), bytes_of(depths)};
  run_where_it_fits(c, (BM + BN) * BK * sizeof(T));
}

} // namespace numeric
