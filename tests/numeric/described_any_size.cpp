// SPDX-License-Identifier: MIT
//
// Descriptors whose blocks have extents that are no powers of two. The compiler pads what they read
// and write; the interpreter does not. Blocks have neighbours, which a store from the padding would
// write and a sum over the padding would count; padding is 0, and what must stay is 1.

#include "sweep.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

/// Twice each block, which lie one row and as many columns as are 16 bytes apart.
template <class T, int Rows, int Columns>
constexpr auto double_blocks =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n, tl::i64 stride) {
      auto from = tl::make_tensor_descriptor<Rows, Columns>(x, {m, n}, {stride, 1});
      auto to = tl::make_tensor_descriptor<Rows, Columns>(out, {m, n}, {stride, 1});
      tl::tensor row = tl::program_id(0) * (Rows + 1);
      tl::tensor column = tl::program_id(1) * (Columns + 16 / int(sizeof(T)));
      tl::tensor block = from.load({row, column});
      to.store({row, column}, block + block);
    }};

template <class T, int Rows, int Columns> void check_blocks() {
  constexpr int apart = 16 / int(sizeof(T)), m = 3 * (Rows + 1) - 2,
                n = 2 * (Columns + apart) - apart - 2, pitch = n + 5;
  const std::vector<T> host = tl::testing::random_values<T>(m * pitch, {-40, 40});
  std::vector<T> want(host.size(), T(1));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if (i % (Rows + 1) < Rows && j % (Columns + apart) < Columns) {
        const T value = host[std::size_t(i * pitch + j)];
        want[std::size_t(i * pitch + j)] = T(value + value);
      }
  INFO(Rows, "x", Columns);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, std::vector<T>(host.size(), T(1)));
    numeric::seen(
        double_blocks<T, Rows, Columns>[numeric::grid(3, 2)](x, out, m, n, std::int64_t(pitch)));
    CHECK(allclose(out, want));
  }
}

/// Of a block amid ones: the sum, the greatest, and the sum of a block that begins one row and four
/// columns outside.
constexpr auto sums_of_blocks =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 m, tl::i32 n) {
      auto from = tl::make_tensor_descriptor<5, 20>(x, {m, n}, {n, 1});
      tl::tensor inner = from.load({8, 8});
      tl::store(out, tl::sum(inner));
      tl::store(out + 1, tl::max(-inner));
      tl::store(out + 2, tl::sum(from.load({-1, -4})));
      auto nans =
          tl::make_tensor_descriptor<5, 20>(x, {m, n}, {n, 1}, {.padding = tl::padding::nan});
      tl::tensor edge = nans.load({m - 2, n - 8});
      tl::store(out + 3, tl::sum(tl::cast<std::int32_t>(edge == edge)));
    }};

constexpr auto line_and_box =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out) {
      auto line = tl::make_tensor_descriptor<100>(x, {1000}, {1});
      auto line_out = tl::make_tensor_descriptor<100>(out, {1000}, {1});
      line_out.store({250}, line.load({500}));
      auto box = tl::make_tensor_descriptor<3, 1, 5, 7>(x, {4, 3, 6, 8}, {200, 64, 8, 1});
      auto box_out =
          tl::make_tensor_descriptor<3, 1, 5, 7>(out + 400, {4, 3, 6, 8}, {150, 50, 8, 1});
      box_out.store({0, 1, 0, 0}, box.load({1, 2, 0, 0}));
    }};

template <class T>
constexpr auto combine_blocks = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto from = tl::make_tensor_descriptor<3, 12>(x, {4, 48}, {48, 1});
  tl::tensor block = from.load({0, 12 * tl::program_id(0)});
  auto to = tl::make_tensor_descriptor<3, 12>(out, {20, 16}, {16, 1});
  to.atomic_add({0, 0}, block);
  to.atomic_min({4, 0}, block);
  to.atomic_max({8, 0}, block);
  if constexpr (std::is_integral_v<T>) {
    to.atomic_xor({12, 0}, block);
    to.atomic_or({16, 0}, block);
  }
}};

