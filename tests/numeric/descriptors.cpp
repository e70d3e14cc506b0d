// SPDX-License-Identifier: MIT
//
// Tensor descriptors: tiles of memory with bounds.

#include "sweep.hpp"

#include <algorithm>
#include <array>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

constexpr int rows = 21, columns = 24, pitch = 32;

template <class T>
constexpr auto copy_tiles =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto from = tl::make_tensor_descriptor<8, 16>(x, {m, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<8, 16>(out, {m, n}, {stride, 1});
      tl::tensor row = tl::program_id(0) * 8, column = tl::program_id(1) * 16;
      to.store({row, column}, from.load({row, column}));
    }};

constexpr auto sum_of_tile = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto from = tl::make_tensor_descriptor<32, 32>(x, {m, n}, {stride, 1});
      tl::store(out, tl::sum(from.load({0, 0})));
    }};

constexpr auto reverse_rows = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto from = tl::make_tensor_descriptor<1, 16>(x, {m, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<1, 16>(out, {m, n}, {stride, 1});
      tl::tensor row = tl::arange<16>();
      to.scatter(from.gather(15 - row, 0), row, 0);
    }};

constexpr auto add_tiles = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out,
                                         tl::i32 m, tl::i32 n, tl::i64 stride) {
  auto from = tl::make_tensor_descriptor<8, 16>(x, {m, n}, {stride, 1});
  auto to = tl::make_tensor_descriptor<8, 16>(out, {m, n}, {stride, 1});
  to.atomic_add({0, 0}, from.load({8 * tl::program_id(0), 0}));
}};

/// The 8x16 tile that begins at (first, first), wherever that is.
template <class T>
constexpr auto tile_at = tl::kernel{
    [](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n, tl::i64 stride, tl::i32 first) {
      auto from = tl::make_tensor_descriptor<8, 16>(x, {m, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<8, 16>(out, {8, 16}, {16, 1});
      to.store({0, 0}, from.load({first, first}));
    }};

/// The 8x16 tile whose first column is a multiple of 16, so that hardware may move it.
template <class T>
constexpr auto tile_in_column =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n, tl::i64 stride,
                  tl::i32 row, tl::i32 column) {
      auto from = tl::make_tensor_descriptor<8, 16>(x, {m, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<8, 16>(out, {8, 16}, {16, 1});
      to.store({0, 0}, from.load({row, 16 * column}));
    }};

/// Each program copies one matrix of a batch, by descriptors of its own, tile by tile.
constexpr auto copy_batch = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto first = tl::cast<std::int64_t>(tl::program_id(0)) * 1024;
      auto from = tl::make_tensor_descriptor<8, 16>(x + first, {m / 2, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<8, 16>(out + first, {m / 2, n}, {stride, 1});
      for (auto column : tl::range(0, n, 16))
        for (auto row : tl::range(0, m / 2, 8))
          to.store({row, column}, from.load({row, column}) + 1.0f);
    }};

/// More descriptors than a launch makes maps for.
constexpr auto copy_often = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
  tl::tensor sum = tl::zeros<float, 32>();
  for (int i = 0; i < 20; ++i) {
    auto from = tl::make_tensor_descriptor<32>(x, {n - i}, {1});
    auto known = tl::make_tensor_descriptor<32>(x, {40 + i}, {1});
    sum += from.load({32}) + known.load({32});
  }
  auto to = tl::make_tensor_descriptor<32>(out, {32}, {1});
  to.store({0}, sum);
}};

/// As many tiles at once as shared memory does not hold: 256 KiB.
constexpr auto many_tiles = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto from = tl::make_tensor_descriptor<64, 128>(x, {64 * 8, 128}, {128, 1});
  auto a = from.load({0, 0}), b = from.load({64, 0}), c = from.load({128, 0}),
       d = from.load({192, 0}), e = from.load({256, 0}), f = from.load({320, 0}),
       g = from.load({384, 0}), h = from.load({448, 0});
  auto to = tl::make_tensor_descriptor<64, 128>(out, {64, 128}, {128, 1});
  to.store({0, 0}, (((a + b) + (c + d)) + ((e + f) + (g + h))));
}};

