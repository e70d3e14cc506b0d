// SPDX-License-Identifier: MIT
//
// Products in loops whose operands are blocks of described tensors, which GPUs bring ahead of time
// (TMA), and chains of two products, in which groups of warps take turns. They are exact: see
// products.hpp.

#include "products.hpp"

using namespace numeric;

namespace {

using half = tl::float16;

/// Descriptors' rows begin at multiples of 16 bytes.
int pitch_of(int columns) { return (columns + 15) / 16 * 16; }

template <int BR, int BC> auto places(int pitch) {
  return tl::arange<BR>()(tl::all, tl::newaxis) * pitch + tl::arange<BC>()(tl::newaxis, tl::all);
}

// ---- Tiles of a matrix product

/// Tiles of `rows` x `columns`, several a program; each has its own number of iterations.
template <class T, class C, int BM, int BN, int BK>
constexpr auto tiles_of_product =
    tl::kernel{"tiles_of_product",
               [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<const std::int32_t> depths,
                  tl::ptr<C> out, tl::i32 rows, tl::i32 columns, tl::i32 depth, tl::i32 pitch_a,
                  tl::i32 pitch_b, tl::i32 tiles) {
                 const settings s = chosen;
                 const bool transposed = s.b == form::transposed;
                 auto da = tl::make_tensor_descriptor<BM, BK>(a, {rows, depth},
                                                              {tl::cast<std::int64_t>(pitch_a), 1});
                 auto db = tl::make_tensor_descriptor<BK, BN>(b, {depth, columns},
                                                              {tl::cast<std::int64_t>(pitch_b), 1});
                 auto dc = tl::make_tensor_descriptor<BM, BN>(out, {tiles * rows, columns},
                                                              {tl::cast<std::int64_t>(columns), 1});
                 auto dt = tl::make_tensor_descriptor<BN, BK>(b, {columns, depth},
                                                              {tl::cast<std::int64_t>(pitch_b), 1});
                 for (auto t : tl::range(tl::program_id(0), tiles, tl::num_programs(0),
                                         {.disallow_acc_multi_buffer = s.flattened,
                                          .flatten = s.flattened,
                                          .warp_specialize = s.specialized})) {
                   auto end = tl::load(depths + t);
                   tl::tensor acc = tl::zeros<C, BM, BN>();
                   const auto add = [&](const auto &from, const auto &to) {
                     for (auto k : tl::range(from, to, BK, {.num_stages = s.stages})) {
                       auto x = da.load({0, k});
                       tl::tensor y = tl::zeros<T, BK, BN>();
                       if (transposed)
                         y = tl::trans(dt.load({0, k}));
                       else
                         y = db.load({k, 0});
                       acc = product(x, y, acc);
                     }
                   };
                   if (s.in_two_loops) {
                     tl::tensor middle = end / (3 * BK) * BK;
                     add(0, middle);
                     add(middle, end);
                   } else {
                     add(0, end);
                   }
                   if (s.stores_blocks) {
                     dc.store({t * rows, 0}, acc);
                   } else {
                     auto m = tl::arange<BM>()(tl::all, tl::newaxis);
                     auto n = tl::arange<BN>()(tl::newaxis, tl::all);
                     tl::store(out + (t * rows + m) * columns + n, acc, (m < rows) & (n < columns));
                   }
                 }
               }};

/// A matrix whose rows are `pitch` apart.
std::vector<int> spread(const std::vector<int> &matrix, int columns, int pitch) {
  std::vector<int> wide(matrix.size() / std::size_t(columns) * std::size_t(pitch), 0);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    wide[i / std::size_t(columns) * std::size_t(pitch) + i % std::size_t(columns)] = matrix[i];
  return wide;
}

/// Tiles of 0 to `most` iterations, of a matrix whose extents end within blocks.
template <class T, int BM, int BN, int BK>
void check_tiles(form b_form, int stages, int most, int programs, int missing,
                 bool specialized = false, bool stores_blocks = false, bool flattened = false,
                 bool in_two_loops = false) {
  using C = sum_of<T>;
  const int rows = BM - missing, columns = BN - missing, depth = most * BK - missing;
  chosen = settings{.b = b_form,
                    .stages = stages,
                    .specialized = specialized,
                    .flattened = flattened,
                    .stores_blocks = stores_blocks,
                    .in_two_loops = in_two_loops};
  const std::vector<int> a = small_numbers(std::size_t(rows * depth)),
                         b = small_numbers(std::size_t(depth * columns));
  std::vector<std::int32_t> depths;
  std::vector<double> exact;
  for (int count = 0; count <= most; ++count) {
    depths.push_back(count * BK);
    std::vector<double> part(std::size_t(rows * columns), 0);
    add_product(part, a, depth, b, columns, std::min(count * BK, depth));
    exact.insert(exact.end(), part.begin(), part.end());
  }
  std::vector<int> lying = b;
  if (b_form == form::transposed)
    for (int k = 0; k < depth; ++k)
      for (int n = 0; n < columns; ++n)
        lying[std::size_t(n * depth + k)] = b[std::size_t(k * columns + n)];
  const int columns_b = b_form == form::transposed ? depth : columns;
  const int pitch_a = pitch_of(depth), pitch_b = pitch_of(columns_b);
  test_case c = case_of<C>(
      std::string("described products ") + info_of<T>().name + ' ' + std::to_string(BM) + 'x' +
          std::to_string(BN) + 'x' + std::to_string(BK) + ", " + std::to_string(stages) +
          " stages, form " + std::to_string(int(b_form)) + ", " + std::to_string(programs) +
          " programs" + (specialized ? ", producers" : "") + (flattened ? ", flattened" : "") +
          (stores_blocks ? ", blocks" : "") + (in_two_loops ? ", two loops" : ""),
      exact);
  aligned facts(4);
  for (std::size_t slot : {7, 8}) // the pitches
    facts.facts.set(slot, tl::impl::fact::divisible_by_16);
  if (stores_blocks)
    facts.facts.set(5, tl::impl::fact::divisible_by_16); // the columns
  c.ttir = tiles_of_product<T, C, BM, BN, BK>.trace(facts);
  c.programs = programs;
  c.inputs = {memory_of<T>(spread(a, depth, pitch_a), pitch_a),
              memory_of<T>(spread(lying, columns_b, pitch_b), pitch_b), bytes_of(depths)};
  c.extents = {rows, columns, depth, pitch_a, pitch_b, most + 1};
  run(c);
}

/// Tiles to which those before them are added, and how many there were; blocks of A come from
/// number `places[t]` on. A row of the result has 64 columns.
constexpr auto running_tiles = tl::kernel{
    "running_tiles", [](tl::ptr<const half> a, tl::ptr<const half> b,
                        tl::ptr<const std::int32_t> depths, tl::ptr<const std::int32_t> places,
                        tl::ptr<float> out, tl::i32 depth, tl::i32 rows, tl::i32 tiles) {
      auto da =
          tl::make_tensor_descriptor<64, 32>(a, {64, depth}, {tl::cast<std::int64_t>(depth), 1});
      auto db = tl::make_tensor_descriptor<32, 64>(b, {depth, 64}, {64, 1});
      auto m = tl::arange<64>()(tl::all, tl::newaxis);
      auto n = tl::arange<64>()(tl::newaxis, tl::all);
      tl::tensor acc = tl::zeros<float, 64, 64>();
      tl::i32 before = 0;
      for (auto t : tl::range(tl::program_id(0), tiles, tl::num_programs(0), {.flatten = true})) {
        auto end = tl::load(depths + t);
        auto place = tl::load(places + t) * 32;
        for (auto k : tl::range(0, end, 32))
          acc = tl::dot(da.load({0, place + k}), db.load({k, 0}), acc);
        tl::store(out + (t * rows + m) * 64 + n, acc + tl::cast<float>(before), m < rows);
        before += 1;
      }
    }};

/// `tiles` of 0 to 9 iterations each, in an order without a pattern.
void check_running(int tiles, int programs) {
  constexpr int depth = 18 * 32, rows = 61;
  const std::vector<int> a = small_numbers(64 * depth), b = small_numbers(depth * 64);
  std::vector<std::int32_t> depths, places;
  for (int t = 0; t < tiles; ++t) {
    depths.push_back((t * 7 + 3) % 10 * 32);
    places.push_back(t * 5 % 9);
  }
  std::vector<double> exact(std::size_t(tiles * rows * 64));
  for (int first = 0; first < programs; ++first) {
    std::vector<double> sum(rows * 64, 0);
    for (int t = first, before = 0; t < tiles; t += programs, ++before) {
      const std::vector<int> from(a.begin() + 32 * places[std::size_t(t)], a.end());
      add_product(sum, from, depth, b, 64, depths[std::size_t(t)]);
      for (std::size_t i = 0; i < sum.size(); ++i)
        exact[std::size_t(t) * sum.size() + i] = sum[i] + before;
    }
  }
  test_case c = case_of<float>("running " + std::to_string(tiles) + " tiles, " +
                                   std::to_string(programs) + " programs",
                               exact);
  aligned facts(5);
  facts.facts.set(5, tl::impl::fact::divisible_by_16);
  c.ttir = running_tiles.trace(facts);
  c.programs = programs;
  c.inputs = {memory_of<half>(a, depth), memory_of<half>(b, 64), bytes_of(depths),
              bytes_of(places)};
  c.extents = {depth, rows, tiles};
  run(c);
}

// ---- Programs of several blocks of threads

/// Tiles of `BM` rows, one a program, with the largest element of each row, if it is above the
/// row's number; `depth` elements of k are used of `pitch_a`.
template <class T, int BM, int BN, int BK>
constexpr auto rows_of_product = tl::kernel{
    "rows_of_product", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<float> out, tl::i32 rows,
                          tl::i32 columns, tl::i32 depth, tl::i32 pitch_a, tl::i32 pitch_b) {
      const settings s = chosen;
      auto da = tl::make_tensor_descriptor<BM, BK>(a, {rows, depth},
                                                   {tl::cast<std::int64_t>(pitch_a), 1});
      auto db = tl::make_tensor_descriptor<BK, BN>(b, {depth, columns},
                                                   {tl::cast<std::int64_t>(pitch_b), 1});
      auto dt = tl::make_tensor_descriptor<BN, BK>(b, {columns, depth},
                                                   {tl::cast<std::int64_t>(pitch_b), 1});
      auto first = tl::program_id(0) * BM;
      tl::tensor acc = tl::zeros<float, BM, BN>();
      for (auto k :
           tl::range(0, depth, BK, {.num_stages = s.stages, .warp_specialize = s.specialized})) {
        tl::tensor y = tl::zeros<T, BK, BN>();
        if (s.b == form::transposed)
          y = tl::trans(dt.load({0, k}));
        else
          y = db.load({k, 0});
        acc = product(da.load({first, k}), y, acc);
      }
      auto m = first + tl::arange<BM>();
      auto n = tl::arange<BN>();
      auto most = tl::maximum(tl::max<1>(acc), tl::cast<float>(m));
      acc = acc + most(tl::all, tl::newaxis);
      tl::store(out + m(tl::all, tl::newaxis) * columns + n(tl::newaxis, tl::all), acc,
                (m(tl::all, tl::newaxis) < rows) & (n(tl::newaxis, tl::all) < columns));
    }};