template <class T> void check_atomics() {
  const std::vector<T> host = tl::testing::random_values<T>(4 * 48, {-100, 100});
  std::vector<T> want(20 * 16, T(7));
  for (int program = 0; program < 4; ++program)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 12; ++j) {
        const T value = host[std::size_t(i * 48 + program * 12 + j)];
        const auto at = [&](int row) -> T & { return want[std::size_t((row + i) * 16 + j)]; };
        at(0) += value;
        at(4) = std::min(at(4), value);
        at(8) = std::max(at(8), value);
        if constexpr (std::is_integral_v<T>) {
          at(12) ^= value;
          at(16) |= value;
        }
      }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, std::vector<T>(want.size(), T(7)));
    numeric::seen(combine_blocks<T>[numeric::grid(4)](x, out));
    // The programs add in any order, sums of up to 500.
    CHECK(allclose(out, want, {.rtol = 1e-5, .atol = std::is_integral_v<T> ? 0 : 2e-4}));
  }
}

/// Rows of `Columns` from column 4 on; number `Count` - 1 - i goes where i is.
template <class T, class I, int Count, int Columns>
constexpr auto turn_rows = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 m, tl::i32 n) {
  auto from = tl::make_tensor_descriptor<1, Columns>(x, {m, n}, {n, 1});
  auto to = tl::make_tensor_descriptor<1, Columns>(out, {m, n}, {n, 1});
  tl::tensor row = tl::cast<I>(tl::arange<Count>());
  to.scatter(from.gather(I(Count - 1) - row, 4), row, 4);
}};

template <class T, class I, int Count, int Columns> void check_rows() {
  const int m = Count + 3, n = Columns + 24;
  const std::vector<T> host = tl::testing::random_values<T>(m * n);
  std::vector<T> want(host.size(), T(1));
  for (int i = 0; i < Count; ++i)
    for (int j = 4; j < 4 + Columns; ++j)
      want[std::size_t(i * n + j)] = host[std::size_t((Count - 1 - i) * n + j)];
  INFO(Count, " rows of ", Columns);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, host), out(dev, std::vector<T>(host.size(), T(1)));
    numeric::seen(turn_rows<T, I, Count, Columns>[numeric::grid(1)](x, out, m, n));
    CHECK(allclose(out, want));
  }
}

/// Around the operands lie NaNs.
template <class T, int M, int N, int K>
constexpr auto product =
    tl::kernel{[](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<float> out, tl::i32 steps) {
      auto left = tl::make_tensor_descriptor<M, K>(a, {2 * M, 3 * K}, {3 * K, 1});
      auto right = tl::make_tensor_descriptor<K, N>(b, {3 * K, 2 * N}, {2 * N, 1});
      auto to = tl::make_tensor_descriptor<M, N>(out, {2 * M, 2 * N}, {2 * N, 1});
      tl::tensor sum = tl::zeros<float, M, N>();
      for (auto k : tl::range(0, steps))
        sum += tl::dot(left.load({0, k * K}), right.load({k * K, 0}));
      to.store({0, 0}, sum);
    }};

template <class T, int M, int N, int K> void check_product() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<T> a(2 * M * 3 * K, T(nan)), b(3 * K * 2 * N, T(nan));
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < 2 * K; ++k)
      a[std::size_t(i * 3 * K + k)] = T(float((i * 7 + k * 5) % 16 - 8));
  for (int k = 0; k < 2 * K; ++k)
    for (int j = 0; j < N; ++j)
      b[std::size_t(k * 2 * N + j)] = T(float((k * 3 + j) % 8));
  std::vector<float> want(2 * M * 2 * N, -1.0f);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < 2 * K; ++k)
        sum += float(a[std::size_t(i * 3 * K + k)]) * float(b[std::size_t(k * 2 * N + j)]);
      want[std::size_t(i * 2 * N + j)] = sum;
    }
  INFO(M, "x", N, "x", K);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, a), y(dev, b);
    tl::buffer<float> out(dev, std::vector<float>(want.size(), -1.0f));
    numeric::seen(product<T, M, N, K>[numeric::grid(1)](x, y, out, 2));
    CHECK(allclose(out, want));
  }
}

