// SPDX-License-Identifier: MIT
//
// Operations that follow each other: what one leaves in threads, lanes or shared memory is what the
// next must find. Reductions of reductions, scans and products in loops, loads that decide where
// stores go.

#include "sweep.hpp"

#include <algorithm>
#include <cmath>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

template <class T> std::vector<T> whole_numbers(std::size_t count, int low, int high) {
  std::vector<T> values;
  for (std::int32_t value : tl::testing::random_values<std::int32_t>(
           count, {static_cast<double>(low), static_cast<double>(high + 1)}))
    values.push_back(T(static_cast<float>(value)));
  return values;
}

// ---- Masks

/// The largest of the neighbours of each pixel that exist; loads of the others are thrown away.
template <bool FillWithNan>
constexpr auto largest_neighbour =
    tl::kernel{[](tl::ptr<const tl::float16> x, tl::ptr<tl::float16> out) {
      auto at = tl::arange<64>();
      auto row = at / 8, column = at % 8;
      tl::tensor best = tl::load(x + at);
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) {
          auto inside = (row + i >= 0) & (row + i < 8) & (column + j >= 0) & (column + j < 8);
          auto place = x + at + (8 * i + j);
          auto value = [&] {
            if constexpr (FillWithNan)
              return tl::load(place, inside, NAN);
            else
              return tl::load(place, inside);
          }();
          best = tl::where(inside & (value > best), value, best);
        }
      tl::store(out + at, best);
    }};

// ---- Reductions and scans

/// Windows of 4x4 over an image of 6x6, summed over one axis and then over the other.
constexpr auto window_sums = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto r = tl::arange<4>();
  auto i = r(tl::all, tl::newaxis, tl::newaxis, tl::newaxis) +
           r(tl::newaxis, tl::newaxis, tl::all, tl::newaxis);
  auto j = r(tl::newaxis, tl::all, tl::newaxis, tl::newaxis) +
           r(tl::newaxis, tl::newaxis, tl::newaxis, tl::all);
  auto v = tl::load(x + i * 6 + j, (i < 6) & (j < 6), 0);
  tl::store(out + r(tl::all, tl::newaxis) * 4 + r(tl::newaxis, tl::all), tl::sum<2>(tl::sum<2>(v)));
}};

/// Row sums, kept as a column (or as a row), are reduced once more along the long axis.
template <int Rows, bool AsRow>
constexpr auto reduced_column = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto i = tl::arange<Rows>()(tl::all, tl::newaxis);
  auto j = tl::arange<32>()(tl::newaxis, tl::all);
  auto sums = tl::sum<1, tl::keep_dims>(tl::load(x + i * 32 + j));
  if constexpr (AsRow) {
    auto row = tl::trans(sums);
    tl::store(out + tl::arange<1>(), tl::max<1>(row));
    tl::store(out + 1 + tl::arange<1>(), tl::sum<1>(row));
  } else {
    tl::store(out + tl::arange<1>(), tl::max<0>(sums));
    tl::store(out + 1 + tl::arange<1>(), tl::sum<0>(sums));
  }
}};

template <class T>
constexpr auto reduced_broadcast =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<std::int32_t> along, tl::ptr<std::int32_t> across,
                  tl::ptr<std::int32_t> flat) {
      auto c = tl::arange<4>();
      auto r = tl::arange<8>();
      auto v = tl::cast<std::int32_t>(
          tl::broadcast_to<8, 4>(tl::expand_dims<0>(tl::load(x + c)) * tl::full<T, 1, 4>(T(100))));
      tl::store(across + r, tl::sum<1>(v));
      tl::store(across + 8 + r, tl::max<1>(v));
      tl::store(across + 16 + r, tl::min<1>(v));
      tl::store(along + c, tl::sum<0>(v));
      tl::store(along + 4 + c, tl::max<0>(v));
      tl::store(along + 8 + c, tl::min<0>(v));
      tl::store(flat, tl::sum(tl::reshape<32>(v)));
      tl::store(flat + 1 + r, tl::sum<0>(tl::reshape<4, 8>(v)));
    }};

