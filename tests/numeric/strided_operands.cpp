// SPDX-License-Identifier: MIT
//
// Operands of products that loops load by strided pointers, which TMA brings on GPUs that have it:
// at every edge of a tensor, in batches, transposed, carried by the loop or not, and what has to
// stay with pointers. They are exact: see products.hpp.

#include "products.hpp"

using namespace numeric;

namespace {

using half = tl::float16;
constexpr int tile = 64, step = 32;

template <class X> auto down(const X &x) { return x(tl::all, tl::newaxis); }
template <class X> auto across(const X &x) { return x(tl::newaxis, tl::all); }

/// Heads of A [head][M][pitch] times heads of B [head][K][tile]; programs are (head, block of
/// rows). `A` and `B` lie row by row, or column by column.
template <class T, form B>
constexpr auto batched = tl::kernel{
    "batched", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<sum_of<T>> out, tl::i32 M,
                  tl::i32 K, tl::i32 pitch, tl::i32 b_pitch) {
      auto head = tl::cast<std::int64_t>(tl::program_id(0) / 2);
      auto rows = tl::program_id(0) % 2 * tile + tl::arange<tile>();
      auto columns = tl::arange<tile>();
      tl::tensor acc = tl::zeros<sum_of<T>, tile, tile>();
      auto a_head = a + head * M * pitch;
      for (auto k : tl::range(0, K, step)) {
        auto ks = k + tl::arange<step>();
        auto x = tl::load(a_head + down(rows) * pitch + across(ks),
                          (down(rows) < M) & (across(ks) < K), 0);
        if constexpr (B == form::columns)
          acc = product(x,
                        tl::load(b + head * tile * b_pitch + (down(ks) + across(columns) * b_pitch),
                                 down(ks) < K, 0),
                        acc);
        else
          acc = product(
              x,
              tl::load(b + head * K * tile + (down(ks) * tile + across(columns)), down(ks) < K, 0),
              acc);
      }
      tl::store(out + (tl::program_id(0) / 2 * M + down(rows)) * tile + across(columns), acc,
                down(rows) < M);
    }};

/// Pointers that the loop carries; masks that count what is left, or none.
template <bool Masked>
constexpr auto carried =
    tl::kernel{"carried", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out,
                             tl::i32 tiles, tl::i32 K, tl::i32 pitch) {
                 auto p = tl::program_id(0);
                 // Grouped as a matrix product does it: signs follow from the number of tiles.
                 auto m = p / tiles * tiles + p % tiles;
                 auto rows = m * tile + tl::arange<tile>();
                 auto ks = tl::arange<step>();
                 tl::tensor pa = a + down(rows) * pitch + across(ks);
                 tl::tensor pb = b + down(ks) * tile + across(tl::arange<tile>());
                 tl::tensor acc = tl::zeros<float, tile, tile>();
                 for (auto k : tl::range(0, K, step)) {
                   if constexpr (Masked)
                     acc = tl::dot(tl::load(pa, across(ks) < K - k, 0.0f),
                                   tl::load(pb, down(ks) < K - k, 0.0f), acc);
                   else
                     acc = tl::dot(tl::load(pa), tl::load(pb), acc);
                   pa += step;
                   pb += step * tile;
                 }
                 tl::store(out + down(rows) * tile + across(tl::arange<tile>()), acc);
               }};

/// Rows from `base + start - shift` on, of which some may be less than zero. Sides: 1 masks those
/// below the matrix, 2 those above it, 3 both.
template <int Sides>
constexpr auto shifted =
    tl::kernel{"shifted", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out,
                             tl::i32 base, tl::i32 shift, tl::i32 rows, tl::i32 depth) {
                 auto m = tl::program_id(0) * tile - shift + tl::arange<tile>();
                 tl::tensor acc = tl::zeros<float, tile, tile>();
                 for (auto k : tl::range(0, depth, step)) {
                   auto ks = k + tl::arange<step>();
                   auto from = a + base * depth + down(m) * depth + across(ks);
                   tl::tensor x = tl::zeros<half, tile, step>();
                   if constexpr (Sides == 3)
                     x = tl::load(from, (down(m) >= 0) & (down(m) < rows), 0.0f);
                   else if constexpr (Sides == 2)
                     x = tl::load(from, down(m) < rows, 0.0f);
                   else
                     x = tl::load(from, down(m) >= 0, 0.0f);
                   auto y = tl::load(b + down(ks) * tile + across(tl::arange<tile>()));
                   acc = tl::dot(x, y, acc);
                 }
                 tl::store(out + tl::program_id(0) * (tile * tile) +
                               down(tl::arange<tile>()) * tile + across(tl::arange<tile>()),
                           acc);
               }};