/// `count` iterations, tiles for `programs` programs of `blocks` blocks, of which the last is whole
/// or not. The columns end with a tile.
template <class T, int BM, int BN, int BK>
void check_blocks(form b_form, int stages, int count, int programs, int blocks, int missing,
                  bool specialized = false) {
  const int rows = programs * BM - missing, depth = std::max(count * BK - missing % BK, 0),
            pitch = pitch_of(std::max(depth, 16));
  chosen = settings{.b = b_form, .stages = stages, .specialized = specialized};
  const std::vector<int> a = small_numbers(std::size_t(rows * pitch)),
                         b = small_numbers(std::size_t(pitch * BN));
  std::vector<double> exact(std::size_t(rows * BN), 0);
  add_product(exact, a, pitch, b, BN, depth);
  for (int row = 0; row < rows; ++row) {
    const auto begin = exact.begin() + row * BN;
    const double most = std::max(*std::max_element(begin, begin + BN), double(row));
    std::for_each(begin, begin + BN, [&](double &value) { value += most; });
  }
  const bool transposed = b_form == form::transposed;
  test_case c = case_of<float>(
      std::string("products of ") + std::to_string(blocks) + " blocks " + info_of<T>().name + ' ' +
          std::to_string(BM) + 'x' + std::to_string(BN) + 'x' + std::to_string(BK) + ", " +
          std::to_string(count) + " iterations, " + std::to_string(stages) + " stages, " +
          std::to_string(programs) + " programs" + (transposed ? ", transposed" : "") +
          (specialized ? ", producers" : ""),
      exact);
  aligned facts(3);
  for (std::size_t slot : {4, 6, 7}) // the columns and the pitches
    facts.facts.set(slot, tl::impl::fact::divisible_by_16);
  c.ttir = rows_of_product<T, BM, BN, BK>.trace(facts);
  c.programs = programs;
  c.inputs = {memory_of<T>(a, pitch), memory_of<T>(b, BN, transposed ? form::columns : form::rows)};
  c.extents = {rows, BN, depth, pitch, transposed ? pitch : BN};
  run_in_blocks(c, blocks);
}

