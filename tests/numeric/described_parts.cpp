// SPDX-License-Identifier: MIT
//
// What a kernel can ask of a descriptor and make of it: extents, strides, slices, and the reads
// that the host decided about.

#include "sweep.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

constexpr int rows = 20, columns = 24, pitch = 32;

std::vector<float> numbered() {
  std::vector<float> values(std::size_t(rows * pitch));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  return values;
}

constexpr auto parts = tl::kernel{
    [](tl::descriptor<float, 8, 16> d, tl::ptr<float> x, tl::ptr<std::int64_t> out, tl::i32 n) {
      tl::descriptor own = tl::make_tensor_descriptor<8, 16>(x, {n, 16}, {16, 1});
      tl::store(out, tl::cast<std::int64_t>(own.shape(0)));
      for (auto i : tl::range(0, 2)) { // the second time, it is the other one
        tl::store(out + 1 + i * 4, tl::cast<std::int64_t>(own.shape(0)));
        tl::store(out + 2 + i * 4, tl::cast<std::int64_t>(own.shape(-1)));
        tl::store(out + 3 + i * 4, own.stride(0));
        tl::store(out + 4 + i * 4, own.stride(1));
        own = d;
      }
      tl::if_(n > 0, [&] { own = tl::make_tensor_descriptor<8, 16>(x, {n + 1, 16}, {16, 1}); });
      tl::store(out + 9, tl::cast<std::int64_t>(own.shape(0)));
    }};

/// Doubles `count` rows, or columns, from `first` on, in tiles that reach past them.
template <int Axis>
constexpr auto double_slice =
    tl::kernel{[](tl::descriptor<float, 8, 16> d, tl::i32 first, tl::i32 count) {
      auto part = d.template slice<Axis>(first, count);
      for (auto i : tl::range(0, part.shape(0), 8))
        for (auto j : tl::range(0, part.shape(1), 16))
          part.store({i, j}, part.load({i, j}) * 2.0f);
    }};

constexpr auto sum_past_slice =
    tl::kernel{[](tl::descriptor<float, 8, 16> d, tl::ptr<float> out, tl::i32 first) {
      auto tile = d.slice(first, 3).load({0, 0});
      tl::store(out + tl::arange<8>(), tl::sum<1>(tl::where(tile == tile, tile, -1.0f)));
    }};

/// How long a slice is, and what its reads and writes beyond that do.
constexpr auto empty_slice =
    tl::kernel{[](tl::descriptor<float, 8, 16> d, tl::ptr<float> out, tl::i32 first, tl::i32 n) {
      auto part = d.slice(first, n);
      tl::store(out, tl::cast<float>(part.shape(0)));
      tl::store(out + 1, tl::sum(part.load({0, 0})));
      part.store({0, 0}, tl::full<float, 8, 16>(7.0f));
    }};

template <class T>
constexpr auto copy_tile = tl::kernel{[](tl::descriptor<T, 8, 16> d, tl::ptr<T> out) {
  auto at = tl::arange<8>()(tl::all, tl::newaxis) * 16 + tl::arange<16>()(tl::newaxis, tl::all);
  tl::store(out + at, d.load({16, 16}));
}};

constexpr auto round_line = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto at = tl::arange<16>();
  tl::store(out + at, tl::round_to_tf32(tl::load(x + at)));
  auto d = tl::make_tensor_descriptor<16>(x, {16}, {1}, {.round_f32_to_tf32 = true});
  tl::store(out + 16 + at, d.load({0}));
}};

/// To nearest in 10 bits, ties away from zero.
float rounded(float x) {
  if (!std::isfinite(x))
    return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & ~0x1FFFu);
}

/// Rows of one of two tensors, from `first` on, chosen by a branch that returns it.
constexpr auto chosen_slice =
    tl::kernel{[](tl::descriptor<float, 8, 16> x, tl::descriptor<float, 8, 16> y,
                  tl::ptr<float> out, tl::i32 n, tl::i32 first) {
      auto d = tl::if_(n > 3, [&] { return x; }, [&] { return y; });
      tl::store(out, tl::cast<float>(d.shape(0)));
      tl::store(out + 1, tl::cast<float>(d.stride(0)));
      tl::store(out + 2, tl::sum(d.slice(first, 1).load({0, 0})));
    }};

} // namespace

TEST_CASE("a descriptor that a branch returns is sliced as the one that it is") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<float> x(dev, std::vector<float>(std::size_t(rows * pitch), 1.0f));
    tl::buffer<float> y(dev, std::vector<float>(std::size_t(rows * pitch), 2.0f));
    const tl::tensor_descriptor<float, 8, 16> a(x, {rows, 16}, {pitch, 1});
    const tl::tensor_descriptor<float, 8, 16> b(y, {10, 8}, {16, 1});
    for (int n : {3, 4}) {
      guarded_buffer<float> out(dev, 3);
      numeric::seen(chosen_slice[numeric::grid(1)](a, b, out, n, 5));
      const std::vector<float> want =
          n > 3 ? std::vector<float>{rows, pitch, 16} : std::vector<float>{10, 16, 16};
      CHECK(allclose(out, want));
      CHECK(out.intact());
    }
  }
}

