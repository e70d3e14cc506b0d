// SPDX-License-Identifier: MIT
//
// Products in loops, which GPUs start ahead of time and leave in flight: every way in which a loop
// may feed a product and use its result, for numbers of iterations down to none. They are exact:
// see products.hpp.

#include "gpus.hpp"
#include "products.hpp"

#include <numeric>

using namespace numeric;

namespace {

const std::vector<int> all_trips = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, some_trips = {0, 1, 4},
                       few_trips = {2};

/// Tiles of M x N over all K, whose forms and stages begin with number `turn` and go around.
template <class T, int BM, int BN> void check_tiles(int turn) {
  constexpr form forms[] = {form::rows, form::columns, form::transposed};
  auto next = [&](int rows) {
    const settings s{
        .a = forms[turn % 3], .b = forms[turn / 3 % 3], .stages = turn % 5, .rows = rows};
    ++turn;
    return s;
  };
  check_loop<T, BM, BN, 16>(next(BM), some_trips);
  check_loop<T, BM, BN, 32>(next(BM - 3), BM * BN > 64 * 64 ? few_trips : some_trips);
  check_loop<T, BM, BN, 64>(next(BM), few_trips);
}

template <class T> void check_all_tiles() {
  check_tiles<T, 64, 16>(0);
  check_tiles<T, 64, 64>(2);
  check_tiles<T, 64, 128>(4);
  check_tiles<T, 128, 16>(6);
  check_tiles<T, 128, 64>(8);
  check_tiles<T, 128, 128>(1);
}

/// One tile in all forms, with every number of stages.
template <class T> void check_all_forms() {
  int turn = 0;
  for (form a : {form::rows, form::columns, form::transposed})
    for (form b : {form::rows, form::columns, form::transposed})
      check_loop<T, 64, 64, 32>({.a = a, .b = b, .stages = turn++ % 5}, some_trips);
}

// ---- Other loops, of float16 tiles of 64 x 64 over 32 of k

using half = tl::float16;
constexpr int tile = 64, step = 32;

/// Where a tile's elements lie in a matrix of `pitch` columns.
template <int BR, int BC> auto places(int pitch) {
  return tl::arange<BR>()(tl::all, tl::newaxis) * pitch + tl::arange<BC>()(tl::newaxis, tl::all);
}

/// Several tiles of the result a program, with the loop over k inside that over tiles.
constexpr auto persistent = tl::kernel{
    "persistent", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out,
                     tl::i32 tiles, tl::i32 depth) {
      for (auto t : tl::range(tl::program_id(0), tiles, tl::num_programs(0))) {
        tl::tensor acc = tl::zeros<float, tile, tile>();
        for (auto k : tl::range(0, depth, step)) {
          auto x = tl::load(a + (t * tile * chosen.depth + k) + places<tile, step>(chosen.depth));
          auto y = tl::load(b + k * tile + places<step, tile>(tile));
          acc = tl::dot(x, y, acc);
        }
        tl::store(out + t * (tile * tile) + places<tile, tile>(tile), acc);
      }
    }};

/// sum (A_i B) C_i: the second product takes the first one's result, as attention does.
constexpr auto chained =
    tl::kernel{"chained", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<const half> c,
                             tl::ptr<float> out, tl::i32 count) {
                 tl::tensor acc = tl::zeros<float, tile, tile>();
                 auto y = tl::load(b + places<step, tile>(tile));
                 for (auto i : tl::range(0, count)) {
                   auto x = tl::load(a + i * (tile * step) + places<tile, step>(step));
                   auto z = tl::load(c + i * (tile * tile) + places<tile, tile>(tile));
                   acc = tl::dot(tl::cast<half>(tl::dot(x, y)), z, acc);
                 }
                 tl::store(out + places<tile, tile>(tile), acc);
               }};

/// Floats become halves, twice their difference to a bias, before they are multiplied: `Step` of k
/// at a time.
template <int Step>
constexpr auto narrowed = tl::kernel{
    "narrowed",
    [](tl::ptr<const float> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<float, tile, tile>();
      const bool along_k = chosen.a == form::rows;
      for (auto i : tl::range(0, count)) {
        auto m = tl::arange<tile>()(tl::all, tl::newaxis);
        auto k = tl::arange<Step>()(tl::newaxis, tl::all);
        auto x = tl::load(a + i * (tile * Step) + (along_k ? m * Step + k : k * tile + m));
        auto y = tl::load(b + i * (Step * tile) + places<Step, tile>(tile));
        acc = tl::dot(tl::cast<half>((x - 1.0f) * 2.0f), y, acc);
      }
      tl::store(out + places<tile, tile>(tile), acc);
    }};