/// Rows from `last` elements on, `pitch` elements apart, of which the first `valid` columns exist.
constexpr auto placed =
    tl::kernel{"placed", [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out,
                            tl::i32 last, tl::i32 K, tl::i32 pitch, tl::i32 valid) {
                 auto rows = tl::arange<tile>();
                 tl::tensor acc = tl::zeros<float, tile, tile>();
                 for (auto k : tl::range(0, K, step)) {
                   auto ks = k + tl::arange<step>();
                   acc = tl::dot(tl::load(a + last + (down(rows) * pitch + across(ks)),
                                          across(ks) < valid, 0.0f),
                                 tl::load(b + (down(ks) * tile + across(rows))), acc);
                 }
                 tl::store(out + down(rows) * tile + across(rows), acc);
               }};

/// Weights of N rows at a time by a first product, which a second one multiplies with the same
/// rows.
template <int M, int N, int K, int Stages>
constexpr auto weighted =
    tl::kernel{"weighted",
               [](tl::ptr<const half> a, tl::ptr<const half> b, tl::ptr<float> out, tl::i32 count) {
                 auto rows = down(tl::arange<M>());
                 auto columns = across(tl::arange<K>());
                 tl::tensor q = tl::load(a + (rows * K + columns));
                 tl::tensor acc = tl::zeros<float, M, K>();
                 for (auto n : tl::range(0, count, N, {.num_stages = Stages})) {
                   auto k = tl::load(b + (down(n + tl::arange<N>()) * K + columns));
                   auto scores = tl::dot(q, tl::trans(k), tl::zeros<float, M, N>());
                   auto weights = tl::where(scores > 1.0f, 1.0f, 0.0f);
                   acc = tl::dot(tl::cast<half>(weights), k, acc);
                 }
                 tl::store(out + (rows * K + columns), acc);
               }};

template <int M, int N, int K, int Stages> void check_weighted(int iterations) {
  const int count = iterations * N;
  const std::vector<int> a = small_numbers(std::size_t(M * K)),
                         b = small_numbers(std::size_t(std::max(count, 1) * K));
  std::vector<double> exact(std::size_t(M * K), 0);
  for (int row = 0; row < M; ++row)
    for (int n = 0; n < count; ++n) {
      int score = 0;
      for (int k = 0; k < K; ++k)
        score += a[std::size_t(row * K + k)] * b[std::size_t(n * K + k)];
      for (int k = 0; score > 1 && k < K; ++k)
        exact[std::size_t(row * K + k)] += b[std::size_t(n * K + k)];
    }
  test_case c = case_of<float>("weighted " + std::to_string(M) + 'x' + std::to_string(N) + 'x' +
                                   std::to_string(K) + ", stages " + std::to_string(Stages) + ", " +
                                   std::to_string(iterations),
                               exact);
  c.ttir = weighted<M, N, K, Stages>.trace(aligned(3));
  c.inputs = {memory_of<half>(a, K), memory_of<half>(b, K)};
  c.extents = {count};
  run(c);
}

template <class T> void check_batched(int heads, int M, int K, bool columns) {
  const int pitch = (K + 15) / 16 * 16, blocks = 2;
  const std::vector<int> a = small_numbers(std::size_t(heads * M * pitch)),
                         b = small_numbers(std::size_t(heads * K * tile));
  std::vector<double> exact;
  std::vector<unsigned char> b_memory;
  for (int head = 0; head < heads; ++head) {
    const std::vector<int> x(a.begin() + head * M * pitch, a.begin() + (head + 1) * M * pitch),
        y(b.begin() + head * K * tile, b.begin() + (head + 1) * K * tile);
    std::vector<double> part(std::size_t(M * tile), 0);
    add_product(part, x, pitch, y, tile, K);
    exact.insert(exact.end(), part.begin(), part.end());
    // Column by column with a pitch, what lies between is anything.
    std::vector<int> padded = small_numbers(std::size_t(tile * pitch));
    for (int i = 0; columns && i < K * tile; ++i)
      padded[std::size_t(i % tile * pitch + i / tile)] = y[std::size_t(i)];
    const std::vector<unsigned char> bytes =
        columns ? memory_of<T>(padded, pitch) : memory_of<T>(y, tile);
    b_memory.insert(b_memory.end(), bytes.begin(), bytes.end());
  }
  test_case c =
      case_of<sum_of<T>>(std::string("batched ") + info_of<T>().name + ' ' + std::to_string(M) +
                             'x' + std::to_string(K) + (columns ? " by columns" : ""),
                         exact);
  aligned known(3);
  known.facts.set(5, tl::impl::fact::divisible_by_16);
  known.facts.set(6, tl::impl::fact::divisible_by_16);
  c.ttir = columns ? batched<T, form::columns>.trace(known) : batched<T, form::rows>.trace(known);
  c.programs = heads * blocks;
  c.inputs = {memory_of<T>(a, pitch), b_memory};
  c.extents = {M, K, pitch, columns ? pitch : tile};
  run(c);
}

} // namespace