/// The extreme values of a whole block, from the first element on.
template <class T, int N>
constexpr auto extremes = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto v = tl::load(x + tl::arange<N>());
  tl::store(out, tl::max(v));
  tl::store(out + 1, tl::min(v));
}};

template <class T, int N> void check_extremes(T value) {
  std::vector<T> x(N, value);
  if (N > 2)
    x[N / 2] = x[0]; // all the same: nothing but a neutral element could be larger or smaller
  for (tl::device dev : tl::testing::devices()) {
    INFO(N << " times " << float(value));
    tl::buffer<T> in(dev, x);
    guarded_buffer<T> out(dev, 2);
    numeric::seen(extremes<T, N>[numeric::grid(1)](in, out));
    CHECK(allclose(out, std::vector<T>{value, value}));
  }
}

template <int Block>
constexpr auto count_chunks = tl::kernel{[](tl::ptr<std::int64_t> out, tl::i32 n) {
  auto at = tl::expand_dims<0>(tl::arange<Block>());
  for (auto first : tl::range(0, n, Block)) {
    auto inside = first + at < n;
    auto counts = tl::cumsum<1>(tl::where(inside, 1, 0));
    tl::store(out + first + at, tl::cast<std::int64_t>(counts), inside);
  }
}};

constexpr auto suffix_sums = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto at = tl::arange<64>();
  tl::store(out + at, tl::cumsum<0>(tl::load(x + at), {.reverse = true}));
}};

template <class T, int Rows, int Columns>
constexpr auto row_scans = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out) {
  auto at = tl::arange<Rows>()(tl::all, tl::newaxis) * Columns +
            tl::arange<Columns>()(tl::newaxis, tl::all);
  auto v = tl::load(x + at);
  if constexpr (std::is_integral_v<T>)
    tl::store(out + at, tl::cumsum<1>(v));
  else // log(e^a + e^b), without overflow
    tl::store(out + at, tl::associative_scan<1>(v, [](auto a, auto b) {
                auto m = tl::maximum(a, b);
                return m + tl::log(tl::exp(a - m) + tl::exp(b - m));
              }));
}};

template <int Rows, int Columns> void check_row_scans() {
  std::vector<std::int32_t> x, want;
  std::vector<float> y, logs;
  for (int r = 0; r < Rows; ++r) {
    double total = 0;
    for (int c = 0; c < Columns; ++c) {
      x.push_back((r * Columns + c) % 5 - 2);
      want.push_back(x.back() + (c == 0 ? 0 : want.back()));
      y.push_back(static_cast<float>(c % 7) / 4);
      total += std::exp(static_cast<double>(y.back()));
      logs.push_back(static_cast<float>(std::log(total)));
    }
  }
  for (tl::device dev : tl::testing::devices()) {
    INFO(Rows << "x" << Columns);
    tl::buffer<std::int32_t> integers(dev, x);
    guarded_buffer<std::int32_t> sums(dev, x.size());
    numeric::seen(row_scans<std::int32_t, Rows, Columns>[numeric::grid(1)](integers, sums));
    CHECK(allclose(sums, want));
    tl::buffer<float> floats(dev, y);
    guarded_buffer<float> results(dev, y.size());
    numeric::seen(row_scans<float, Rows, Columns>[numeric::grid(1)](floats, results));
    CHECK(allclose(results, logs, {.rtol = 1e-5, .atol = 1e-5}));
  }
}

// ---- Products

template <class T, int BM, int BN, int BK>
constexpr auto two_products = tl::kernel{
    [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<float> out, tl::i32 n, tl::i32 depth) {
      auto m = (tl::program_id(0) * BM + tl::arange<BM>())(tl::all, tl::newaxis);
      auto c = (tl::program_id(1) * BN + tl::arange<BN>())(tl::newaxis, tl::all);
      auto row = tl::arange<BK>()(tl::newaxis, tl::all);
      auto column = tl::arange<BK>()(tl::all, tl::newaxis);
      tl::tensor acc = tl::zeros<float, BM, BN>();
      for (auto k : tl::range(0, depth, 2 * BK))
        for (int half = 0; half < 2; ++half) {
          auto x = tl::load(a + m * depth + (row + k + half * BK));
          auto y = tl::load(b + (column + k + half * BK) * n + c);
          acc = tl::dot(x, y, acc, {.input_precision = tl::ieee});
        }
      tl::store(out + m * n + c, acc);
    }};

