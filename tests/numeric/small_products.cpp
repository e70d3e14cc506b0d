// SPDX-License-Identifier: MIT
//
// Products of few rows or columns, alone and in loops: what instructions of single warps compute,
// and what is too small for them and gets padded. They are exact: see products.hpp. Then the loops
// of kernels that live on such products: weights that are widened on the way, tables of pages,
// chunks whose results are stored as they come.

#include "products.hpp"

using namespace numeric;

namespace {

const std::vector<int> all_trips = {0, 1, 2, 3, 4, 5}, some_trips = {0, 1, 4}, few_trips = {2};

template <class T, int BM, int BN, int BK>
void check_forms(int turn, const std::vector<int> &counts = few_trips) {
  constexpr form forms[] = {form::rows, form::columns, form::transposed};
  check_loop<T, BM, BN, BK>({.a = forms[turn % 3],
                             .b = forms[(turn / 3 + turn) % 3],
                             .stages = turn % 6,
                             .rows = BM > 4 && turn % 2 ? BM - 3 : BM},
                            counts);
}

/// Tiles of few rows, each in some forms and with some number of stages.
template <class T> void check_few_rows() {
  int turn = 0;
  check_forms<T, 16, 8, 16>(turn++, some_trips);
  check_forms<T, 16, 16, 32>(turn++, some_trips);
  check_forms<T, 16, 32, 64>(turn++, some_trips);
  check_forms<T, 16, 64, 32>(turn++, all_trips);
  check_forms<T, 16, 64, 128>(turn++);
  check_forms<T, 16, 128, 64>(turn++, some_trips);
  check_forms<T, 32, 8, 64>(turn++);
  check_forms<T, 32, 16, 16>(turn++, some_trips);
  check_forms<T, 32, 32, 32>(turn++, all_trips);
  check_forms<T, 32, 64, 16>(turn++, some_trips);
  check_forms<T, 32, 128, 32>(turn++, some_trips);
}

/// Smaller than every instruction in one extent or in all.
template <class T> void check_least() {
  int turn = 0;
  check_forms<T, 1, 64, 64>(turn++, some_trips);
  check_forms<T, 2, 32, 16>(turn++, some_trips);
  check_forms<T, 4, 8, 32>(turn++, some_trips);
  check_forms<T, 8, 16, 16>(turn++, some_trips);
  check_forms<T, 16, 1, 32>(turn++, some_trips);
  check_forms<T, 16, 2, 16>(turn++, some_trips);
  check_forms<T, 64, 4, 16>(turn++, some_trips);
  check_forms<T, 16, 16, 1>(turn++, some_trips);
  check_forms<T, 16, 8, 2>(turn++, some_trips);
  check_forms<T, 32, 16, 4>(turn++, some_trips);
  check_forms<T, 16, 32, 8>(turn++, some_trips);
  check_forms<T, 1, 1, 16>(turn++, some_trips);
  check_forms<T, 2, 2, 4>(turn++, some_trips);
  check_forms<T, 4, 4, 2>(turn++, some_trips);
}

/// All forms of one tile with all numbers of stages.
template <class T> void check_stages() {
  int turn = 0;
  for (form a : {form::rows, form::columns, form::transposed})
    for (form b : {form::rows, form::columns, form::transposed}) {
      check_loop<T, 16, 32, 32>({.a = a, .b = b, .stages = turn % 6}, all_trips);
      ++turn;
    }
}

// ---- Operands that are widened on the way

/// The rows of A times B, whose elements are kept as W.
template <class T, class W, int BM, int BN, int BK>
constexpr auto widened_products =
    tl::kernel{"widened_products", [](tl::ptr<const T> a, tl::ptr<const W> b,
                                      tl::ptr<const std::int32_t> depths, tl::ptr<float> out) {
                 const settings s = chosen;
                 auto p = tl::program_id(0);
                 auto depth = tl::load(depths + p);
                 tl::tensor acc = tl::zeros<float, BM, BN>();
                 for (auto k : tl::range(0, depth, BK, {.num_stages = s.stages})) {
                   auto x = tile_of<BM, BK>(a, s.a, s.rows, s.depth, 0, k, s.rows, depth, 0);
                   auto y = tile_of<BK, BN>(b, s.b, s.depth, BN, k, 0, depth, BN, 0);
                   acc = tl::dot(x, tl::cast<T>(y), acc);
                 }
                 auto m = tl::arange<BM>()(tl::all, tl::newaxis);
                 auto n = tl::arange<BN>()(tl::newaxis, tl::all);
                 tl::store(out + (p * s.rows + m) * BN + n, acc, m < s.rows);
               }};

template <class T, class W, int BM, int BN, int BK>
void check_widened(settings s, const std::vector<int> &counts) {
  const int most = *std::max_element(counts.begin(), counts.end());
  s.rows = BM;
  s.depth = std::max(most, 1) * BK;
  chosen = s;
  const std::vector<int> a = small_numbers(std::size_t(s.rows * s.depth)),
                         b = small_numbers(std::size_t(s.depth * BN));
  std::vector<std::int32_t> depths;
  std::vector<double> exact;
  for (int count : counts) {
    depths.push_back(depth_of(count, BK));
    std::vector<double> part(std::size_t(s.rows * BN), 0);
    add_product(part, a, s.depth, b, BN, depths.back());
    exact.insert(exact.end(), part.begin(), part.end());
  }
  test_case c =
      case_of<float>(std::string("products of ") + info_of<T>().name + " and widened " +
                         info_of<W>().name + ' ' + std::to_string(BM) + 'x' + std::to_string(BN) +
                         'x' + std::to_string(BK) + ", " + std::to_string(s.stages) +
                         " stages, forms " + std::to_string(int(s.a)) + std::to_string(int(s.b)),
                     exact);
  c.ttir = widened_products<T, W, BM, BN, BK>.trace(aligned(4));
  c.programs = int(counts.size());
  c.inputs = {memory_of<T>(a, s.depth, s.a), memory_of<W>(b, BN, s.b), bytes_of(depths)};
  run(c);
}

template <class T, class W> void check_all_widened() {
  int turn = 0;
  for (form a : {form::rows, form::transposed})
    for (form b : {form::rows, form::columns, form::transposed}) {
      check_widened<T, W, 16, 32, 64>({.a = a, .b = b, .stages = turn % 5}, some_trips);
      ++turn;
    }
  check_widened<T, W, 16, 64, 16>({.b = form::columns}, some_trips);
  check_widened<T, W, 32, 16, 32>({.b = form::columns, .stages = 4}, all_trips);
  check_widened<T, W, 1, 64, 64>({.b = form::transposed, .stages = 2}, some_trips);
  check_widened<T, W, 64, 32, 32>({.b = form::columns, .stages = 3}, some_trips);
}

using half = tl::float16;
constexpr int rows = 16, columns = 64, step = 32;

/// Where a tile's elements lie in a matrix of `pitch` columns.
template <int BR, int BC> auto places(int pitch) {
  return tl::arange<BR>()(tl::all, tl::newaxis) * pitch + tl::arange<BC>()(tl::newaxis, tl::all);
}

/// Weights of four bits, eight to a word along the columns, with a zero point and a scale for each
/// column of every step.
constexpr auto packed =
    tl::kernel{"packed", [](tl::ptr<const half> a, tl::ptr<const std::int32_t> b,
                            tl::ptr<const std::int32_t> z, tl::ptr<const half> scales,
                            tl::ptr<float> out, tl::i32 count) {
                 tl::tensor acc = tl::zeros<float, rows, columns>();
                 auto shifts = (tl::arange<columns>() % 8 * 4)(tl::newaxis, tl::all);
                 auto eight_times = [](const auto &x) {
                   auto two = tl::interleave(x, x);
                   auto four = tl::interleave(two, two);
                   return tl::interleave(four, four);
                 };
                 for (auto i : tl::range(0, count)) {
                   auto x = tl::load(a + i * (rows * step) + places<rows, step>(step));
                   auto words = tl::load(b + i * (step * columns / 8) +
                                         places<step, columns / 8>(columns / 8));
                   auto zero = tl::load(z + i * (columns / 8) + places<1, columns / 8>(0));
                   auto scale = tl::load(scales + i * columns + places<1, columns>(0));
                   auto y = (eight_times(words) >> shifts) & 15;
                   auto y0 = (eight_times(zero) >> shifts) & 15;
                   acc = tl::dot(x, tl::cast<half>(y - y0) * scale, acc);
                 }
                 tl::store(out + places<rows, columns>(columns), acc);
               }};

// ---- Other loops

/// A tile of A is used by products with B and with itself, transposed, and by itself.
constexpr auto used_thrice =
    tl::kernel{"used_thrice",
               [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
                 tl::tensor acc = tl::zeros<float, rows, columns>();
                 tl::tensor square = tl::zeros<float, rows, rows>();
                 tl::tensor sum = tl::zeros<float, rows>();
                 for (auto i : tl::range(0, count)) {
                   auto x = tl::load(a + i * (rows * step) + places<rows, step>(step));
                   auto y = tl::load(b + i * (step * columns) + places<step, columns>(columns));
                   acc = tl::dot(x, y, acc);
                   square = tl::dot(x, tl::trans(x), square);
                   sum = sum + tl::sum<1>(tl::cast<float>(x) * tl::cast<float>(x));
                 }
                 tl::store(out + places<rows, columns>(columns), acc + sum(tl::all, tl::newaxis));
                 tl::store(out + rows * columns + places<rows, rows>(rows), square);
               }};

/// Rows of B that a table lists, as in attention over pages.
constexpr auto gathered = tl::kernel{
    "gathered", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<const std::int32_t> table,
                   tl::ptr<float> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<float, rows, columns>();
      for (auto i : tl::range(0, count)) {
        auto at = tl::load(table + i * step + tl::arange<step>())(tl::all, tl::newaxis);
        auto x = tl::load(a + i * (rows * step) + places<rows, step>(step));
        auto y = tl::load(b + at * columns + tl::arange<columns>()(tl::newaxis, tl::all));
        acc = tl::dot(x, y, acc);
      }
      tl::store(out + places<rows, columns>(columns), acc);
    }};