TEST_CASE("heads of matrices whose edges are within blocks") {
  for (bool columns : {false, true}) {
    check_batched<half>(3, 128, 64, columns);
    check_batched<half>(3, 70, 41, columns);
    check_batched<half>(2, 1, 1, columns);
    check_batched<tl::bfloat16>(2, 65, 97, columns);
  }
  check_batched<std::int8_t>(2, 100, 75, true);
}

TEST_CASE("pointers that a loop carries along two matrices") {
  for (int iterations : {0, 1, 5})
    for (bool masked : {false, true}) {
      const int programs = 3, K = masked ? std::max(0, iterations * step - 3) : iterations * step,
                pitch = std::max(iterations, 1) * step;
      const std::vector<int> a = small_numbers(std::size_t(programs * tile * pitch)),
                             b = small_numbers(std::size_t(pitch * tile));
      std::vector<double> exact(std::size_t(programs * tile * tile), 0);
      add_product(exact, a, pitch, b, tile, K);
      test_case c = case_of<float>("carried, " + std::to_string(iterations), exact);
      aligned known(3);
      known.facts.set(5, tl::impl::fact::divisible_by_16);
      c.ttir = masked ? carried<true>.trace(known) : carried<false>.trace(known);
      c.programs = programs;
      c.inputs = {memory_of<half>(a, pitch), memory_of<half>(b, tile)};
      c.extents = {2, K, pitch};
      run(c);
    }
}

TEST_CASE("a stride of zero gives all rows the first one's elements") {
  const int K = 3 * step;
  const std::vector<int> a = small_numbers(std::size_t(K)),
                         b = small_numbers(std::size_t(K * tile));
  std::vector<int> same;
  for (int row = 0; row < tile; ++row)
    same.insert(same.end(), a.begin(), a.end());
  std::vector<double> exact(std::size_t(tile * tile), 0);
  add_product(exact, same, K, b, tile, K);
  test_case c = case_of<float>("stride of zero", exact);
  aligned known(3);
  known.facts.set(5, tl::impl::fact::divisible_by_16);
  c.ttir = carried<true>.trace(known);
  c.inputs = {memory_of<half>(a, K), memory_of<half>(b, tile)};
  c.extents = {1, K, 0};
  run(c);
}

TEST_CASE("rows that begin before a matrix are what lies there, or masked") {
  const int depth = 2 * step, base = 40, rows = 100, blocks = 2, shift = 20;
  const std::vector<int> a = small_numbers(std::size_t((base + rows + 2 * tile) * depth)),
                         b = small_numbers(std::size_t(depth * tile));
  for (int sides : {1, 2, 3}) {
    std::vector<int> seen(std::size_t(blocks * tile * depth), 0);
    for (int i = 0; i < blocks * tile; ++i) {
      const int row = i - shift;
      if ((sides & 1 && row < 0) || (sides & 2 && row >= rows))
        continue;
      for (int k = 0; k < depth; ++k)
        seen[std::size_t(i * depth + k)] = a[std::size_t((base + row) * depth + k)];
    }
    std::vector<double> exact(std::size_t(blocks * tile * tile), 0);
    add_product(exact, seen, depth, b, tile, depth);
    test_case c = case_of<float>("shifted, sides " + std::to_string(sides), exact);
    aligned known(3);
    known.facts.set(6, tl::impl::fact::divisible_by_16);
    c.ttir = sides == 1   ? shifted<1>.trace(known)
             : sides == 2 ? shifted<2>.trace(known)
                          : shifted<3>.trace(known);
    c.programs = blocks;
    c.inputs = {memory_of<half>(a, depth), memory_of<half>(b, tile)};
    c.extents = {base, shift, rows, depth};
    run(c);
  }
}