template <class T, int BM> void check_two_products() {
  const int m = 128, n = 64, depth = 128;
  const auto a = whole_numbers<T>(m * depth, -2, 2), b = whole_numbers<T>(depth * n, -2, 2);
  std::vector<float> want(std::size_t(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += float(a[std::size_t(i * depth + k)]) * float(b[std::size_t(k * n + j)]);
      want[std::size_t(i * n + j)] = sum;
    }
  for (tl::device dev : tl::testing::devices()) {
    INFO("tiles of " << BM);
    tl::buffer<T> x(dev, a), y(dev, b);
    guarded_buffer<float> out(dev, want.size());
    numeric::seen(two_products<T, BM, 64, 32>[numeric::grid(m / BM, 1)](x, y, out, n, depth));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

/// Operands are changed between the load and the product: one more, or the low half shifted up.
template <class T, class C>
constexpr auto changed_operand =
    tl::kernel{[](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<C> out) {
      auto i = tl::arange<64>()(tl::all, tl::newaxis);
      auto j = tl::arange<64>()(tl::newaxis, tl::all);
      auto row = tl::arange<32>()(tl::newaxis, tl::all);
      auto column = tl::arange<32>()(tl::all, tl::newaxis);
      tl::tensor acc = tl::zeros<C, 64, 64>();
      for (auto k : tl::range(0, 64, 32)) {
        auto x = tl::load(a + i * 64 + row + k);
        auto y = tl::load(b + (column + k) * 64 + j);
        if constexpr (std::is_integral_v<T>)
          acc += tl::dot(x, (y & T(15)) << T(4));
        else
          acc += tl::dot(x, y + T(1.0f));
      }
      tl::store(out + i * 64 + j, acc);
    }};

template <class T, class C> void check_changed_operand(T a, T b, C want) {
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, std::vector<T>(64 * 64, a)), y(dev, std::vector<T>(64 * 64, b));
    guarded_buffer<C> out(dev, 64 * 64);
    numeric::seen(changed_operand<T, C>[numeric::grid(1)](x, y, out));
    CHECK(allclose(out, std::vector<C>(64 * 64, want)));
  }
}

/// Straight code of any length: each step takes some ninety instructions of a thread.
template <int Steps>
constexpr auto turned_again_and_again =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out) {
      auto at =
          tl::arange<16>()(tl::all, tl::newaxis) * 16 + tl::arange<16>()(tl::newaxis, tl::all);
      tl::tensor v = tl::load(x + at);
      for (int i = 0; i < Steps; ++i)
        v = tl::trans(v) * 3 + v;
      tl::store(out + at, v);
    }};

template <int Steps> void check_turned() {
  const auto x = tl::testing::random_values<std::int32_t>(256, {-1000, 1000});
  std::vector<std::int32_t> want = x;
  for (int step = 0; step < Steps; ++step) {
    const std::vector<std::int32_t> before = want;
    for (std::size_t i = 0; i < 256; ++i)
      want[i] =
          std::int32_t(std::uint32_t(before[i % 16 * 16 + i / 16]) * 3 + std::uint32_t(before[i]));
  }
  for (tl::device dev : tl::testing::devices()) {
    INFO(Steps << " steps");
    tl::buffer<std::int32_t> in(dev, x);
    guarded_buffer<std::int32_t> out(dev, 256);
    numeric::seen(turned_again_and_again<Steps>[numeric::grid(1)](in, out));
    CHECK(allclose(out, want));
  }
}