/// Tiles of rows, several a program, each stored as a block that begins at a multiple of its rows.
template <class T, class C, int BM, int BN, int BK>
constexpr auto tiles_of_rows = tl::kernel{
    "tiles_of_rows", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<C> out, tl::i32 rows,
                        tl::i32 columns, tl::i32 depth, tl::i32 pitch) {
      const settings s = chosen;
      auto da =
          tl::make_tensor_descriptor<BM, BK>(a, {rows, depth}, {tl::cast<std::int64_t>(pitch), 1});
      auto db = tl::make_tensor_descriptor<BN, BK>(b, {columns, depth},
                                                   {tl::cast<std::int64_t>(pitch), 1});
      auto dc = tl::make_tensor_descriptor<BM, BN>(out, {rows, columns},
                                                   {tl::cast<std::int64_t>(columns), 1});
      for (auto t : tl::range(tl::program_id(0), tl::cdiv(rows, BM), tl::num_programs(0),
                              {.flatten = s.flattened, .warp_specialize = s.specialized})) {
        tl::tensor acc = tl::zeros<C, BM, BN>();
        for (auto k : tl::range(0, depth, BK, {.num_stages = s.stages}))
          acc = product(da.load({t * BM, k}), tl::trans(db.load({0, k})), acc);
        dc.store({t * BM, 0}, acc);
      }
    }};