/// Descriptors of the host, one of which is chosen, sliced, and carried through a loop.
constexpr auto received =
    tl::kernel{[](tl::descriptor<float, 3, 12> x, tl::descriptor<float, 3, 12> y,
                  tl::descriptor<float, 3, 12> out, tl::i32 n) {
      tl::descriptor<float, 3, 12> from = x;
      tl::tensor sum = tl::zeros<float, 3, 12>();
      for (auto i : tl::range(0, n)) {
        sum += from.load({1, 4 * i});
        tl::if_(i % 2 == 0, [&] { from = y; }, [&] { from = x; });
      }
      out.store({0, 0}, sum + x.slice<0>(2, 2).load({0, 0}));
    }};

} // namespace

TEST_CASE("blocks of descriptors have any size, and touch nothing beside them") {
  check_blocks<float, 3, 100>();
  check_blocks<float, 48, 80>();
  check_blocks<float, 7, 16>();
  check_blocks<float, 1, 5>();
  check_blocks<double, 8, 3>();
  check_blocks<std::int8_t, 5, 17>();
  check_blocks<tl::float16, 16, 24>();
  check_blocks<std::int64_t, 6, 6>();
}

TEST_CASE("a block of a descriptor has no more elements than it says") {
  const int m = 24, n = 40;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, std::vector<float>(m * n, 1.0f));
    guarded_buffer<float> out(dev, 4);
    numeric::seen(sums_of_blocks[numeric::grid(1)](x, out, m, n));
    CHECK(allclose(out, std::vector<float>{100, -1, 4 * 16, 2 * 8}));
    CHECK(out.intact());
  }
}

TEST_CASE("lines and boxes of descriptors have any size") {
  const auto host = tl::testing::random_values<std::int32_t>(1000);
  std::vector<std::int32_t> want(1000, 1);
  for (std::size_t i = 0; i < 100; ++i)
    want[250 + i] = host[500 + i];
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 7; ++j)
        want[400 + a * 150 + 50 + i * 8 + j] = host[(a + 1) * 200 + 2 * 64 + i * 8 + j];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host), out(dev, std::vector<std::int32_t>(1000, 1));
    numeric::seen(line_and_box[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("blocks of any size are combined with memory") {
  check_atomics<std::int32_t>();
  check_atomics<float>();
}

TEST_CASE("any number of rows of any length is gathered and scattered") {
  check_rows<float, std::int32_t, 12, 16>();
  check_rows<float, std::int32_t, 16, 20>();
  check_rows<tl::float16, std::int16_t, 9, 100>();
  check_rows<std::int8_t, std::int32_t, 30, 33>();
}

TEST_CASE("products of described blocks of any size see nothing of the padding") {
  check_product<float, 24, 20, 12>();
  check_product<tl::float16, 48, 80, 24>();
  check_product<tl::bfloat16, 64, 96, 80>();
}

TEST_CASE("descriptors of blocks of any size go where any others go") {
  const auto a = tl::testing::random_values<float>(4 * 32),
             b = tl::testing::random_values<float>(4 * 32);
  std::vector<float> want(4 * 32, 0.0f);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      float sum = 0;
      for (std::size_t step = 0; step < 3; ++step)
        sum += (step % 2 ? b : a)[(1 + i) * 32 + 4 * step + j];
      want[i * 32 + j] = sum + (i < 2 ? a[(2 + i) * 32 + j] : 0.0f);
    }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, a), y(dev, b), out(dev, std::vector<float>(want.size(), 0.0f));
    using described = tl::tensor_descriptor<float, 3, 12>;
    numeric::seen(received[numeric::grid(1)](described(x, {4, 32}), described(y, {4, 32}),
                                             described(out, {4, 32}), 3));
    CHECK(allclose(out, want));
  }
}