/// Each iteration's product by itself.
constexpr auto stored = tl::kernel{
    "stored", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
      for (auto i : tl::range(0, count)) {
        auto x = tl::load(a + i * (tile * step) + places<tile, step>(step));
        auto y = tl::load(b + i * (step * tile) + places<step, tile>(tile));
        tl::store(out + i * (tile * tile) + places<tile, tile>(tile), tl::dot(x, y));
      }
    }};

/// The tiles that a table lists.
constexpr auto looked_up = tl::kernel{
    "looked_up", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<const std::int32_t> table,
                    tl::ptr<float> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<float, tile, tile>();
      for (auto i : tl::range(0, count)) {
        auto at = tl::load(table + i);
        auto x = tl::load(a + at * (tile * step) + places<tile, step>(step));
        auto y = tl::load(b + at * (step * tile) + places<step, tile>(tile));
        acc = tl::dot(x, y, acc);
      }
      tl::store(out + places<tile, tile>(tile), acc);
    }};

/// The sum so far is used in each iteration, and doubled for the next one.
constexpr auto used = tl::kernel{
    "used", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<float, tile, tile>();
      tl::tensor largest = tl::zeros<float, tile>();
      for (auto i : tl::range(0, count)) {
        auto x = tl::load(a + i * (tile * step) + places<tile, step>(step));
        auto y = tl::load(b + i * (step * tile) + places<step, tile>(tile));
        acc = tl::dot(x, y, acc * 2.0f);
        largest = tl::maximum(largest, tl::max<1>(acc));
      }
      tl::store(out + places<tile, tile>(tile), acc + largest(tl::all, tl::newaxis));
    }};

/// sum X_i X_i^T and, from the same loads, sum X_i Y_i.
constexpr auto shared_load =
    tl::kernel{"shared_load",
               [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
                 tl::tensor square = tl::zeros<float, tile, tile>();
                 tl::tensor other = tl::zeros<float, tile, tile>();
                 for (auto i : tl::range(0, count)) {
                   auto x = tl::load(a + i * (tile * step) + places<tile, step>(step));
                   auto y = tl::load(b + i * (step * tile) + places<step, tile>(tile));
                   square = tl::dot(x, tl::trans(x), square);
                   other = tl::dot(x, y, other);
                 }
                 tl::store(out + places<tile, tile>(tile), square);
                 tl::store(out + tile * tile + places<tile, tile>(tile), other);
               }};

/// Pointers that move with the loop, change places in it, and are used after it; then another loop
/// goes on where the first one ended, if there is something left.
constexpr auto moving = tl::kernel{"moving", [](tl::ptr<const half> a, tl::ptr<const half> b,
                                                tl::ptr<float> out, tl::i32 count, tl::i32 rest) {
                                     tl::tensor acc = tl::zeros<float, tile, tile>();
                                     tl::tensor pa = a + places<tile, step>(step);
                                     tl::tensor pb = b + places<step, tile>(tile);
                                     tl::tensor qb = pb + step * tile;
                                     tl::tensor number = tl::i32(0);
                                     for ([[maybe_unused]] auto i : tl::range(0, count)) {
                                       acc = tl::dot(tl::load(pa), tl::load(pb), acc);
                                       pa += tile * step;
                                       auto next = pb + 2 * step * tile;
                                       pb = qb;
                                       qb = next;
                                       number += 1;
                                     }
                                     tl::store(out + tile * tile + places<tile, tile>(tile),
                                               acc * 2.0f + tl::cast<float>(number));
                                     tl::if_(rest > 0, [&] {
                                       for ([[maybe_unused]] auto i : tl::range(0, rest)) {
                                         acc = tl::dot(tl::load(pa), tl::load(pb), acc);
                                         pa += tile * step;
                                         pb += step * tile;
                                       }
                                     });
                                     tl::store(out + places<tile, tile>(tile), acc);
                                   }};