/// `count` iterations for each of `tiles` tiles, of which the last is whole or not.
template <class T, int BM, int BN, int BK>
void check_rows(int count, int tiles, int programs, int blocks, int missing, settings how) {
  using C = sum_of<T>;
  const int rows = tiles * BM - missing, depth = count * BK, pitch = pitch_of(std::max(depth, 16));
  chosen = how;
  const std::vector<int> a = small_numbers(std::size_t(rows * pitch)),
                         b = small_numbers(std::size_t(pitch * BN));
  std::vector<double> exact(std::size_t(rows * BN), 0);
  add_product(exact, a, pitch, b, BN, depth);
  test_case c = case_of<C>(
      std::string("tiles of ") + std::to_string(blocks) + " blocks " + info_of<T>().name + ' ' +
          std::to_string(BM) + 'x' + std::to_string(BN) + 'x' + std::to_string(BK) + ", " +
          std::to_string(count) + " iterations, " + std::to_string(how.stages) + " stages, " +
          std::to_string(tiles) + " tiles, " + std::to_string(programs) + " programs" +
          (how.specialized ? ", producers" : "") + (how.flattened ? ", flattened" : ""),
      exact);
  aligned facts(3);
  for (std::size_t slot : {4, 6}) // the columns and the pitch
    facts.facts.set(slot, tl::impl::fact::divisible_by_16);
  c.ttir = tiles_of_rows<T, C, BM, BN, BK>.trace(facts);
  c.programs = programs;
  c.inputs = {memory_of<T>(a, pitch), memory_of<T>(b, BN, form::columns)};
  c.extents = {rows, BN, depth, pitch};
  run_in_blocks(c, blocks);
}

// ---- Chains of two products

/// sum (Q K_i^T) V_i, as attention has it, where the sum may change its sign in each iteration;
/// `again` goes on over the blocks from the first one, in a loop of its own. `branching` has a
/// branch that takes away 1 from each score in odd iterations, and `counting` writes the number
/// of iterations so far to memory.
struct chain_form {
  bool described, changing = false, again = false, branching = false, counting = false;
};