/// Each chunk's result goes to memory, and the sum so far into the next one, as linear attention
/// does.
constexpr auto chunks = tl::kernel{
    "chunks", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
      tl::tensor state = tl::zeros<float, step, columns>();
      for (auto i : tl::range(0, count)) {
        auto x = tl::load(a + i * (rows * step) + places<rows, step>(step));
        auto y = tl::load(b + i * (rows * columns) + places<rows, columns>(columns));
        tl::store(out + i * (rows * columns) + places<rows, columns>(columns),
                  tl::dot(x, tl::cast<half>(state)));
        state = tl::dot(tl::trans(x), y, state);
      }
    }};

std::vector<int> part(const std::vector<int> &all, int number, int size) {
  return {all.begin() + std::ptrdiff_t(number) * size,
          all.begin() + std::ptrdiff_t(number + 1) * size};
}

std::vector<int> transposed(const std::vector<int> &matrix, int columns) {
  std::vector<int> result;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < int(matrix.size()) / columns; ++i)
      result.push_back(matrix[std::size_t(i * columns + j)]);
  return result;
}

} // namespace

TEST_CASE("products of few rows of float16 in a loop are exact") {
  check_few_rows<half>();
  check_stages<half>();
}

TEST_CASE("products of few rows of bfloat16 in a loop are exact") {
  check_few_rows<tl::bfloat16>();
}