/// Rows that wrap around at the end of the matrix, from `start` on.
constexpr auto wrapped =
    tl::kernel{"wrapped", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out,
                             tl::i32 base, tl::i32 start, tl::i32 rows, tl::i32 depth) {
                 auto m = (start + tl::arange<tile>()) % rows;
                 tl::tensor acc = tl::zeros<float, tile, tile>();
                 for (auto k : tl::range(0, depth, step)) {
                   // Column by column: the rows are what follows each other in memory.
                   auto x = tl::load(a + base + m(tl::all, tl::newaxis) +
                                     (k + tl::arange<step>())(tl::newaxis, tl::all) * rows);
                   auto y = tl::load(b + k * tile + places<step, tile>(tile));
                   acc = tl::dot(x, y, acc);
                 }
                 tl::store(out + places<tile, tile>(tile), acc);
               }};

std::vector<double> zeros(int count = 1) {
  return std::vector<double>(std::size_t(count * tile * tile), 0);
}

/// Operands of which neither has k along memory, without masks: whoever brings them ahead of time
/// has them turned by somebody.
template <class T, int K>
constexpr auto across_k = tl::kernel{
    "across_k", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<sum_of<T>> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<sum_of<T>, tile, tile>();
      for (auto i : tl::range(0, count, 1, {.num_stages = 3})) {
        auto x = tl::load(a + i * (K * tile) + tl::arange<tile>()(tl::all, tl::newaxis) +
                          tl::arange<K>()(tl::newaxis, tl::all) * tile);
        auto y = tl::load(b + i * (K * tile) + places<K, tile>(tile));
        acc = tl::dot(x, y, acc);
      }
      tl::store(out + places<tile, tile>(tile), acc);
    }};

template <class T, int K> void check_across_k() {
  for (int count : {0, 1, 2, 5}) {
    const int depth = std::max(count, 1) * K;
    const std::vector<int> a = small_numbers(std::size_t(tile * depth)),
                           b = small_numbers(std::size_t(depth * tile));
    std::vector<double> exact = zeros();
    add_product(exact, a, depth, b, tile, count * K);
    test_case c = case_of<sum_of<T>>(
        std::string("across k, ") + info_of<T>().name + ", " + std::to_string(count), exact);
    c.ttir = across_k<T, K>.trace(aligned(3));
    c.inputs = {memory_of<T>(a, depth, form::columns), memory_of<T>(b, tile)};
    c.extents = {count};
    run_where_it_fits(c, 2 * tile * K * int(sizeof(T)));
  }
}

/// Rows whose numbers are loaded, and of which some are missing, in two products. The numbers lead
/// to addresses, and say which scores count.
template <int M>
constexpr auto gathered = tl::kernel{
    "gathered", [](tl::ptr<const half> q, tl::ptr<const half> keys,
                   tl::ptr<const std::int32_t> table, tl::ptr<float> out, tl::i32 count) {
      tl::tensor acc = tl::zeros<float, M, tile>();
      tl::tensor own = tl::load(q + places<M, tile>(tile));
      for (auto i : tl::range(0, count, 1, {.num_stages = 3})) {
        tl::tensor number = tl::load(table + i * step + tl::arange<step>());
        tl::tensor there = number >= 0;
        auto rows = tl::where(there, number, 0)(tl::all, tl::newaxis) * tile;
        tl::tensor x = tl::load(keys + rows + tl::arange<tile>()(tl::newaxis, tl::all),
                                there(tl::all, tl::newaxis), 0.0f);
        tl::tensor scores = tl::dot(own, tl::trans(x));
        tl::tensor weights = tl::where(there(tl::newaxis, tl::all), scores + 1.0f, 0.0f);
        acc = tl::dot(tl::cast<half>(weights), x, acc);
      }
      tl::store(out + places<M, tile>(tile), acc);
    }};