/// A product over a depth known when running, with more stages in flight than there may be
/// iterations.
constexpr auto short_product =
    tl::kernel{[](tl::ptr<const tl::float16> a, tl::ptr<const tl::float16> b, tl::ptr<float> out,
                  tl::i32 depth) {
      auto i = tl::arange<64>()(tl::all, tl::newaxis);
      auto j = tl::arange<64>()(tl::newaxis, tl::all);
      auto row = tl::arange<32>()(tl::newaxis, tl::all);
      auto column = tl::arange<32>()(tl::all, tl::newaxis);
      tl::tensor acc = tl::zeros<float, 64, 64>();
      for (auto k : tl::range(0, depth, 32, {.num_stages = 4})) {
        auto x = tl::load(a + i * depth + row + k, row + k < depth, 0);
        auto y = tl::load(b + (column + k) * 64 + j, column + k < depth, 0);
        acc += tl::dot(x, y);
      }
      tl::store(out + i * 64 + j, acc);
    }};

} // namespace

TEST_CASE("what a masked load brings and a select throws away reaches no result") {
  const auto host = tl::testing::random_values<tl::float16>(64, {-1, 1});
  std::vector<tl::float16> want = host;
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      for (int i = std::max(r - 1, 0); i <= std::min(r + 1, 7); ++i)
        for (int j = std::max(c - 1, 0); j <= std::min(c + 1, 7); ++j)
          if (host[std::size_t(i * 8 + j)] > want[std::size_t(r * 8 + c)])
            want[std::size_t(r * 8 + c)] = host[std::size_t(i * 8 + j)];
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<tl::float16> x(dev, host);
    guarded_buffer<tl::float16> out(dev, 64), same(dev, 64);
    numeric::seen(largest_neighbour<false>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    numeric::seen(largest_neighbour<true>[numeric::grid(1)](x, same));
    CHECK(allclose(same, want));
  }
}

TEST_CASE("straight code of any length computes the same") {
  check_turned<10>();
  check_turned<60>();
  check_turned<300>();
}

TEST_CASE("a masked tile of four axes is summed over two of them") {
  std::vector<float> want;
  for (int h = 0; h < 4; ++h)
    for (int w = 0; w < 4; ++w)
      want.push_back(float(std::min(4, 6 - h) * std::min(4, 6 - w)));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, std::vector<float>(36, 1.0f));
    guarded_buffer<float> out(dev, 16);
    numeric::seen(window_sums[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
  }
}

TEST_CASE("sums of rows are reduced along the axis that is left") {
  const auto check = [](auto rows, auto as_row) {
    constexpr int n = rows.value;
    std::vector<float> x(n * 32, 0.0f);
    float largest = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
      const float total = static_cast<float>(i * 7 % 16) / 8;
      x[std::size_t(i * 32 + i % 32)] = total;
      largest = std::max(largest, total);
      sum += total;
    }
    for (tl::device dev : tl::testing::devices()) {
      tl::buffer<float> in(dev, x);
      guarded_buffer<float> out(dev, 2);
      numeric::seen(reduced_column<n, as_row.value>[numeric::grid(1)](in, out));
      CHECK(allclose(out, std::vector<float>{largest, sum}));
    }
  };
  check(std::integral_constant<int, 16>{}, std::false_type{});
  check(std::integral_constant<int, 16>{}, std::true_type{});
  check(std::integral_constant<int, 64>{}, std::false_type{});
}

TEST_CASE_TEMPLATE("a row that is repeated is reduced along either axis", T, std::int32_t,
                   std::int8_t) {
  const std::vector<T> x{3, -1, 7, 2};
  std::vector<std::int32_t> v, along, across, flat;
  for (T value : x)
    v.push_back(T(value * 100)); // of int8 they wrap
  const std::int32_t sum = v[0] + v[1] + v[2] + v[3];
  for (std::int32_t every :
       {sum, *std::max_element(v.begin(), v.end()), *std::min_element(v.begin(), v.end())})
    across.insert(across.end(), 8, every);
  for (int times : {8, 1, 1})
    for (std::int32_t value : v)
      along.push_back(times * value);
  flat.push_back(8 * sum);
  for (int i = 0; i < 8; ++i)
    flat.push_back(4 * v[std::size_t(i % 4)]);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> in(dev, x);
    guarded_buffer<std::int32_t> a(dev, 12), b(dev, 24), c(dev, 9);
    numeric::seen(reduced_broadcast<T>[numeric::grid(1)](in, a, b, c));
    CHECK(allclose(a, along));
    CHECK(allclose(b, across));
    CHECK(allclose(c, flat));
  }
}