/// Every row is the first one: the stride of rows is 0.
constexpr auto repeated_row =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i64 stride) {
      auto from = tl::make_tensor_descriptor<8, 16>(x, {m, 16}, {stride, 1});
      auto to = tl::make_tensor_descriptor<8, 16>(out, {8, 16}, {16, 1});
      to.store({0, 0}, from.load({0, 0}));
    }};

/// A box of five axes, out of the tensor along each but the third.
template <class T>
constexpr auto five_axes = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto from = tl::make_tensor_descriptor<2, 4, 1, 2, 16>(
      x, {3, 3, 2, 3, n}, {3 * 2 * 3 * 32, 2 * 3 * 32, 3 * 32, 32, 1});
  auto to = tl::make_tensor_descriptor<2, 4, 1, 2, 16>(out, {2, 4, 1, 2, 16},
                                                       {4 * 2 * 16, 2 * 16, 2 * 16, 16, 1});
  to.store({0, 0, 0, 0, 0}, from.load({2, -1, 1, 2, 16}));
}};

/// What pointers have written is read by a descriptor, and the other way round.
constexpr auto by_turns = tl::kernel{[](tl::ptr<float> x, tl::ptr<float> out) {
  auto at = tl::arange<512>();
  tl::store(x + at, tl::cast<float>(at));
  auto tiles = tl::make_tensor_descriptor<16, 32>(x, {16, 32}, {32, 1});
  tl::tensor tile = tiles.load({0, 0});
  tiles.store({0, 0}, tile * 2.0f);
  tl::tensor line = tl::load(x + (511 - at));
  tl::store(x + at, line + 1.0f);
  auto to = tl::make_tensor_descriptor<16, 32>(out, {16, 32}, {32, 1});
  to.store({0, 0}, tiles.load({0, 0}));
}};

template <class T>
constexpr auto nan_outside =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto from =
          tl::make_tensor_descriptor<8, 16>(x, {m, n}, {stride, 1}, {.padding = tl::padding::nan});
      tl::tensor tile = from.load({0, 0});
      auto to = tl::make_tensor_descriptor<8, 16>(out, {8, 16}, {16, 1});
      to.store({0, 0}, tl::where(tile == tile, tile, tl::full<T, 8, 16>(T(-1.0f))));
    }};

/// Tiles are added up in a loop, stored, and read again through another descriptor.
constexpr auto sum_of_tiles = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out,
                                            tl::ptr<float> twice, tl::i32 n, tl::i64 stride) {
  auto from = tl::make_tensor_descriptor<16, 16>(x, {16, n}, {stride, 1});
  auto to = tl::make_tensor_descriptor<16, 16>(out, {16, 16}, {16, 1});
  tl::tensor sum = tl::zeros<float, 16, 16>();
  for (auto column : tl::range(0, n, 16))
    sum += from.load({0, column});
  to.store({0, 0}, sum);
  auto again = tl::make_tensor_descriptor<16, 16>(out, {16, 16}, {16, 1});
  auto last = tl::make_tensor_descriptor<16, 16>(twice, {16, 16}, {16, 1});
  last.store({0, 0}, again.load({0, 0}) * 2.0f);
}};

constexpr auto line_and_box = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> line, tl::ptr<float> box, tl::i32 n, tl::i32 k) {
      auto one = tl::make_tensor_descriptor<32>(x, {n}, {1});
      auto line_out = tl::make_tensor_descriptor<32>(line, {32}, {1});
      line_out.store({0}, one.load({n - 16}));
      auto three = tl::make_tensor_descriptor<2, 4, 16>(x, {3, k, 16}, {64, 16, 1});
      auto box_out = tl::make_tensor_descriptor<2, 4, 16>(box, {2, 4, 16}, {64, 16, 1});
      box_out.store({0, 0, 0}, three.load({2, 1, 0}));
    }};

