// SPDX-License-Identifier: MIT
//
// A deterministic launch: the order of additions follows from the extent of the axis alone. So
// sums are compared bit for bit with the host's, added in the order that the page "How to get the
// same bits" states, and everything else with itself, run with other numbers of warps and of rows.

#include "gpus.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int warp_counts[] = {1, 2, 4, 8};

tl::launch_options same_bits(int warps) {
  tl::launch_options options = numeric::grid(1);
  options.num_warps = warps;
  options.deterministic = true;
  return options;
}

/// Numbers far apart, so that every other order is another sum.
template <class T> std::vector<T> input(int count) {
  std::mt19937 random{unsigned(tl::testing::seed())};
  std::uniform_real_distribution<double> part(-1, 1);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<T> x;
  for (int i = 0; i < count; ++i)
    x.push_back(T(std::ldexp(part(random), exponent(random))));
  return x;
}

template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// ---- The host's orders

constexpr auto plus = [](auto a, auto b) { return a + b; };
constexpr auto half_plus = [](float a, float b) { return a * 0.5f + b; };

/// Neighbours, then neighbouring pairs, and so on.
template <class T, class F> T tree(std::vector<T> x, F f) {
  for (std::size_t step = 1; step < x.size(); step *= 2)
    for (std::size_t i = 0; i < x.size(); i += 2 * step)
      x[i] = f(x[i], x[i + step]);
  return x[0];
}
template <class T, class F> T one_after_the_other(const std::vector<T> &x, F f) {
  T sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i)
    sum = f(sum, x[i]);
  return sum;
}
/// 32 partial results, folded in halves.
template <class T, class F> T partial_results(const std::vector<T> &x, F f) {
  if (x.size() < 8)
    return one_after_the_other(x, f);
  std::size_t count = std::min<std::size_t>(x.size(), 32);
  std::vector<T> sums(x.begin(), x.begin() + std::ptrdiff_t(count));
  for (std::size_t i = count; i < x.size(); ++i)
    sums[i % count] = f(sums[i % count], x[i]);
  for (count /= 2; count > 0; count /= 2)
    for (std::size_t i = 0; i < count; ++i)
      sums[i] = f(sums[i], sums[i + count]);
  return sums[0];
}
template <class T> T rounded_once(const std::vector<T> &x) {
  long double sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i)
    sum = sizeof(T) == 8 ? sum + x[i] : (long double)(double(sum) + double(x[i]));
  return T(sum);
}
template <class T, class F>
T host_reduction(tl::device dev, const std::vector<T> &x, F f, bool last_axis = true) {
  if (std::string(dev.name()) == "cpu")
    return last_axis ? partial_results(x, f) : one_after_the_other(x, f);
  return tree(x, f);
}
template <class T> T host_sum(tl::device dev, const std::vector<T> &x, bool last_axis = true) {
  if (std::string(dev.name()) == "interpreter")
    return rounded_once(x);
  return host_reduction(dev, x, plus, last_axis);
}

// ---- Sums

template <class T, int Rows, int Columns, int Axis>
constexpr auto sums = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 n) {
  auto columns = tl::arange<Columns>();
  auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns + columns(tl::newaxis, tl::all);
  auto inside = tl::broadcast_to<Rows, Columns>((columns < n)(tl::newaxis, tl::all));
  auto v = tl::load(x + at, inside, 0.0);
  if constexpr (Rows == 1 && Axis == 1)
    tl::store(out, tl::sum<0>(tl::reshape<Columns>(v)));
  else
    tl::store(out + tl::arange<Axis == 0 ? Columns : Rows>(), tl::sum<Axis>(v));
}};

template <class T, int Rows, int Columns, int Axis> void check_sums() {
  constexpr int length = Axis == 0 ? Rows : Columns, stride = Axis == 0 ? Columns : 1;
  constexpr int lines = Rows * Columns / length;
  for (const int n : {Columns, std::max(1, Columns - 3), Columns / 2 + 1}) {
    std::vector<T> x = input<T>(Rows * Columns);
    for (tl::device dev : tl::testing::devices()) {
      std::vector<T> want;
      for (int line = 0; line < lines; ++line) {
        std::vector<T> values;
        for (int i = 0; i < length; ++i) {
          const int at = (Axis == 0 ? line : line * length) + i * stride;
          values.push_back(at % Columns < n ? x[std::size_t(at)] : T(0));
        }
        want.push_back(host_sum(dev, values, Axis == 1));
      }
      for (int warps : warp_counts) {
        CAPTURE(dev.name());
        CAPTURE(warps);
        CAPTURE(Rows);
        CAPTURE(Columns);
        CAPTURE(n);
        tl::buffer<T> in(dev, x), out(dev, want.size());
        numeric::seen(sums<T, Rows, Columns, Axis>[same_bits(warps)](in, out, n));
        CHECK(same(out.to_vector(), want));
      }
    }
  }
}