template <int BM, int BN, int D, chain_form form>
constexpr auto chain =
    tl::kernel{"chain", [](tl::ptr<const half> q, tl::ptr<const half> k, tl::ptr<const half> v,
                           tl::ptr<const std::int32_t> counts, tl::ptr<float> out, tl::i32 rows) {
                 auto p = tl::program_id(0);
                 auto count = tl::load(counts + p);
                 auto counter = out + tl::num_programs(0) * (BM * D) + p;
                 auto dk = tl::make_tensor_descriptor<BN, D>(k, {rows, D}, {D, 1});
                 auto dv = tl::make_tensor_descriptor<BN, D>(v, {rows, D}, {D, 1});
                 auto x = tl::load(q + places<BM, D>(D));
                 tl::tensor acc = tl::zeros<float, BM, D>();
                 if constexpr (form.counting)
                   tl::store(counter, 0.0f);
                 auto add = [&](const auto &i) {
                   tl::tensor y = tl::zeros<half, BN, D>(), z = tl::zeros<half, BN, D>();
                   if constexpr (form.described) {
                     y = dk.load({i * BN, 0});
                     z = dv.load({i * BN, 0});
                   } else {
                     y = tl::load(k + i * (BN * D) + places<BN, D>(D));
                     z = tl::load(v + i * (BN * D) + places<BN, D>(D));
                   }
                   tl::tensor scores = tl::dot(x, tl::trans(y));
                   if constexpr (form.branching)
                     tl::if_(i % 2 == 1, [&] { scores = scores - 1.0f; });
                   if constexpr (form.counting)
                     tl::store(counter, tl::cast<float>(i + 1));
                   if constexpr (form.changing)
                     acc = acc * tl::cast<float>(1 - 2 * (i & 1));
                   acc = tl::dot(tl::cast<half>(scores), z, acc);
                 };
                 for (auto i : tl::range(0, count))
                   add(i);
                 if constexpr (form.again)
                   for (auto i : tl::range(0, count))
                     add(i);
                 tl::store(out + p * (BM * D) + places<BM, D>(D), acc);
               }};

/// Programs of each number of iterations, several times.
template <int BM, int BN, int D, chain_form form> void check_chain(int most, int repeats) {
  const std::vector<int> q = small_numbers(BM * D), k = small_numbers(std::size_t(most * BN * D)),
                         v = small_numbers(std::size_t(most * BN * D));
  std::vector<std::int32_t> counts;
  std::vector<double> exact, zero(std::size_t(BM * D), 0);
  std::vector<std::vector<double>> sums = {zero};
  auto add_block = [&](std::vector<double> &sum, int i) {
    std::vector<int> columns(std::size_t(D * BN)); // K_i^T
    for (int n = 0; n < BN; ++n)
      for (int d = 0; d < D; ++d)
        columns[std::size_t(d * BN + n)] = k[std::size_t((i * BN + n) * D + d)];
    std::vector<double> scores(std::size_t(BM * BN), 0);
    add_product(scores, q, D, columns, BN, D);
    if (form.branching && i % 2)
      for (double &score : scores)
        score -= 1;
    const auto size = std::ptrdiff_t(BN * D);
    if (form.changing && i % 2)
      for (double &value : sum)
        value = -value;
    add_product(sum, {scores.begin(), scores.end()}, BN,
                {v.begin() + i * size, v.begin() + (i + 1) * size}, D, BN);
  };
  for (int count = 1; count <= most; ++count) {
    std::vector<double> sum = zero;
    for (int turn = 0; turn <= int(form.again); ++turn)
      for (int i = 0; i < count; ++i)
        add_block(sum, i);
    sums.push_back(sum);
  }
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (int count = 0; count <= most; ++count) {
      counts.push_back(count);
      exact.insert(exact.end(), sums[std::size_t(count)].begin(), sums[std::size_t(count)].end());
    }
  if (form.counting)
    for (std::int32_t count : counts)
      exact.push_back(count);
  test_case c = case_of<float>(
      "chain " + std::to_string(BM) + 'x' + std::to_string(BN) + 'x' + std::to_string(D) +
          (form.described ? ", described" : "") + (form.changing ? ", changing" : "") +
          (form.again ? ", again" : "") + (form.branching ? ", branching" : "") +
          (form.counting ? ", counting" : ""),
      exact);
  c.ttir = chain<BM, BN, D, form>.trace(aligned(5));
  c.programs = int(counts.size());
  c.inputs = {memory_of<half>(q, D), memory_of<half>(k, D), memory_of<half>(v, D),
              bytes_of(counts)};
  c.extents = {most * BN};
  run(c);
}

} // namespace