template <class T>
constexpr auto combine_tiles = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto from = tl::make_tensor_descriptor<16>(x, {n}, {1});
  auto to = tl::make_tensor_descriptor<16>(out, {80}, {1});
  tl::tensor tile = from.load({16 * tl::program_id(0)});
  to.atomic_min({0}, tile);
  to.atomic_max({16}, tile);
  to.atomic_and({32}, tile);
  to.atomic_or({48}, tile);
  to.atomic_xor({64}, tile);
}};

} // namespace

TEST_CASE_TEMPLATE("a tile ends where its descriptor does", T, float, tl::float16, std::int32_t) {
  const auto host = tl::testing::random_values<T>(rows * pitch);
  std::vector<T> want(host.size(), T(0));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      want[std::size_t(i * pitch + j)] = host[std::size_t(i * pitch + j)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, std::vector<T>(host.size(), T(0)));
    numeric::seen(copy_tiles<T>[numeric::grid(3, 2)](x, out, rows, columns, std::int64_t(pitch)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("what lies outside a descriptor reads as zero") {
  const std::vector<float> host(rows * pitch, 1.0f);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 1);
    numeric::seen(sum_of_tile[numeric::grid(1)](x, out, rows, columns, std::int64_t(pitch)));
    CHECK(allclose(out, std::vector<float>{rows * columns}));
  }
}

TEST_CASE("rows are gathered and scattered by their numbers") {
  const auto host = tl::testing::random_values<float>(16 * 16);
  std::vector<float> want;
  for (int row = 15; row >= 0; --row)
    want.insert(want.end(), host.begin() + row * 16, host.begin() + row * 16 + 16);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, std::vector<float>(want.size(), 0.0f));
    numeric::seen(reverse_rows[numeric::grid(1)](x, out, 16, 16, std::int64_t(16)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("tiles of several programs are added up") {
  const auto host = tl::testing::random_values<std::int32_t>(32 * 16, {-1000, 1000});
  std::vector<std::int32_t> want(8 * 16, 0);
  for (std::size_t i = 0; i < host.size(); ++i)
    want[i % want.size()] += host[i];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host), out(dev, std::vector<std::int32_t>(want.size(), 0));
    numeric::seen(add_tiles[numeric::grid(4)](x, out, 32, 16, std::int64_t(16)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE_TEMPLATE("a tile may begin before its tensor, after it, or have no tensor", T, float,
                   double, tl::float16, tl::bfloat16, std::int8_t, std::int16_t, std::int64_t) {
  const auto host = tl::testing::random_values<T>(rows * pitch);
  for (tl::device dev : tl::testing::devices())
    for (auto [first, m, n] : {std::array{-3, rows, columns},
                               {16, rows, columns},
                               {1000, rows, columns},
                               {-1000, rows, columns},
                               {0, 0, columns},
                               {0, rows, 0},
                               {0, -1, columns}}) {
      std::vector<T> want(8 * 16, T(0));
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 16; ++j)
          if (first + i >= 0 && first + i < m && first + j >= 0 && first + j < n)
            want[std::size_t(i * 16 + j)] = host[std::size_t((first + i) * pitch + first + j)];
      tl::buffer<T> x(dev, host), out(dev, std::vector<T>(want.size(), T(1)));
      numeric::seen(tile_at<T>[numeric::grid(1)](x, out, m, n, std::int64_t(pitch), first));
      CHECK(allclose(out, want));
    }
}

TEST_CASE_TEMPLATE("a tile of aligned columns may lie anywhere", T, float, double, tl::float16,
                   tl::bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
  const auto host = tl::testing::random_values<T>(rows * pitch);
  for (tl::device dev : tl::testing::devices())
    for (auto [row, column, m, n] : {std::array{0, 0, rows, columns},
                                     {-3, 0, rows, columns},
                                     {17, 1, rows, columns},
                                     {21, 0, rows, columns},
                                     {1000, 0, rows, columns},
                                     {-1000, 1, rows, columns},
                                     {5, -1, rows, columns},
                                     {5, 2, rows, columns},
                                     {5, 100000, rows, columns},
                                     {5, -100000, rows, columns},
                                     {0, 0, 0, columns},
                                     {0, 0, rows, 0},
                                     {0, 1, -1, columns},
                                     {-3, 0, rows, -7},
                                     {0, 0, 1, 1},
                                     {-7, 0, 1, 17}}) {
      std::vector<T> want(8 * 16, T(0));
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 16; ++j)
          if (const long at_row = row + i, at_column = 16L * column + j;
              at_row >= 0 && at_row < m && at_column >= 0 && at_column < n)
            want[std::size_t(i * 16 + j)] = host[std::size_t(at_row * pitch + at_column)];
      tl::buffer<T> x(dev, host), out(dev, std::vector<T>(want.size(), T(1)));
      numeric::seen(
          tile_in_column<T>[numeric::grid(1)](x, out, m, n, std::int64_t(pitch), row, column));
      CHECK(allclose(out, want));
    }
}

TEST_CASE_TEMPLATE("nothing is written after the last column", T, float, double, tl::float16,
                   std::int8_t, std::int32_t) {
  const auto host = tl::testing::random_values<T>(rows * pitch);
  for (tl::device dev : tl::testing::devices())
    for (int n : {0, 1, 5, 16, 17, 20, 23, 25, 31, 32}) {
      std::vector<T> want(host.size(), T(7));
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j)
          want[std::size_t(i * pitch + j)] = host[std::size_t(i * pitch + j)];
      tl::buffer<T> x(dev, host), out(dev, std::vector<T>(host.size(), T(7)));
      numeric::seen(copy_tiles<T>[numeric::grid(3, 2)](x, out, rows, n, std::int64_t(pitch)));
      CHECK(allclose(out, want));
    }
}

TEST_CASE("nothing is added after the last column") {
  const std::vector<std::int32_t> host(8 * 16, 3);
  for (tl::device dev : tl::testing::devices())
    for (int n : {1, 4, 7, 8, 13, 16}) {
      std::vector<std::int32_t> want(host.size(), 0);
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < n; ++j)
          want[std::size_t(i * 16 + j)] = 3; // the second program reads after the last row
      tl::buffer<std::int32_t> x(dev, host), out(dev, std::vector<std::int32_t>(host.size(), 0));
      numeric::seen(add_tiles[numeric::grid(2)](x, out, 8, n, std::int64_t(16)));
      CHECK(allclose(out, want));
    }
}

TEST_CASE("programs make descriptors of their own") {
  const auto host = tl::testing::random_values<float>(3 * 1024);
  std::vector<float> want(host.size(), 0.0f);
  for (int batch = 0; batch < 3; ++batch)
    for (int i = 0; i < 21 / 2; ++i)
      for (int j = 0; j < 27; ++j) {
        const auto at = std::size_t(batch * 1024 + i * 32 + j);
        want[at] = host[at] + 1.0f;
      }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, std::vector<float>(host.size(), 0.0f));
    numeric::seen(copy_batch[numeric::grid(3)](x, out, 21, 27, std::int64_t(32)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a kernel has as many descriptors as it likes") {
  const auto host = tl::testing::random_values<float>(64, {1, 2});
  std::vector<float> want(32, 0.0f);
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 32; ++j)
      want[std::size_t(j)] += (32 + j < 64 - i ? host[std::size_t(32 + j)] : 0.0f) +
                              (32 + j < 40 + i ? host[std::size_t(32 + j)] : 0.0f);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, std::vector<float>(32, 0.0f));
    numeric::seen(copy_often[numeric::grid(1)](x, out, 64));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("what pointers write descriptors read, and the other way round") {
  std::vector<float> want;
  for (int i = 0; i < 512; ++i)
    want.push_back(float(2 * (511 - i) + 1));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, want.size()), out(dev, want.size());
    numeric::seen(by_turns[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("more tiles are loaded than fit into shared memory") {
  std::vector<float> host, want(64 * 128, 0.0f);
  for (int i = 0; i < 8 * 64 * 128; ++i) {
    host.push_back(float(i % 1021));
    want[std::size_t(i % (64 * 128))] += host.back();
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, want.size());
    numeric::seen(many_tiles[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("rows may lie on each other") {
  const auto host = tl::testing::random_values<float>(16);
  std::vector<float> want(8 * 16, 0.0f);
  for (int i = 0; i < 6 * 16; ++i)
    want[std::size_t(i)] = host[std::size_t(i % 16)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, want.size());
    numeric::seen(repeated_row[numeric::grid(1)](x, out, 6, std::int64_t(0)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE_TEMPLATE("descriptors have up to five axes", T, float, tl::float16, std::int8_t) {
  const auto host = tl::testing::random_values<T>(3 * 3 * 2 * 3 * 32);
  std::vector<T> want(2 * 4 * 2 * 16, T(0));
  for (int j = 1; j < 4; ++j) // of the first and the fourth axis only the last index is inside
    for (int k = 16; k < 27; ++k)
      want[std::size_t(j * 2 * 16 + k - 16)] =
          host[std::size_t((((2 * 3 + j - 1) * 2 + 1) * 3 + 2) * 32 + k)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, std::vector<T>(want.size(), T(1)));
    numeric::seen(five_axes<T>[numeric::grid(1)](x, out, 27));
    CHECK(allclose(out, want));
  }
}

TEST_CASE_TEMPLATE("padding may be not-a-number", T, float, double, tl::float16, tl::bfloat16) {
  const auto host = tl::testing::random_values<T>(8 * 16, {0, 1});
  std::vector<T> want(host.size(), T(-1.0f));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 11; ++j)
      want[std::size_t(i * 16 + j)] = host[std::size_t(i * 16 + j)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, want.size());
    numeric::seen(nan_outside<T>[numeric::grid(1)](x, out, 5, 11, std::int64_t(16)));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("tiles are read in a loop, and what was stored is read again") {
  const auto host = tl::testing::random_values<float>(16 * 80);
  std::vector<float> want(16 * 16, 0.0f), twice;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 70; ++j)
      want[std::size_t(i * 16 + j % 16)] += host[std::size_t(i * 80 + j)];
  for (float value : want)
    twice.push_back(2 * value);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, want.size()), more(dev, want.size());
    numeric::seen(sum_of_tiles[numeric::grid(1)](x, out, more, 70, std::int64_t(80)));
    CHECK(allclose(out, want));
    CHECK(allclose(more, twice));
  }
}

TEST_CASE("descriptors have one axis or three") {
  const auto host = tl::testing::random_values<float>(3 * 4 * 16);
  std::vector<float> line(32, 0.0f), box(2 * 4 * 16, 0.0f);
  for (int i = 0; i < 16; ++i)
    line[std::size_t(i)] = host[std::size_t(100 - 16 + i)];
  for (int j = 0; j < 2; ++j) // the third of the planes, rows 1 and 2 of 3
    for (int k = 0; k < 16; ++k)
      box[std::size_t(j * 16 + k)] = host[std::size_t(2 * 64 + (j + 1) * 16 + k)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, line.size()), boxes(dev, box.size());
    numeric::seen(line_and_box[numeric::grid(1)](x, out, boxes, 100, 3));
    CHECK(allclose(out, line));
    CHECK(allclose(boxes, box));
  }
}

TEST_CASE_TEMPLATE("tiles of several programs are combined", T, std::int32_t, std::uint32_t) {
  const auto host = tl::testing::random_values<T>(3 * 16);
  std::vector<T> start(80), want;
  for (int i = 0; i < 80; ++i)
    start[std::size_t(i)] = T(i * 2654435761u);
  want = start;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::size_t at = i % 16;
    want[at] = std::min(want[at], host[i]);
    want[at + 16] = std::max(want[at + 16], host[i]);
    want[at + 32] &= host[i];
    want[at + 48] |= host[i];
    want[at + 64] ^= host[i];
  }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, start);
    numeric::seen(combine_tiles<T>[numeric::grid(3)](x, out, 48));
    CHECK(allclose(out, want));
  }
}