// ---- Everything else: for each row the same, however many there are

template <int Rows, int Columns>
constexpr auto combinations = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto rows = tl::arange<Rows>();
  auto columns = tl::arange<Columns>();
  auto at = tl::broadcast_to<Rows, Columns>(columns(tl::newaxis, tl::all)) +
            rows(tl::all, tl::newaxis) * 0;
  auto v = tl::load(x + at), w = tl::load(x + Columns + at);
  // What neither commutes nor associates; sums of products; two values; the logarithm of a sum.
  auto order = tl::reduce<1>(v, [](auto a, auto b) { return a * 0.5f + b; });
  auto product = tl::sum<1>(v * w);
  auto [most, where] = tl::max_with_index<1>(v);
  auto exponent = tl::sum<1>(tl::exp(v * 0.001f - most(tl::all, tl::newaxis)));
  auto pairs = tl::sum<1>(tl::interleave(v, w));
  tl::store(out + rows, order);
  tl::store(out + Rows + rows, product);
  tl::store(out + 2 * Rows + rows, most);
  tl::store(out + 3 * Rows + rows, tl::cast<float>(where));
  tl::store(out + 4 * Rows + rows, exponent);
  tl::store(out + 5 * Rows + rows, pairs);
}};

template <int Rows, int Columns>
constexpr auto prefixes = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto columns = tl::arange<Columns>();
  auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns + columns(tl::newaxis, tl::all);
  auto v = tl::load(x + at % Columns);
  tl::store(out + at, tl::cumsum<1>(v));
  tl::store(out + Rows * Columns + at, tl::cumsum<1>(v, {.reverse = true}));
  tl::store(out + 2 * Rows * Columns + at,
            tl::associative_scan<1>(v, [](auto a, auto b) { return a * 0.5f + b; }));
}};

/// Runs a kernel with each number of warps, and compares each row's `results` parts of `length`
/// numbers with `first`, which is empty at first.
template <class K>
void check_rows(const K &kernel, tl::device dev, const std::vector<float> &x, int rows, int results,
                int length, std::vector<float> &first) {
  for (int warps : warp_counts) {
    CAPTURE(dev.name());
    CAPTURE(warps);
    CAPTURE(rows);
    tl::buffer<float> in(dev, x), out(dev, std::size_t(rows * results * length));
    numeric::seen(kernel[same_bits(warps)](in, out));
    const std::vector<float> got = out.to_vector();
    for (int row = 0; row < rows; ++row) {
      std::vector<float> one;
      for (int part = 0; part < results; ++part) {
        const auto begin = got.begin() + std::ptrdiff_t((part * rows + row) * length);
        one.insert(one.end(), begin, begin + length);
      }
      if (first.empty())
        first = one;
      CHECK(same(one, first));
    }
  }
}

template <int Columns> void check_columns() {
  const std::vector<float> x = input<float>(2 * Columns);
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(Columns);
    std::vector<float> reduced, scanned;
    check_rows(combinations<1, Columns>, dev, x, 1, 6, 1, reduced);
    check_rows(combinations<4, Columns>, dev, x, 4, 6, 1, reduced);
    check_rows(combinations<32, Columns>, dev, x, 32, 6, 1, reduced);
    std::vector<float> v(x.begin(), x.begin() + Columns), products, pairs;
    for (std::size_t i = 0; i < Columns; ++i) {
      products.push_back(x[i] * x[i + Columns]);
      pairs.push_back(x[i]);
      pairs.push_back(x[i + Columns]);
    }
    CHECK(reduced[0] == host_reduction(dev, v, half_plus));
    CHECK(reduced[1] == host_sum(dev, products));
    CHECK(reduced[5] == host_sum(dev, pairs));
    check_rows(prefixes<1, Columns>, dev, x, 1, 3, Columns, scanned);
    check_rows(prefixes<16, Columns>, dev, x, 16, 3, Columns, scanned);
    // On GPUs the last running sum is the sum.
    if (numeric::is_gpu(dev.name()))
      CHECK(scanned[Columns - 1] == tree(v, plus));
  }
}

