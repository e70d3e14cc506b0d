// SPDX-License-Identifier: MIT
//
// What docs/how_to/use_structures.md shows: structs of tensors and as parameters.
#include <tl/structures.hpp>
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace testing = tl::testing;

namespace {

// [parameter]
/// What a kernel takes.
template <class T> struct matrix {
  tl::ptr<T> base;
  tl::i32 rows, cols, stride;
};
/// What a launch gives for it.
struct host_matrix {
  tl::buffer<float> &base;
  int rows, cols, stride;
};

template <int Block>
constexpr auto scale_rows =
    tl::kernel{[](matrix<const float> in, matrix<float> out, tl::f32 factor) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Block>();
      auto mask = (row < in.rows) & (cols < in.cols);
      auto v = tl::load(in.base + row * in.stride + cols, mask, 0.0f);
      tl::store(out.base + row * out.stride + cols, v * factor, mask);
    }};
// [parameter]

// [state]
/// The largest number so far, and the sum of e to the power of all, as differences from it.
template <class T> struct softmax_state {
  T top, sum;

  template <class X> void add(const X &x) {
    tl::tensor before = top;
    top = tl::maximum(top, x);
    sum = sum * tl::exp(before - top) + tl::exp(x - top);
  }
};
template <class A, class B> softmax_state(A, B) -> softmax_state<tl::tensor_of<A>>;

constexpr auto log_sum_exp = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
  auto at = tl::arange<64>();
  softmax_state all{tl::full<float, 64>(-1e30f), tl::zeros<float, 64>()};
  for (auto i : tl::range(0, n, 64))
    all.add(tl::load(x + i + at, i + at < n, -1e30f)); // both members are carried
  auto merged = tl::reduce<0>(all, [](auto a, auto b) {
    auto top = tl::maximum(a.top, b.top);
    return softmax_state{top, a.sum * tl::exp(a.top - top) + b.sum * tl::exp(b.top - top)};
  });
  tl::store(out, merged.top + tl::log(merged.sum));
}};
// [state]

// [branch]
struct span {
  tl::i32 first, last;
};
span half(const span &s, tl::i32 key, tl::ptr<const std::int32_t> sorted) {
  tl::i32 middle = (s.first + s.last) / 2;
  return tl::if_(
      tl::load(sorted + middle) < key, [&] { return span{middle + 1, s.last}; },
      [&] { return span{s.first, middle}; });
}

constexpr auto lower_bounds =
    tl::kernel{[](tl::ptr<const std::int32_t> sorted, tl::i32 n, tl::ptr<const std::int32_t> keys,
                  tl::ptr<std::int32_t> out) {
      tl::i32 key = tl::load(keys + tl::program_id(0));
      span s{0, n};
      tl::while_([&] { return s.first < s.last; }, [&] { s = half(s, key, sorted); });
      tl::store(out + tl::program_id(0), s.first);
    }};
// [branch]

// [names]
struct vectors {
  BOOST_HANA_DEFINE_STRUCT(vectors, (tl::ptr<const float>, x), (tl::ptr<float>, out), (tl::i32, n));
};
struct host_vectors {
  BOOST_HANA_DEFINE_STRUCT(host_vectors, (int, n), (float *, out), (const float *, x));
};

constexpr auto negate = tl::kernel{[](vectors v) {
  auto at = tl::arange<64>();
  tl::store(v.out + at, -tl::load(v.x + at, at < v.n), at < v.n);
}};
// [names]

// [combinations]
struct copy_config {
  BOOST_HANA_DEFINE_STRUCT(copy_config, (int, block), (int, num_warps));
};
template <copy_config C>
constexpr auto copy = tl::kernel{[](tl::ptr<const float> in, tl::ptr<float> out, tl::i32 n) {
  auto at = tl::program_id(0) * C.block + tl::arange<C.block>();
  tl::store(out + at, tl::load(in + at, at < n), at < n);
}};

auto tuned_copy = tl::autotune<
    tl::filtered<tl::combinations<copy_config>(tl::one_of(128, 256, 512), tl::one_of(4, 8))>(
        [](copy_config c) { return c.block >= 32 * c.num_warps; })>(
    []<copy_config C> { return copy<C>; }, {.milliseconds = 1});
// [combinations]

} // namespace

TEST_CASE("docs: a struct of a buffer and numbers is a parameter") {
  constexpr int rows = 5, cols = 60, stride = 61;
  const auto host = testing::random_values<float>(rows * stride);
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), y(dev, rows * 64);
    y.fill(0);
    // [launch]
    host_matrix in{x, rows, cols, stride}, out{y, rows, cols, 64};
    scale_rows<64>[tl::grid(rows)](in, out, 3.0f);
    // [launch]
    scale_rows<64>[tl::grid(rows)](std::forward_as_tuple(x, rows, cols, stride), out, 2.0f);
    const auto result = y.to_vector();
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < 64; ++col)
        REQUIRE(result[row * 64 + col] == (col < cols ? 2 * host[row * stride + col] : 0));
  }
}

TEST_CASE("docs: a loop carries a struct and a reduction combines it") {
  constexpr int n = 1000;
  const auto host = testing::random_values<float>(n);
  double sum = 0;
  for (float v : host)
    sum += std::exp(double(v));
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, 1);
    log_sum_exp[tl::grid(1)](x, out, n);
    CHECK(out.to_vector()[0] == doctest::Approx(std::log(sum)).epsilon(1e-5));
  }
}

TEST_CASE("docs: a branch returns a struct") {
  std::vector<std::int32_t> sorted(37), keys{-5, 0, 3, 4, 50, 108, 109, 200}, expected;
  for (int i = 0; i < 37; ++i)
    sorted[i] = 3 * i;
  for (int key : keys)
    expected.push_back(
        static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin()));
  for (tl::device dev : testing::devices()) {
    tl::buffer<std::int32_t> a(dev, sorted), k(dev, keys), out(dev, keys.size());
    lower_bounds[tl::grid(keys.size())](a, 37, k, out);
    CHECK(out.to_vector() == expected);
  }
}

TEST_CASE("docs: members are found by their names") {
  const auto host = testing::random_values<float>(64);
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host), out(dev, 64);
    out.fill(7);
    // [launch_names]
    negate[{.grid = {1}, .device = dev}](host_vectors{.n = 60, .out = out.data(), .x = x.data()});
    // [launch_names]
    const auto result = out.to_vector();
    for (int i = 0; i < 64; ++i)
      REQUIRE(result[i] == (i < 60 ? -host[i] : 7));
  }
}

TEST_CASE("docs: all combinations of a configuration's values that fit are tried") {
  const auto host = testing::random_values<float>(1000);
  const auto devices = testing::devices();
  for (tl::device dev : devices) {
    tl::buffer<float> x(dev, host), out(dev, 1000);
    tuned_copy[tl::grid([](copy_config c) { return tl::cdiv(1000, c.block); })](x, out, 1000);
    CHECK(out.to_vector() == host);
  }
  REQUIRE(tuned_copy.trials().size() == 5 * devices.size());
  CHECK(tuned_copy.trials()[0].configuration == "{.block = 128, .num_warps = 4}");
  CHECK(tuned_copy.trials()[2].configuration == "{.block = 256, .num_warps = 8}");
}