TEST_CASE("products of described blocks are exact for every number of iterations and stages") {
  for (int stages : {1, 2, 3, 4, 5})
    check_tiles<half, 64, 64, 32>(form::rows, stages, 9, 10, 0);
  check_tiles<half, 64, 64, 64>(form::transposed, 3, 4, 5, 0);
  check_tiles<half, 128, 128, 64>(form::rows, 3, 3, 4, 0);
  check_tiles<half, 128, 64, 16>(form::transposed, 4, 5, 6, 0);
  check_tiles<half, 64, 16, 128>(form::rows, 2, 3, 4, 0);
}

TEST_CASE("products of described blocks of 8 and of 32 bits are exact") {
  for (int stages : {1, 2, 3, 4}) {
    check_tiles<float, 64, 64, 32>(form::rows, stages, 5, 6, 0);
    check_tiles<tl::float8e4nv, 64, 64, 64>(form::transposed, stages, 5, 6, 0);
  }
  check_tiles<float, 128, 128, 32>(form::rows, 3, 3, 4, 0);
  check_tiles<float, 128, 64, 16>(form::rows, 4, 3, 4, 0);
  check_tiles<float, 64, 128, 64>(form::transposed, 3, 3, 4, 0);
  check_tiles<float, 64, 16, 32>(form::rows, 3, 3, 4, 0);
  check_tiles<tl::float8e5, 128, 64, 128>(form::transposed, 3, 3, 4, 0);
  check_tiles<tl::float8e5, 64, 64, 64>(form::rows, 3, 3, 4, 0);
}

TEST_CASE("described blocks end where their tensors do") {
  check_tiles<half, 64, 64, 32>(form::rows, 3, 4, 5, 5);
  check_tiles<tl::bfloat16, 128, 64, 64>(form::transposed, 2, 3, 4, 7);
  check_tiles<std::int8_t, 64, 64, 64>(form::transposed, 3, 3, 4, 0);
  check_tiles<float, 64, 128, 32>(form::rows, 3, 3, 4, 3);
}

TEST_CASE("a loop over described blocks in a loop over tiles, for each number of programs") {
  for (int programs : {1, 2, 4})
    check_tiles<half, 64, 64, 32>(form::rows, 3, 5, programs, 0);
}

TEST_CASE("producer warps bring the blocks of every iteration and tile") {
  for (int stages : {2, 3, 4})
    for (int programs : {1, 4, 6})
      check_tiles<half, 64, 64, 32>(form::rows, stages, 9, programs, 0, true);
  check_tiles<half, 128, 128, 64>(form::transposed, 3, 5, 2, 0, true);
}

TEST_CASE("loops over tiles and blocks that are flattened run as often as others") {
  for (int most = 1; most <= 9; ++most)
    check_tiles<half, 64, 64, 32>(form::rows, 3, most, 1, most % 2 ? 0 : 5, most % 3 == 0, most % 2,
                                  true);
  for (int stages : {1, 2, 4})
    for (int programs : {2, 3, 12})
      check_tiles<half, 64, 64, 32>(form::rows, stages, 9, programs, 5, false, false, true);
  check_tiles<half, 128, 128, 64>(form::transposed, 3, 5, 2, 0, false, true, true);
  check_tiles<float, 128, 128, 32>(form::rows, 3, 4, 2, 0, true, false, true);
  check_tiles<tl::float8e5, 128, 64, 128>(form::transposed, 3, 5, 2, 0, false, false, true);
}

TEST_CASE("loops over described blocks that come one after the other run as often as others") {
  for (bool flattened : {false, true}) {
    for (int stages : {1, 2, 3, 4})
      check_tiles<half, 64, 64, 32>(form::rows, stages, 12, stages, 0, stages == 3, stages == 4,
                                    flattened, true);
    check_tiles<half, 128, 128, 64>(form::transposed, 3, 9, 2, 0, true, true, flattened, true);
    check_tiles<tl::float8e5, 128, 64, 128>(form::transposed, 4, 7, 1, 0, false, false, flattened,
                                            true);
  }
}

