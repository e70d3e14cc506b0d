// SPDX-License-Identifier: MIT
//
// What docs/how_to/write_device_functions.md shows: functions, lambdas and structs in kernels.
#include "device_functions.hpp"

#include <tl/testing.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace testing = tl::testing;

namespace {

// [function]
/// Any block of floats, of any shape.
template <tl::tensor_like X> auto squared_norm(const X &x) { return tl::sum(x * x); }

/// A pointer, a stride and an extent that belong together.
template <class T> struct matrix {
  tl::ptr<T> base;
  tl::i32 stride, rows;

  template <int Block> auto row(tl::i32 i, tl::i32 cols) const {
    auto at = tl::arange<Block>();
    return tl::load(base + i * stride + at, (at < cols) & (i < rows), 0.0f);
  }
};
// [function]

// [kernel]
template <int Block>
constexpr auto row_norms = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 rows, tl::i32 cols, tl::i32 stride) {
      matrix<const float> m{x, stride, rows};
      auto norm_of = [&](tl::i32 i) { return tl::sqrt(squared_norm(m.row<Block>(i, cols))); };
      tl::store(out + tl::program_id(0), norm_of(tl::program_id(0)));
    }};
// [kernel]

// [by_reference]
void step(tl::tensor<float, tl::shape<64>> &x, tl::f32 rate) { x -= rate * x; }

constexpr auto decay = tl::kernel{[](tl::ptr<float> p, tl::i32 steps, tl::f32 rate) {
  auto at = p + tl::arange<64>();
  tl::tensor x = tl::load(at);
  for ([[maybe_unused]] auto i : tl::range(0, steps))
    step(x, rate); // the loop carries x
  tl::store(at, x);
}};
// [by_reference]

// [other_file]
constexpr auto apply_gelu = tl::kernel{[](tl::ptr<float> x) {
  auto p = x + tl::arange<64>();
  tl::store(p, activation::gelu(tl::load(p)));
}};
// [other_file]

} // namespace

TEST_CASE("docs: functions, structs and lambdas are traced into the kernel that calls them") {
  constexpr int rows = 3, cols = 50, stride = 64;
  const auto host = testing::random_values<float>(rows * stride);
  std::vector<float> expected(rows);
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < cols; ++j)
      sum += double(host[i * stride + j]) * host[i * stride + j];
    expected[i] = float(std::sqrt(sum));
  }
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, rows);
    row_norms<64>[tl::grid(rows)](x, out, rows, cols, stride);
    CHECK(testing::allclose(out, expected, {.rtol = 1e-6}));
  }
}

TEST_CASE("docs: what a function assigns by reference is carried by the loop around it") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, 64);
    x.fill(8);
    decay[tl::grid(1)](x, 3, 0.5f);
    CHECK(testing::allclose(x, std::vector<float>(64, 1)));
  }
}

TEST_CASE("docs: a device function of another file is part of the kernel, with its own lines") {
  const auto host = testing::random_values<float>(64, {-3, 3});
  std::vector<float> expected(64);
  for (int i = 0; i < 64; ++i)
    expected[i] = float(0.5 * host[i] * (1 + std::erf(double(host[i]) * 0.70710678f)));
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host);
    apply_gelu[tl::grid(1)](x);
    CHECK(testing::allclose(x, expected, {.rtol = 1e-5, .atol = 1e-6}));
  }
  CHECK(apply_gelu.trace().find("device_functions_other.cpp") != std::string::npos);
}