TEST_CASE_TEMPLATE("the extremes of any block are values that it has", T, tl::float16, tl::bfloat16,
                   float, double, std::int8_t, std::int32_t, std::uint8_t) {
  std::vector<T> values{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(0),
                        T(1)};
  if constexpr (!std::is_integral_v<T>)
    values.insert(values.end(), {std::numeric_limits<T>::infinity(),
                                 T(-std::numeric_limits<T>::infinity()), T(-1.0f), T(-3.0f)});
  for (T value : values) {
    check_extremes<T, 1>(value);
    check_extremes<T, 2>(value);
    check_extremes<T, 4>(value);
    check_extremes<T, 16>(value);
    check_extremes<T, 512>(value);
  }
}

TEST_CASE("a cumulative sum in a loop counts in every iteration") {
  for (int n : {1, 8, 13, 32, 70}) {
    std::vector<std::int64_t> by8, by32;
    for (int i = 0; i < n; ++i) {
      by8.push_back(i % 8 + 1);
      by32.push_back(i % 32 + 1);
    }
    for (tl::device dev : tl::testing::devices()) {
      guarded_buffer<std::int64_t> out(dev, std::size_t(n)), more(dev, std::size_t(n));
      numeric::seen(count_chunks<8>[numeric::grid(1)](out, n));
      CHECK(allclose(out, by8));
      CHECK(out.intact());
      numeric::seen(count_chunks<32>[numeric::grid(1)](more, n));
      CHECK(allclose(more, by32));
    }
  }
}

TEST_CASE("a reverse sum keeps small numbers after large ones") {
  std::vector<float> x(64, 1.0f), want(64);
  std::fill(x.begin(), x.begin() + 32, 1e8f);
  for (int i = 63; i >= 32; --i)
    want[std::size_t(i)] = static_cast<float>(64 - i);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> in(dev, x);
    guarded_buffer<float> out(dev, 64);
    numeric::seen(suffix_sums[numeric::grid(1)](in, out));
    std::vector<float> got = out.to_vector();
    CHECK(got[31] == doctest::Approx(100000032.0).epsilon(1e-7));
    CHECK(got[0] == doctest::Approx(3200000032.0).epsilon(1e-6));
    std::fill(got.begin(), got.begin() + 32, 0.0f);
    CHECK(got == want);
  }
}

TEST_CASE("rows longer than a warp are scanned") {
  check_row_scans<1, 64>();
  check_row_scans<2, 128>();
  check_row_scans<8, 128>();
  check_row_scans<1, 1024>();
  check_row_scans<2, 512>();
}

TEST_CASE("two products in one iteration are both added") {
  check_two_products<float, 64>();
  check_two_products<tl::bfloat16, 64>();
  check_two_products<tl::bfloat16, 16>();
  check_two_products<tl::float16, 128>();
}

TEST_CASE("operands are changed between load and product") {
  check_changed_operand<tl::float16>(tl::float16(1.0f), tl::float16(1.0f), 128.0f);
  check_changed_operand<std::int8_t>(1, 0x0F, std::int32_t(-1024));
}

TEST_CASE("a product runs as many iterations as there are, however many stages it has") {
  for (int depth : {0, 1, 31, 32, 64, 96, 200}) {
    // Behind the operands lies what would show in the result.
    std::vector<tl::float16> operand(std::size_t(64 * depth) + 64 * 256, tl::float16(NAN));
    std::fill(operand.begin(), operand.begin() + 64 * depth, tl::float16(1.0f));
    for (tl::device dev : tl::testing::devices()) {
      INFO("depth " << depth);
      tl::buffer<tl::float16> x(dev, operand), y(dev, operand);
      guarded_buffer<float> out(dev, 64 * 64);
      numeric::seen(short_product[numeric::grid(1)](x, y, out, depth));
      CHECK(allclose(out, std::vector<float>(64 * 64, float(depth))));
    }
  }
}
