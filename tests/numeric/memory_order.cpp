// SPDX-License-Identifier: MIT
//
// The order of a program's memory operations, and promises about values: what
// include/tl/ops/memory.hpp and the hints of elementwise.hpp say, on every device.

#include "sweep.hpp"

#include <algorithm>
#include <numeric>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;
using ints = std::vector<std::int32_t>;

constexpr int n = 1024;

/// Reads backwards, through another parameter, what it has just written.
constexpr auto write_then_read =
    tl::kernel{"write_then_read", [](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> y,
                                     tl::ptr<std::int32_t> out) {
                 auto at = tl::arange<n>();
                 tl::store(y + at, at * 3);
                 tl::store(out + at, tl::load(x + (n - 1 - at)));
               }};

/// Writes over what it has just read backwards.
constexpr auto read_then_write =
    tl::kernel{"read_then_write", [](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> y) {
                 auto at = tl::arange<n>();
                 tl::store(y + at, tl::load(x + (n - 1 - at)) + 1);
               }};

/// Each iteration turns the buffer around by way of two parameters.
constexpr auto turns =
    tl::kernel{"turns", [](tl::ptr<std::int32_t> x, tl::ptr<std::int32_t> y, tl::i32 steps) {
                 auto at = tl::arange<n>();
                 for ([[maybe_unused]] auto step : tl::range(0, steps))
                   tl::store(y + at, tl::load(x + (n - 1 - at)) + 1);
               }};

/// Each tile but the first gets the last row of the one before it, as that was left there.
constexpr auto carried_rows =
    tl::kernel{"carried_rows", [](tl::ptr<std::int32_t> x, tl::i32 steps) {
                 auto row = tl::expand_dims<1>(tl::arange<32>());
                 auto column = tl::arange<32>();
                 for (auto step : tl::range(1, steps)) {
                   auto last = tl::load(x + (step * 1024 - 32) + column);
                   auto tile = x + step * 1024 + row * 32 + tl::expand_dims<0>(column);
                   tl::store(tile, tl::load(tile) + tl::expand_dims<0>(last));
                 }
               }};

/// Pairs of lanes store to one address, and read it back.
constexpr auto pairs = tl::kernel{"pairs", [](tl::ptr<std::int32_t> x, tl::ptr<std::int32_t> out) {
                                    auto at = tl::arange<n>();
                                    tl::store(x + at / 2, at);
                                    tl::store(out + at, tl::load(x + at / 2));
                                  }};

/// Lanes a row apart share addresses where the rows lie on one another.
constexpr auto rows_on_one_another = tl::kernel{
    "rows_on_one_another", [](tl::ptr<std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 stride) {
      auto row = tl::expand_dims<1>(tl::arange<32>());
      auto column = tl::expand_dims<0>(tl::arange<32>());
      auto at = row * 32 + column;
      auto p = x + row * stride + column;
      tl::store(p, at);
      tl::store(out + at, tl::load(p));
    }};

/// The promise is made in one branch only.
constexpr auto hint_in_a_branch = tl::kernel{
    "hint_in_a_branch", [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 s, tl::i32 m) {
      auto i = tl::arange<n>();
      auto at = s * 3;
      tl::tensor<float, tl::shape<n>> v = tl::zeros<float, n>();
      tl::if_(
          m == 0, [&] { v = tl::load(x + tl::multiple_of<16>(at) + i); },
          [&] { v = tl::load(x + at + i); });
      tl::store(out + i, v);
    }};

/// Promises about a parameter and about the variable of a loop, where they hold.
constexpr auto hints_of_parameters = tl::kernel{
    "hints_of_parameters", [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 s, tl::i32 m) {
      auto i = tl::arange<128>();
      for (auto k : tl::range(0, 256, 128))
        tl::if_(
            m == 0,
            [&] {
              tl::store(out + k + i,
                        tl::load(x + tl::multiple_of<16>(s) + tl::multiple_of<128>(k) + i));
            },
            [&] { tl::store(out + k + i, tl::load(x + s + k + i)); });
    }};

template <class T> std::vector<T> counted(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

} // namespace