TEST_CASE("rows that two products of an iteration take") {
  for (int iterations : {0, 1, 3}) {
    check_weighted<64, 64, 16, 2>(iterations);
    check_weighted<64, 64, 32, 3>(iterations);
    check_weighted<128, 64, 16, 2>(iterations);
    check_weighted<128, 128, 64, 2>(iterations);
  }
}

TEST_CASE("arguments with which no box of a tensor is what pointers lead to") {
  const int K = 2 * step;
  const std::vector<int> a = small_numbers(std::size_t(tile * K)),
                         b = small_numbers(std::size_t(K * tile));
  struct {
    const char *what;
    int last, pitch, valid;
  } const cases[] = {{"forwards", 0, K, K},
                     {"forwards, a part", 0, K, K - 5},
                     {"no columns", 0, K, 0},
                     {"fewer than no columns", 0, K, -3},
                     {"backwards", (tile - 1) * K, -K, K},
                     {"backwards, a part", (tile - 1) * K, -K, 7}};
  for (const auto &one : cases) {
    std::vector<int> seen(std::size_t(tile * K), 0);
    for (int row = 0; row < tile; ++row)
      for (int k = 0; k < one.valid; ++k)
        seen[std::size_t(row * K + k)] = a[std::size_t(one.last + row * one.pitch + k)];
    std::vector<double> exact(std::size_t(tile * tile), 0);
    add_product(exact, seen, K, b, tile, K);
    test_case c = case_of<float>(one.what, exact);
    aligned known(3);
    known.facts.set(3, tl::impl::fact::divisible_by_16);
    known.facts.set(5, tl::impl::fact::divisible_by_16);
    c.ttir = placed.trace(known);
    c.inputs = {memory_of<half>(a, K), memory_of<half>(b, tile)};
    c.extents = {one.last, K, one.pitch, one.valid};
    run(c);
  }
}

TEST_CASE("numbers of tiles below zero, whose quotients and remainders make up for each other") {
  const int K = 2 * step, programs = 3;
  const std::vector<int> a = small_numbers(std::size_t(programs * tile * K)),
                         b = small_numbers(std::size_t(K * tile));
  std::vector<double> exact(std::size_t(programs * tile * tile), 0);
  add_product(exact, a, K, b, tile, K);
  for (int tiles : {2, -2}) {
    test_case c = case_of<float>("tiles " + std::to_string(tiles), exact);
    aligned known(3);
    known.facts.set(5, tl::impl::fact::divisible_by_16);
    c.ttir = carried<true>.trace(known);
    c.programs = programs;
    c.inputs = {memory_of<half>(a, K), memory_of<half>(b, tile)};
    c.extents = {tiles, K, K};
    run(c);
  }
}

TEST_CASE("an operand that is written after its loop, in the same memory") {
  for (tl::device dev : tl::testing::devices()) {
    const int K = 2 * step;
    const std::vector<int> a = small_numbers(std::size_t(tile * K)),
                           b = small_numbers(std::size_t(K * tile));
    std::vector<double> exact(std::size_t(tile * tile), 0);
    add_product(exact, a, K, b, tile, K);
    std::vector<half> x(a.size()), y(b.size());
    std::transform(a.begin(), a.end(), x.begin(), [](int i) { return half(float(i)); });
    std::transform(b.begin(), b.end(), y.begin(), [](int i) { return half(float(i)); });
    // The product is stored over what it was computed from.
    tl::buffer<half> left(dev, x), right(dev, y);
    constexpr auto in_place =
        tl::kernel{"in_place", [](tl::ptr<const half> p, tl::ptr<const half> q, tl::ptr<half> out,
                                  tl::i32 depth, tl::i32 pitch) {
                     auto rows = tl::arange<tile>();
                     tl::tensor acc = tl::zeros<float, tile, tile>();
                     for (auto k : tl::range(0, depth, step)) {
                       auto ks = k + tl::arange<step>();
                       acc = tl::dot(tl::load(p + down(rows) * pitch + across(ks)),
                                     tl::load(q + down(ks) * tile + across(rows)), acc);
                     }
                     tl::store(out + down(rows) * tile + across(rows), tl::cast<half>(acc));
                   }};
    in_place[numeric::grid(1)](left, right, left, K, K);
    tl::stream::default_of(dev).synchronize();
    const std::vector<half> result = left.to_vector();
    bool equal = true;
    for (std::size_t i = 0; i < exact.size(); ++i)
      equal = equal && double(float(result[i])) == exact[i];
    CHECK(equal);
  }
}