template <int M> void check_gathered(int count) {
  constexpr int rows = 50;
  const std::vector<int> q = small_numbers(M * tile), keys = small_numbers(rows * tile);
  std::vector<std::int32_t> table(std::size_t(std::max(count, 1) * step));
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = i % 5 == 3 ? -1 : std::int32_t(i * 7 % rows);
  std::vector<double> exact(M * tile, 0);
  for (int i = 0; i < count * step; ++i) {
    const std::int32_t number = table[std::size_t(i)];
    for (int m = 0; m < M && number >= 0; ++m) {
      const int *own = &q[std::size_t(m * tile)], *key = &keys[std::size_t(number * tile)];
      const double weight = std::inner_product(own, own + tile, key, 0) + 1;
      for (int n = 0; n < tile; ++n)
        exact[std::size_t(m * tile + n)] += weight * key[n];
    }
  }
  test_case c =
      case_of<float>("gathered " + std::to_string(M) + ", " + std::to_string(count), exact);
  c.ttir = gathered<M>.trace(aligned(4));
  c.inputs = {memory_of<half>(q, tile), memory_of<half>(keys, tile), bytes_of(table)};
  c.extents = {count};
  run(c);
}

/// Floats at distances of which nothing is known, so that no access is of more than one.
constexpr auto by_words = tl::kernel{
    "by_words", [](tl::ptr<const float> a, tl::ptr<const float> b, tl::ptr<float> out,
                   tl::i32 depth, tl::i32 pitch) {
      tl::tensor acc = tl::zeros<float, tile, tile>();
      auto n = tl::arange<tile>();
      for (auto k : tl::range(0, depth, step, {.num_stages = 3})) {
        auto ks = k + tl::arange<step>();
        auto x = tl::load(a + n(tl::all, tl::newaxis) * pitch + ks(tl::newaxis, tl::all));
        auto y = tl::load(b + ks(tl::all, tl::newaxis) + n(tl::newaxis, tl::all) * pitch);
        acc = tl::dot(x, y, acc, {.input_precision = tl::ieee});
      }
      tl::store(out + places<tile, tile>(tile), acc);
    }};

/// Tiles of both operands, one for each iteration.
struct tiles {
  explicit tiles(int count)
      : a(small_numbers(std::size_t(count * tile * step))),
        b(small_numbers(std::size_t(count * step * tile))) {}
  static std::vector<int> part(const std::vector<int> &all, int number) {
    const auto size = std::ptrdiff_t(tile * step);
    return {all.begin() + number * size, all.begin() + (number + 1) * size};
  }
  void add(std::vector<double> &sum, int i, int j) const {
    add_product(sum, part(a, i), step, part(b, j), tile, step);
  }
  std::vector<int> a, b;
};

void run_tiles(std::string name, std::string ttir, const tiles &t, std::vector<double> exact,
               std::vector<int> extents) {
  test_case c = case_of<float>(std::move(name), std::move(exact));
  c.ttir = std::move(ttir);
  c.inputs = {memory_of<half>(t.a, step), memory_of<half>(t.b, tile)};
  c.extents = std::move(extents);
  run(c);
}

} // namespace

TEST_CASE("products in a loop are exact for every number of iterations, tile and way of storing "
          "operands") {
  check_all_tiles<half>();
  check_all_forms<half>();
  for (int stages : {1, 2, 3, 4})
    check_loop<half, 64, 16, 32>({.stages = stages}, all_trips);
}

TEST_CASE("what masked loads give instead counts for products in a loop") {
  check_loop<half, 64, 16, 32>({.other = 2}, some_trips);
}

TEST_CASE("products of bfloat16 in a loop are exact") {
  check_all_forms<tl::bfloat16>();
  check_tiles<tl::bfloat16, 128, 64>(3);
}

TEST_CASE("products of float as tf32 in a loop are exact for small whole numbers") {
  check_all_forms<float>();
  check_tiles<float, 64, 16>(1);
  check_tiles<float, 128, 128>(5);
}

// Instructions of groups of warps read such operands with k along the rows alone.
TEST_CASE("products of float as tf32 are exact however many rows and columns lie along memory") {
  int turn = 0;
  for (form a : {form::rows, form::columns})
    for (form b : {form::rows, form::transposed}) {
      check_loop<float, 64, 128, 32>({.a = a, .b = b, .stages = turn++ % 5}, some_trips);
      check_loop<float, 128, 64, 16>({.a = a, .b = b, .stages = turn++ % 5}, some_trips);
    }
  for (int stages : {1, 2, 3, 4}) {
    check_loop<float, 128, 128, 32>({.stages = stages}, few_trips);
    check_loop<float, 64, 64, 8>({.stages = stages}, all_trips);
  }
  check_loop<float, 16, 64, 32>({}, some_trips);
  check_loop<float, 64, 256, 32>({.rows = 61}, few_trips);
  check_loop<float, 256, 64, 64>({}, few_trips);
}