TEST_CASE("flattened loops carry what they carried") {
  for (int tiles : {1, 2, 3, 4, 5, 6, 7, 8, 9, 20})
    check_running(tiles, 1);
  for (int programs : {2, 3, 7, 25})
    check_running(20, programs);
}

TEST_CASE("results of a loop over tiles are stored as described blocks") {
  for (bool specialized : {false, true})
    for (int programs : {1, 4}) {
      check_tiles<half, 64, 64, 32>(form::rows, 3, 6, programs, 0, specialized, true);
      check_tiles<half, 128, 128, 64>(form::transposed, 3, 4, programs, 0, specialized, true);
    }
  check_tiles<std::int8_t, 64, 64, 64>(form::transposed, 2, 4, 2, 0, false, true);
  if (numeric::num_warps() == 1)
    return; // pointers to what follows take all registers of a thread, and more
  // Blocks of 128 KiB, which pass through shared memory in parts.
  for (bool specialized : {false, true})
    check_tiles<std::int8_t, 128, 256, 64>(form::transposed, 3, 4, 2, 0, specialized, true);
  check_tiles<float, 256, 128, 32>(form::rows, 2, 3, 1, 0, false, true);
}

TEST_CASE("blocks of a cluster divide the rows of a product") {
  for (int count = 0; count <= 9; ++count)
    check_blocks<half, 128, 64, 32>(form::rows, 3, count, 3, 2, count % 2 ? 0 : 37);
  for (int stages : {1, 2, 4})
    for (bool specialized : {false, true})
      check_blocks<half, 256, 128, 64>(form::rows, stages, 7, 2, 2, 70, specialized);
  check_blocks<half, 256, 256, 64>(form::rows, 3, 5, 9, 2, 1, true);
  check_blocks<half, 256, 256, 64>(form::transposed, 3, 5, 2, 2, 0, true);
  check_blocks<half, 256, 64, 32>(form::transposed, 3, 6, 5, 4, 100);
  check_blocks<tl::float8e5, 128, 128, 128>(form::transposed, 3, 4, 2, 2, 0);
  check_blocks<half, 128, 64, 16>(form::rows, 3, 3, 40, 2, 5);
  check_blocks<half, 64, 64, 32>(form::rows, 3, 3, 2, 2, 0); // one block has enough rows
}

TEST_CASE("blocks of a cluster divide the rows of all tiles of a loop") {
  for (bool specialized : {false, true})
    for (int count : {0, 1, 2, 7})
      check_rows<half, 128, 64, 32>(count, 5, 2, 2, count * 9,
                                    {.stages = 3, .specialized = specialized});
  for (int programs : {1, 3, 8})
    check_rows<half, 128, 64, 32>(4, 7, programs, 2, 1, {.stages = 3, .flattened = true});
  check_rows<half, 256, 256, 64>(3, 3, 1, 2, 100, {.stages = 4, .flattened = true});
  check_rows<half, 256, 64, 64>(3, 4, 3, 4, 0, {.stages = 2, .specialized = true});
  check_rows<std::int8_t, 256, 256, 64>(3, 3, 2, 2, 30, {.stages = 3, .flattened = true});
}

TEST_CASE("groups of warps compute every chain of products once") {
  constexpr chain_form pointers{.described = false}, described{.described = true},
      changing{.described = true, .changing = true},
      again{.described = true, .changing = true, .again = true};
  check_chain<128, 128, 64, pointers>(4, 2);
  check_chain<128, 128, 64, described>(4, 2);
  check_chain<64, 64, 64, described>(5, 1);
  check_chain<128, 64, 128, described>(3, 1);
  check_chain<128, 128, 64, changing>(7, 2);
  check_chain<128, 64, 128, changing>(7, 1);
  check_chain<128, 128, 128, again>(5, 1);
  check_chain<128, 128, 128, chain_form{.described = true, .branching = true}>(5, 1);
  check_chain<128, 64, 64, chain_form{.described = true, .branching = true}>(5, 1);
  check_chain<128, 128, 128, chain_form{.described = true, .again = true, .counting = true}>(4, 1);
  check_chain<64, 64, 64, chain_form{.described = true, .counting = true}>(4, 1);
}