TEST_CASE("products of few rows of float as tf32 in a loop are exact for small whole numbers") {
  check_few_rows<float>();
  check_stages<float>();
}

TEST_CASE("products of few rows of int8 in a loop are exact") {
  check_few_rows<std::int8_t>();
  check_stages<std::int8_t>();
}

TEST_CASE("products of few rows of double in a loop are exact") { check_few_rows<double>(); }

TEST_CASE("products of few rows of fp8 in a loop are exact") {
  check_few_rows<tl::float8e5>();
  check_stages<tl::float8e5>();
}

TEST_CASE("products smaller than every instruction are exact") {
  check_least<half>();
  check_least<tl::bfloat16>();
  check_least<float>();
  check_least<std::int8_t>();
  check_least<double>();
  check_least<tl::float8e5>();
}

TEST_CASE("operands that a loop loads as 8 bits and widens") {
  check_all_widened<half, std::int8_t>();
  check_all_widened<half, tl::float8e5>();
  check_all_widened<tl::bfloat16, std::int8_t>();
}

TEST_CASE("weights of four bits with zero points and scales") {
  for (int count : {0, 1, 3, 5}) {
    constexpr int most = 5;
    const std::vector<int> a = small_numbers(std::size_t(most * rows * step));
    std::vector<std::int32_t> words, zeros;
    std::vector<int> b, scales;
    for (std::int32_t word : tl::testing::random_values<std::int32_t>(
             std::size_t(most * step * columns / 8), {-2000000000, 2000000000}))
      words.push_back(word);
    for (std::int32_t word : tl::testing::random_values<std::int32_t>(
             std::size_t(most * columns / 8), {-2000000000, 2000000000}))
      zeros.push_back(word);
    for (std::int32_t scale :
         tl::testing::random_values<std::int32_t>(std::size_t(most * columns), {1, 4}))
      scales.push_back(scale);
    auto nibble = [](const std::vector<std::int32_t> &from, int at) {
      return int(std::uint32_t(from[std::size_t(at / 8)]) >> (at % 8 * 4) & 15);
    };
    for (int k = 0; k < most * step; ++k)
      for (int j = 0; j < columns; ++j) {
        const int group = k / step * columns + j;
        b.push_back((nibble(words, k * columns + j) - nibble(zeros, group)) *
                    scales[std::size_t(group)]);
      }
    std::vector<double> exact(std::size_t(rows * columns), 0);
    for (int i = 0; i < count; ++i)
      add_product(exact, part(a, i, rows * step), step, part(b, i, step * columns), columns, step);
    test_case c = case_of<float>("packed, " + std::to_string(count), exact);
    c.ttir = packed.trace(aligned(5));
    c.inputs = {memory_of<half>(a, step), bytes_of(words), bytes_of(zeros),
                memory_of<half>(scales, columns)};
    c.extents = {count};
    run(c);
  }
}