TEST_CASE("products of int8 in a loop are exact") {
  check_all_forms<std::int8_t>();
  check_tiles<std::int8_t, 64, 128>(7);
}

TEST_CASE("products of parts of float in a loop are exact for small whole numbers") {
  int turn = 0;
  for (tl::input_precision precision : {tl::tf32x3, tl::bf16x3, tl::bf16x6})
    for (form a : {form::rows, form::columns})
      for (form b : {form::rows, form::transposed}) {
        const settings s{.a = a, .b = b, .stages = turn++ % 5, .precision = precision};
        check_loop<float, 64, 64, 32>(s, some_trips);
        check_loop<float, 128, 64, 16>(s, few_trips);
      }
}

TEST_CASE("products of fp8 in a loop are exact, however many are added imprecisely") {
  using eight = tl::float8e4nv;
  check_all_forms<eight>();
  check_tiles<eight, 64, 128>(7);
  int turn = 0;
  for (int most : {0, 16, 32, 48, 64, 96, 128})
    for (int stages : {1, 3}) {
      const settings s{.a = turn++ % 2 ? form::rows : form::transposed,
                       .b = form::transposed,
                       .stages = stages,
                       .imprecise = most};
      check_loop<eight, 64, 64, 128>(s, some_trips);
    }
  check_loop<tl::float8e5, 64, 128, 64>({.b = form::transposed, .imprecise = 32}, all_trips);
  check_loop<eight, 128, 64, 32>({.b = form::transposed, .imprecise = 32}, all_trips);
}

TEST_CASE("operands whose neighbours in memory are not those along k") {
  check_across_k<half, 32>();
  check_across_k<half, 64>();
  check_across_k<tl::bfloat16, 32>();
  check_across_k<std::int8_t, 64>();
  check_across_k<std::int8_t, 128>();
  check_across_k<tl::float8e4nv, 64>();
  check_across_k<tl::float8e5, 128>();
}

TEST_CASE("operands of floats that are loaded one by one") {
  for (int count : {0, 1, 2, 3, 6}) {
    const int depth = count * step, pitch = depth + 1;
    const std::vector<int> a = small_numbers(std::size_t(tile * pitch)),
                           b = small_numbers(std::size_t(pitch * tile));
    std::vector<double> exact = zeros();
    add_product(exact, a, pitch, b, tile, depth);
    test_case c = case_of<float>("by words, " + std::to_string(count), exact);
    c.ttir = by_words.trace(aligned(3));
    c.inputs = {memory_of<float>(a, pitch), memory_of<float>(b, tile, form::columns)};
    c.extents = {depth, pitch};
    run(c);
  }
}

TEST_CASE("a loop of products in a loop over tiles") {
  for (int iterations : {0, 1, 5}) {
    const int count = 6, depth = iterations * step, pitch = std::max(depth, step);
    chosen = {.depth = pitch};
    const std::vector<int> a = small_numbers(std::size_t(count * tile * pitch)),
                           b = small_numbers(std::size_t(pitch * tile));
    std::vector<double> exact(std::size_t(count * tile * tile), 0);
    add_product(exact, a, pitch, b, tile, depth);
    test_case c = case_of<float>("persistent, " + std::to_string(iterations), exact);
    c.ttir = persistent.trace(aligned(3));
    c.programs = 2;
    c.inputs = {memory_of<half>(a, pitch), memory_of<half>(b, tile)};
    c.extents = {count, depth};
    run(c);
  }
}