TEST_CASE("a slice beyond the tensor, or of a negative count, has no elements") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    const std::vector<float> ones(10 * 16, 1.0f);
    tl::buffer<float> x(dev, ones.size());
    const tl::tensor_descriptor<float, 8, 16> d(x, {10, 16}, {16, 1});
    for (const auto &[first, n] : {std::pair{11, 3}, {10, 1}, {12345, 5}, {2, -4}, {2, 0}}) {
      CAPTURE(first);
      CAPTURE(n);
      x.copy_from(ones);
      guarded_buffer<float> out(dev, 2);
      numeric::seen(empty_slice[numeric::grid(1)](d, out, first, n));
      CHECK(allclose(out, std::vector<float>{0, 0}));
      CHECK(allclose(x, ones));
      CHECK(out.intact());
    }
  }
}

TEST_CASE("a descriptor knows its extents and strides, also one that a loop carries") {
  const std::vector<std::int64_t> want{5, 5, 16, 16, 1, rows, columns, pitch, 1, 6};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, numbered());
    guarded_buffer<std::int64_t> out(dev, want.size());
    tl::tensor_descriptor<float, 8, 16> d(x, {rows, columns}, {pitch, 1});
    numeric::seen(parts[numeric::grid(1)](d, x, out, 5));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("a slice of a descriptor ends where it says, and where the tensor does") {
  struct part {
    int axis, first, count;
  };
  for (part p : {part{0, 3, 7}, {0, 12, 100}, {0, 5, 0}, {1, 3, 11}, {1, 16, 100}}) {
    std::vector<float> want = numbered();
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (const int at = p.axis == 0 ? i : j; at >= p.first && at < p.first + p.count)
          want[std::size_t(i * pitch + j)] *= 2;
    for (tl::device dev : tl::testing::devices()) {
      CAPTURE(dev.name());
      CAPTURE(p.axis);
      CAPTURE(p.first);
      tl::buffer<float> x(dev, numbered());
      tl::tensor_descriptor<float, 8, 16> d(x, {rows, columns}, {pitch, 1});
      numeric::seen(p.axis == 0 ? double_slice<0>[numeric::grid(1)](d, p.first, p.count)
                                : double_slice<1>[numeric::grid(1)](d, p.first, p.count));
      CHECK(allclose(x, want));
    }
  }
}

TEST_CASE("a slice is padded as its descriptor is") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, std::vector<float>(std::size_t(rows * pitch), 1.0f));
    for (bool with_nan : {false, true}) {
      guarded_buffer<float> out(dev, 8);
      tl::tensor_descriptor<float, 8, 16> d(
          x, {rows, columns}, {pitch, 1},
          {.padding = with_nan ? tl::padding::nan : tl::padding::zero});
      numeric::seen(sum_past_slice[numeric::grid(1)](d, out, 4));
      const float past = with_nan ? -16.0f : 0.0f;
      const std::vector<float> want{16, 16, 16, past, past, past, past, past};
      CHECK(allclose(out, want));
    }
  }
}

TEST_CASE_TEMPLATE("a host says what its descriptor is padded with", T, float, tl::float16,
                   tl::bfloat16, double) {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<T> x(dev, std::vector<T>(std::size_t(rows * pitch), T(1.0f)));
    for (bool with_nan : {true, false, true}) {
      guarded_buffer<T> out(dev, 128);
      tl::tensor_descriptor<T, 8, 16> d(
          x, {rows, columns}, {pitch, 1},
          {.padding = with_nan ? tl::padding::nan : tl::padding::zero});
      numeric::seen(copy_tile<T>[numeric::grid(1)](d, out));
      const std::vector<T> got = out.to_vector();
      int wrong = 0;
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 16; ++j) {
          const auto value = double(got[std::size_t(i * 16 + j)]);
          const bool inside = 16 + i < rows && 16 + j < columns;
          wrong += inside ? value != 1 : with_nan ? value == value : value != 0;
        }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a host's descriptor rounds what is read to TF32") {
  auto host = tl::testing::random_values<float>(std::size_t(rows * pitch));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 128);
    tl::tensor_descriptor<float, 8, 16> d(x, {rows, columns}, {pitch, 1},
                                          {.round_f32_to_tf32 = true});
    numeric::seen(copy_tile<float>[numeric::grid(1)](d, out));
    std::vector<float> want(128, 0.0f);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 8; ++j)
        want[std::size_t(i * 16 + j)] = rounded(host[std::size_t((16 + i) * pitch + 16 + j)]);
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a rounding to TF32 is to nearest, and keeps what is no number") {
  std::vector<float> host = tl::testing::random_values<float>(16);
  host[0] = 1.0f + 0x1p-11f; // a tie
  host[1] = -1.0f - 0x1p-11f;
  host[2] = 1.0f + 0x1p-11f - 0x1p-23f;
  host[3] = INFINITY;
  host[4] = -INFINITY;
  host[5] = NAN;
  host[6] = std::numeric_limits<float>::max();
  host[7] = std::numeric_limits<float>::denorm_min();
  host[8] = 0x1.ffcp-127f;
  std::vector<float> want;
  for (int copy = 0; copy < 2; ++copy)
    for (float value : host)
      want.push_back(rounded(value));
  CHECK(want[0] == 1.0f + 0x1p-10f);
  CHECK(want[2] == 1.0f);
  CHECK(std::isinf(want[6]));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, host);
    guarded_buffer<float> out(dev, 32);
    numeric::seen(round_line[numeric::grid(1)](x, out));
    const std::vector<float> got = out.to_vector();
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      if (std::isnan(want[i]))
        CHECK(std::isnan(got[i]));
      else
        CHECK(got[i] == want[i]);
    }
  }
}