constexpr auto row_sums = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto row = tl::program_id(0);
  tl::store(out + row, tl::sum<0>(tl::load(x + row * 512 + tl::arange<512>())));
}};

constexpr auto whole_block = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto at = tl::arange<32>()(tl::all, tl::newaxis) * 64 + tl::arange<64>()(tl::newaxis, tl::all);
  tl::store(out, tl::sum(tl::load(x + at)));
}};

constexpr std::uint32_t added_line = __LINE__ + 1;
constexpr auto added = tl::kernel{[](tl::ptr<float> x) { tl::atomic_add(x, 1.0f); }};
constexpr auto ticket = tl::kernel{[](tl::ptr<int> x) { tl::store(x + 1, tl::atomic_add(x, 1)); }};
constexpr auto counted = tl::kernel{[](tl::ptr<int> x, tl::ptr<float> most) {
  tl::atomic_add(x, tl::program_id(0));
  tl::atomic_max(most, tl::cast<float>(tl::program_id(0)));
}};

template <class K, class B> std::string refusal(const K &kernel, B &buffer, std::uint32_t &line) {
  try {
    kernel[same_bits(4)](buffer);
  } catch (const tl::compile_error &error) {
    line = error.line();
    return error.message();
  }
  return "";
}

} // namespace

TEST_CASE("a deterministic sum has an order that the extent of the axis decides") {
  check_sums<float, 1, 4, 1>();
  check_sums<float, 8, 4, 1>();
  check_sums<float, 1, 32, 1>();
  check_sums<float, 1, 1024, 1>();
  check_sums<float, 16, 128, 1>();
  check_sums<float, 128, 16, 1>();
  check_sums<float, 128, 16, 0>();
  check_sums<float, 64, 1, 0>();
  check_sums<double, 4, 256, 1>();
  check_sums<double, 1, 8192, 1>();
}

TEST_CASE("a deterministic sum of a whole block is that of its elements in order") {
  const std::vector<float> x = input<float>(2048);
  for (tl::device dev : tl::testing::devices())
    for (int warps : warp_counts) {
      CAPTURE(dev.name());
      CAPTURE(warps);
      tl::buffer<float> in(dev, x), out(dev, 1);
      numeric::seen(whole_block[same_bits(warps)](in, out));
      CHECK(out.to_vector()[0] == host_sum(dev, x));
    }
}

TEST_CASE("a deterministic launch with a grid sums each row alike") {
  const int rows = 3;
  const std::vector<float> one = input<float>(512);
  std::vector<float> x;
  for (int row = 0; row < rows; ++row)
    x.insert(x.end(), one.begin(), one.end());
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<float> in(dev, x), out(dev, rows);
    // [launch]
    row_sums[{.grid = {rows}, .deterministic = true}](in, out);
    // [launch]
    CHECK(same(out.to_vector(), std::vector<float>(rows, host_sum(dev, one))));
  }
}

TEST_CASE("a deterministic result of a row is the same in a batch and with any number of warps") {
  check_columns<16>();
  check_columns<256>();
  check_columns<1024>();
}

TEST_CASE("a deterministic launch refuses what shows the order of the programs, and says where") {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, std::vector<float>(2));
    tl::buffer<int> i(dev, 2);
    std::uint32_t line = 0;
    CHECK(refusal(added, x, line) ==
          "tl::atomic_add of floats rounds in the order in which programs "
          "run, which a deterministic launch refuses");
    CHECK(line == added_line);
    CHECK(refusal(ticket, i, line) ==
          "tl::atomic_add returns what depends on the order in which programs run, which a "
          "deterministic launch refuses");
    tl::buffer<int> count(dev, std::vector<int>{0});
    tl::buffer<float> most(dev, std::vector<float>{-1});
    tl::launch_options options = same_bits(4);
    options.grid = tl::grid(100);
    numeric::seen(counted[options](count, most));
    CHECK(count.to_vector()[0] == 4950);
    CHECK(most.to_vector()[0] == 99);
    CHECK_NOTHROW(added[numeric::grid(1)](x));
  }
}