TEST_CASE("a product of a product in a loop") {
  for (int count : {0, 1, 2, 5}) {
    const std::vector<int> a = small_numbers(std::size_t(5 * tile * step)),
                           b = small_numbers(std::size_t(step * tile)),
                           c = small_numbers(std::size_t(5 * tile * tile));
    std::vector<double> exact = zeros();
    for (int i = 0; i < count; ++i) {
      std::vector<double> first = zeros();
      add_product(first, tiles::part(a, i), step, b, tile, step);
      const std::vector<int> between(first.begin(), first.end());
      const auto size = std::ptrdiff_t(tile * tile);
      add_product(exact, between, tile, {c.begin() + i * size, c.begin() + (i + 1) * size}, tile,
                  tile);
    }
    test_case of = case_of<float>("chained, " + std::to_string(count), exact);
    of.ttir = chained.trace(aligned(4));
    of.inputs = {memory_of<half>(a, step), memory_of<half>(b, tile), memory_of<half>(c, tile)};
    of.extents = {count};
    run(of);
  }
}

TEST_CASE("floats that a loop loads and narrows for a product") {
  for (form lies : {form::rows, form::columns})
    for (int count : {0, 1, 4}) {
      tiles t(4);
      std::vector<int> lying;
      for (int i = 0; i < 4; ++i) {
        const std::vector<int> x = tiles::part(t.a, i);
        for (int j = 0; j < tile * step; ++j)
          lying.push_back(x[std::size_t(lies == form::rows ? j : j % tile * step + j / tile)]);
      }
      for (int &number : t.a)
        number = (number - 1) * 2;
      std::vector<double> exact = zeros();
      for (int i = 0; i < count; ++i)
        t.add(exact, i, i);
      chosen = {.a = lies};
      test_case c = case_of<float>(
          "narrowed, form " + std::to_string(int(lies)) + ", " + std::to_string(count), exact);
      c.ttir = narrowed<step>.trace(aligned(3));
      c.inputs = {memory_of<float>(lying, step), memory_of<half>(t.b, tile)};
      c.extents = {count};
      run(c);
    }
}

TEST_CASE("a loop computes one piece of an operand while it multiplies the one before") {
  constexpr int pieces = 8; // tiles of a step, column by column in A
  for (int count : {0, 1, 3}) {
    tiles t(3 * pieces);
    std::vector<int> lying;
    for (int i = 0; i < 3 * pieces; ++i) {
      const std::vector<int> x = tiles::part(t.a, i);
      for (int j = 0; j < tile * step; ++j)
        lying.push_back(x[std::size_t(j % tile * step + j / tile)]);
    }
    for (int &number : t.a)
      number = (number - 1) * 2;
    std::vector<double> exact = zeros();
    for (int i = 0; i < count * pieces; ++i)
      t.add(exact, i, i);
    chosen = {.a = form::columns};
    test_case c = case_of<float>("pieces, " + std::to_string(count), exact);
    c.ttir = narrowed<step * pieces>.trace(aligned(3));
    c.inputs = {memory_of<float>(lying, step), memory_of<half>(t.b, tile)};
    c.extents = {count};
    run(c);
  }
}

TEST_CASE("a product that is stored in its loop") {
  const tiles t(4);
  std::vector<double> exact;
  for (int i = 0; i < 4; ++i) {
    std::vector<double> part = zeros();
    t.add(part, i, i);
    exact.insert(exact.end(), part.begin(), part.end());
  }
  run_tiles("stored", stored.trace(aligned(3)), t, exact, {4});
}

TEST_CASE("operands whose number is loaded in the loop") {
  const tiles t(5);
  const std::vector<std::int32_t> table = {3, 0, 4, 4, 1};
  std::vector<double> exact = zeros();
  for (std::int32_t number : table)
    t.add(exact, number, number);
  test_case c = case_of<float>("looked up", exact);
  c.ttir = looked_up.trace(aligned(4));
  c.inputs = {memory_of<half>(t.a, step), memory_of<half>(t.b, tile), bytes_of(table)};
  c.extents = {int(table.size())};
  run(c);
}

TEST_CASE("rows whose numbers are loaded in the loop, and mask its scores") {
  for (int count : {0, 1, 2, 5}) {
    check_gathered<16>(count);
    check_gathered<64>(count);
  }
}

TEST_CASE("a sum of products that is used in the loop") {
  const tiles t(4);
  std::vector<double> sum = zeros(), largest(tile, 0);
  for (int i = 0; i < 4; ++i) {
    for (double &value : sum)
      value *= 2;
    t.add(sum, i, i);
    for (int j = 0; j < tile * tile; ++j)
      largest[std::size_t(j / tile)] =
          std::max(largest[std::size_t(j / tile)], sum[std::size_t(j)]);
  }
  for (int j = 0; j < tile * tile; ++j)
    sum[std::size_t(j)] += largest[std::size_t(j / tile)];
  run_tiles("used", used.trace(aligned(3)), t, sum, {4});
}