TEST_CASE("a tile that two products and a sum of squares take") {
  for (int count : {0, 1, 4}) {
    const std::vector<int> a = small_numbers(std::size_t(4 * rows * step)),
                           b = small_numbers(std::size_t(4 * step * columns));
    std::vector<double> acc(std::size_t(rows * columns), 0), square(std::size_t(rows * rows), 0);
    std::vector<int> sums(rows, 0);
    for (int i = 0; i < count; ++i) {
      const std::vector<int> x = part(a, i, rows * step);
      add_product(acc, x, step, part(b, i, step * columns), columns, step);
      add_product(square, x, step, transposed(x, step), rows, step);
      for (int j = 0; j < rows * step; ++j)
        sums[std::size_t(j / step)] += x[std::size_t(j)] * x[std::size_t(j)];
    }
    for (int j = 0; j < rows * columns; ++j)
      acc[std::size_t(j)] += sums[std::size_t(j / columns)];
    acc.insert(acc.end(), square.begin(), square.end());
    test_case c = case_of<float>("used thrice, " + std::to_string(count), acc);
    c.ttir = used_thrice.trace(aligned(3));
    c.inputs = {memory_of<half>(a, step), memory_of<half>(b, columns)};
    c.extents = {count};
    run(c);
  }
}

TEST_CASE("rows of an operand that a table lists") {
  for (int count : {0, 1, 2, 5}) {
    const std::vector<int> a = small_numbers(std::size_t(5 * rows * step)),
                           b = small_numbers(std::size_t(100 * columns));
    std::vector<std::int32_t> table;
    for (std::int32_t row :
         tl::testing::random_values<std::int32_t>(std::size_t(5 * step), {0, 99}))
      table.push_back(row);
    std::vector<double> exact(std::size_t(rows * columns), 0);
    for (int i = 0; i < count; ++i) {
      std::vector<int> y;
      for (int k = 0; k < step; ++k) {
        const std::vector<int> row = part(b, table[std::size_t(i * step + k)], columns);
        y.insert(y.end(), row.begin(), row.end());
      }
      add_product(exact, part(a, i, rows * step), step, y, columns, step);
    }
    test_case c = case_of<float>("gathered, " + std::to_string(count), exact);
    c.ttir = gathered.trace(aligned(4));
    c.inputs = {memory_of<half>(a, step), memory_of<half>(b, columns), bytes_of(table)};
    c.extents = {count};
    run(c);
  }
}

TEST_CASE("chunks whose results are stored in the loop, and their state") {
  constexpr int count = 4;
  const std::vector<int> a = small_numbers(std::size_t(count * rows * step)),
                         b = small_numbers(std::size_t(count * rows * columns));
  std::vector<double> state(std::size_t(step * columns), 0), exact;
  for (int i = 0; i < count; ++i) {
    const std::vector<int> x = part(a, i, rows * step);
    std::vector<double> result(std::size_t(rows * columns), 0);
    add_product(result, x, step, {state.begin(), state.end()}, columns, step);
    exact.insert(exact.end(), result.begin(), result.end());
    add_product(state, transposed(x, step), rows, part(b, i, rows * columns), columns, rows);
  }
  test_case c = case_of<float>("chunks", exact);
  c.ttir = chunks.trace(aligned(3));
  c.inputs = {memory_of<half>(a, step), memory_of<half>(b, columns)};
  c.extents = {count};
  run(c);
}
