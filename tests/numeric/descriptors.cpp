// SPDX-License-Identifier: MIT
//
// Tensor descriptors: tiles of memory with bounds.

#include "sweep.hpp"

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