TEST_CASE("a tile times itself, and another one times the same tile") {
  const tiles t(4);
  std::vector<double> exact = zeros(2);
  std::vector<double> square = zeros(), other = zeros();
  for (int i = 0; i < 4; ++i) {
    const std::vector<int> x = tiles::part(t.a, i);
    std::vector<int> transposed(x.size());
    for (int j = 0; j < tile * step; ++j)
      transposed[std::size_t(j % step * tile + j / step)] = x[std::size_t(j)];
    add_product(square, x, step, transposed, tile, step);
    t.add(other, i, i);
  }
  std::copy(square.begin(), square.end(), exact.begin());
  std::copy(other.begin(), other.end(), exact.begin() + tile * tile);
  run_tiles("shared load", shared_load.trace(aligned(3)), t, exact, {4});
}

TEST_CASE("pointers that a loop of products moves are right after it") {
  for (auto [count, rest] : {std::pair(0, 2), std::pair(1, 0), std::pair(3, 2), std::pair(4, 1)}) {
    const tiles t(8);
    std::vector<double> exact = zeros(2), sum = zeros();
    for (int i = 0; i < count; ++i)
      t.add(sum, i, i);
    for (int j = 0; j < tile * tile; ++j)
      exact[std::size_t(tile * tile + j)] = sum[std::size_t(j)] * 2 + count;
    for (int i = 0; i < rest; ++i)
      t.add(sum, count + i, count + i);
    std::copy(sum.begin(), sum.end(), exact.begin());
    run_tiles("moving, " + std::to_string(count) + " and " + std::to_string(rest),
              moving.trace(aligned(3)), t, exact, {count, rest});
  }
}

TEST_CASE("rows that wrap around at the end of a matrix") {
  const int depth = 3 * step;
  // 48 and 80 are multiples of 16, which makes wide loads; 50 is not.
  for (auto [start, rows] : {std::pair(32, 48), std::pair(64, 80), std::pair(40, 50)}) {
    const std::vector<int> a = small_numbers(std::size_t(rows * depth)),
                           b = small_numbers(std::size_t(depth * tile));
    std::vector<int> tile_a;
    for (int m = 0; m < tile; ++m)
      for (int k = 0; k < depth; ++k)
        tile_a.push_back(a[std::size_t((start + m) % rows * depth + k)]);
    std::vector<double> exact = zeros();
    add_product(exact, tile_a, depth, b, tile, depth);
    test_case c = case_of<float>("wrapped at " + std::to_string(rows), exact);
    aligned known(4); // the base, too
    if (rows % 16 == 0)
      known.facts.set(5, tl::impl::fact::divisible_by_16);
    c.ttir = wrapped.trace(known);
    c.inputs = {memory_of<half>(a, depth, form::columns), memory_of<half>(b, tile)};
    c.extents = {0, start, rows, depth};
    run(c);
  }
}

TEST_CASE("rows that wrap around below zero are an error on a GPU, and computed elsewhere") {
  constexpr int rows = 64, depth = step;
  const std::vector<half> a(std::size_t(2 * rows * depth), half(1.0f)), b(depth * tile, half(1.0f));
  for (tl::device dev : tl::testing::devices()) {
    const bool is_gpu = numeric::is_gpu(dev.name());
    tl::buffer<half> x(dev, a), y(dev, b);
    tl::testing::guarded_buffer<float> out(dev, tile * tile);
    bool thrown = false;
    try {
      wrapped[numeric::grid(1)](x, y, out, rows, -rows, rows, depth);
      tl::stream::default_of(dev).synchronize();
    } catch (const tl::runtime_error &error) {
      thrown = true;
      CHECK(std::string(error.what()).find("wrap around below zero") != std::string::npos);
    }
    CHECK(thrown == is_gpu);
    if (!is_gpu)
      CHECK(tl::testing::allclose(out, std::vector<double>(tile * tile, depth)));
  }
}