TEST_CASE("a program reads what it has written, through whatever parameter") {
  ints want(n), original(n);
  for (int i = 0; i < n; ++i)
    want[std::size_t(i)] = (n - 1 - i) * 3, original[std::size_t(i)] = n - 1 - i;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> one(dev, counted<std::int32_t>(n)), two(dev, n);
    guarded_buffer<std::int32_t> out(dev, n);
    numeric::seen(write_then_read[numeric::grid(1)](one, two, out));
    CHECK(allclose(out, original));
    numeric::seen(write_then_read[numeric::grid(1)](one, one, out));
    CHECK(allclose(out, want));
    // As pointers, whose ends nobody knows.
    tl::buffer<std::int32_t> three(dev, counted<std::int32_t>(n));
    write_then_read[{.grid = {1}, .device = dev}](three.data(), three.data(), out);
    CHECK(allclose(out, want));
  }
}

TEST_CASE("a program writes after it has read, through whatever parameter") {
  ints want(n);
  for (int i = 0; i < n; ++i)
    want[std::size_t(i)] = n - i;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> one(dev, counted<std::int32_t>(n));
    numeric::seen(read_then_write[numeric::grid(1)](one, one));
    CHECK(allclose(one, want));
  }
}

TEST_CASE("the iterations of a loop see what earlier ones wrote, through whatever parameter") {
  for (int steps : {0, 1, 2, 7}) {
    ints want = counted<std::int32_t>(n);
    for (int step = 0; step < steps; ++step) {
      std::reverse(want.begin(), want.end());
      for (std::int32_t &value : want)
        ++value;
    }
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<std::int32_t> one(dev, counted<std::int32_t>(n));
      numeric::seen(turns[numeric::grid(1)](one, one, steps));
      CHECK(allclose(one, want));
      tl::buffer<std::int32_t> two(dev, counted<std::int32_t>(n));
      turns[{.grid = {1}, .device = dev}](two.data(), two.data(), steps);
      CHECK(allclose(two, want));
    }
  }
}

TEST_CASE("all threads read the row that some of them wrote in the iteration before") {
  constexpr int steps = 20;
  ints want = counted<std::int32_t>(steps * 1024);
  for (int i = 1024; i < steps * 1024; ++i)
    want[std::size_t(i)] += want[std::size_t(i / 1024 * 1024 - 32 + i % 32)];
  for (tl::device dev : tl::testing::devices())
    for (int run = 0; run < 5; ++run) {
      tl::buffer<std::int32_t> x(dev, counted<std::int32_t>(steps * 1024));
      numeric::seen(carried_rows[numeric::grid(1)](x, steps));
      CHECK(allclose(x, want));
    }
}

TEST_CASE("lanes that share an address read the one value that is left there") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, ints(n));
    guarded_buffer<std::int32_t> out(dev, n);
    numeric::seen(pairs[numeric::grid(1)](x, out));
    const ints left = x.to_vector(), read = out.to_vector();
    for (int i = 0; i < n; ++i) {
      const std::int32_t value = left[std::size_t(i / 2)];
      CHECK((value / 2 == i / 2 && read[std::size_t(i)] == value));
    }
    for (int stride : {0, 1, 32}) {
      tl::buffer<std::int32_t> y(dev, n);
      numeric::seen(rows_on_one_another[numeric::grid(1)](y, out, stride));
      const ints seen = out.to_vector();
      ints memory(n, -1);
      if (stride == 32)
        memory = counted<std::int32_t>(n);
      for (int row = 0; row < 32; ++row)
        for (int column = 0; column < 32; ++column) {
          std::int32_t &cell = memory[std::size_t(row * stride + column)];
          const std::int32_t got = seen[std::size_t(row * 32 + column)];
          if (cell < 0)
            cell = got;
          CHECK(got == cell);
        }
    }
  }
}

TEST_CASE("a promise holds in the branch where it is made, and in no other") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, counted<float>(2 * n));
    guarded_buffer<float> out(dev, n);
    for (auto [s, m] : {std::pair(5, 7), std::pair(16, 0)}) {
      numeric::seen(hint_in_a_branch[numeric::grid(1)](x, out, s, m));
      std::vector<float> want(n);
      std::iota(want.begin(), want.end(), float(3 * s));
      CHECK(allclose(out, want));
    }
  }
}

TEST_CASE("promises about parameters and loop variables hold where they are made") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, counted<float>(2 * n));
    guarded_buffer<float> out(dev, 256);
    for (auto [s, m] : {std::pair(3, 1), std::pair(32, 0)}) {
      numeric::seen(hints_of_parameters[numeric::grid(1)](x, out, s, m));
      std::vector<float> want(256);
      std::iota(want.begin(), want.end(), float(s));
      CHECK(allclose(out, want));
    }
  }
}
