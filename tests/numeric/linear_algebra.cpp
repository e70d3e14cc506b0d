// SPDX-License-Identifier: MIT
//
// Products of tiles. With terms t the error of a float sum of K of them, taken in any order, is at
// most K u sum |t|, where u is half a unit in the last place of 1: that is the tolerance. Products
// of small floats are exact in float; products of integers are exact.
#include "sweep.hpp"

#include <cmath>

using namespace numeric;

namespace {

template <class K, class T, class C, int BM, int BN, int BK>
inline constexpr auto tile_product =
    tl::kernel{"tile_product", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<const C> c,
                                  tl::ptr<C> out, tl::i32 M, tl::i32 N, tl::i32 Kn) {
                 auto m = (tl::program_id(0) * BM + tl::arange<BM>())(tl::all, tl::newaxis);
                 auto n = tl::arange<BN>()(tl::newaxis, tl::all);
                 auto k_row = tl::arange<BK>()(tl::newaxis, tl::all);
                 auto k_column = tl::arange<BK>()(tl::all, tl::newaxis);
                 auto x = tl::load(a + m * Kn + k_row, (m < M) & (k_row < Kn), 0);
                 auto y = tl::load(b + k_column * N + n, (k_column < Kn) & (n < N), 0);
                 auto mask = (m < M) & (n < N);
                 auto z = tl::load(c + m * N + n, mask, 0);
                 tl::store(out + m * N + n, K{}(x, y, z), mask);
               }};

template <class T, class C, int BM, int BN, int BK, class Kernel>
void check_product(const char *name, Kernel, double unit, bool adds) {
  const int M = 2 * BM - (BM > 2), N = BN - (BN > 2), K = BK - (BK > 2);
  test_case c;
  c.name = std::string(name) + ' ' + info_of<T>().name + ' ' + std::to_string(BM) + 'x' +
           std::to_string(BN) + 'x' + std::to_string(BK);
  c.ttir = tile_product<Kernel, T, C, BM, BN, BK>.trace();
  c.programs = 2;
  c.result = &info_of<C>();
  c.results = std::size_t(M) * N;
  c.extents = {M, N, K};
  for (std::size_t size : {std::size_t(M) * K, std::size_t(K) * N}) {
    std::vector<unsigned char> bytes(size * sizeof(T));
    info_of<T>().fill(bytes.data(), size, {-1, 1}, std::is_integral_v<T>);
    c.inputs.push_back(bytes);
  }
  std::vector<unsigned char> bytes(c.results * sizeof(C));
  info_of<C>().fill(bytes.data(), c.results, {-100, 100}, false);
  c.inputs.push_back(bytes);

  const T *a = reinterpret_cast<const T *>(c.inputs[0].data());
  const T *b = reinterpret_cast<const T *>(c.inputs[1].data());
  const C *acc = reinterpret_cast<const C *>(c.inputs[2].data());
  std::vector<C> wanted;
  double largest_sum = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      const double start = adds ? static_cast<double>(acc[i * N + j]) : 0;
      double sum = start, magnitude = std::abs(start);
      for (int k = 0; k < K; ++k) {
        const double term = static_cast<double>(a[i * K + k]) * static_cast<double>(b[k * N + j]);
        sum += term;
        magnitude += std::abs(term);
      }
      largest_sum = std::max(largest_sum, magnitude);
      c.exact.push_back(sum);
      if constexpr (std::is_integral_v<C>)
        wanted.push_back(static_cast<C>(sum));
    }
  if (std::is_integral_v<C>) {
    c.exact.clear();
    const auto *raw = reinterpret_cast<const unsigned char *>(wanted.data());
    c.wanted.assign(raw, raw + wanted.size() * sizeof(C));
  } else {
    c.allowed = {.ulps = 1, .absolute = (K + 1) * unit * largest_sum};
    c.between_devices = {.ulps = 2, .absolute = 2 * c.allowed.absolute};
  }
  run_where_it_fits(c, (BM + BN) * BK * sizeof(T));
}

constexpr double float_unit = 0x1p-24, double_unit = 0x1p-53, half_unit = 0x1p-11;

template <class T, class C, class Kernel>
void sweep_shapes(const char *name, Kernel kernel, double unit, bool adds) {
  check_product<T, C, 16, 16, 16>(name, kernel, unit, adds);
  check_product<T, C, 32, 64, 32>(name, kernel, unit, adds);
  check_product<T, C, 64, 16, 128>(name, kernel, unit, adds);
  check_product<T, C, 1, 16, 16>(name, kernel, unit, adds);
  check_product<T, C, 8, 8, 1>(name, kernel, unit, adds);
  check_product<T, C, 4, 1, 32>(name, kernel, unit, adds);
}

constexpr auto product = [](auto x, auto y, auto) { return tl::dot(x, y); };
constexpr auto product_and_sum = [](auto x, auto y, auto z) { return tl::dot(x, y, z); };
template <int Most>
constexpr auto imprecise_product =
    [](auto x, auto y, auto z) { return tl::dot(x, y, z, {.max_num_imprecise_acc = Most}); };
constexpr auto precise_product = [](auto x, auto y, auto) {
  return tl::dot(x, y, {.input_precision = tl::ieee});
};

// e4m3 with one scale for each 32 elements along K: 2^(s - 127).
constexpr auto scaled = tl::kernel{
    [](tl::ptr<const tl::float8e4nv> a, tl::ptr<const std::uint8_t> scale_a,
       tl::ptr<const tl::float8e4nv> b, tl::ptr<const std::uint8_t> scale_b, tl::ptr<float> out) {
      auto m = tl::arange<16>()(tl::all, tl::newaxis);
      auto n = tl::arange<16>()(tl::newaxis, tl::all);
      auto k = tl::arange<64>();
      auto group = tl::arange<2>();
      auto x = tl::load(a + m * 64 + k(tl::newaxis, tl::all));
      auto y = tl::load(b + k(tl::all, tl::newaxis) * 16 + n);
      auto sx = tl::load(scale_a + m * 2 + group(tl::newaxis, tl::all));
      auto sy = tl::load(scale_b + m * 2 + group(tl::newaxis, tl::all));
      tl::tensor acc = tl::zeros<float, 16, 16>();
      tl::store(out + m * 16 + n, tl::dot_scaled<tl::e4m3, tl::e4m3>(x, sx, y, sy, acc));
    }};

} // namespace

TEST_CASE("a product of float tiles is as precise as its sums") {
  sweep_shapes<float, float>("dot", precise_product, float_unit, false);
  sweep_shapes<double, double>("dot", product, double_unit, false);
}

TEST_CASE("a product of small floats is summed in float") {
  sweep_shapes<tl::float16, float>("dot", product, float_unit, false);
  sweep_shapes<tl::bfloat16, float>("dot", product, float_unit, false);
}

TEST_CASE("a product of 8-bit floats is summed in float") {
  check_product<tl::float8e4nv, float, 16, 16, 32>("dot", product, float_unit, false);
  check_product<tl::float8e5, float, 32, 16, 64>("dot", product, float_unit, false);
}

// An H100 keeps about 14 bits of sums that may be imprecise.
TEST_CASE("a product of 8-bit floats is summed as precisely as it must be") {
  constexpr double imprecise_unit = 0x1p-13;
  using e4m3 = tl::float8e4nv;
  check_product<e4m3, float, 64, 64, 128>("dot", product, imprecise_unit, false);
  check_product<e4m3, float, 128, 64, 64>("dot and sum", product_and_sum, imprecise_unit, true);
  check_product<tl::float8e5, float, 64, 128, 32>("dot", product, imprecise_unit, false);
  check_product<tl::float8e5, float, 64, 64, 256>("dot", product, imprecise_unit, false);
  check_product<e4m3, float, 64, 64, 128>("precise dot", imprecise_product<0>, float_unit, true);
  check_product<e4m3, float, 64, 64, 128>("dot by 16", imprecise_product<16>, float_unit, true);
  check_product<e4m3, float, 64, 64, 128>("dot by 32", imprecise_product<32>, imprecise_unit, true);
  check_product<e4m3, float, 64, 64, 128>("dot by 96", imprecise_product<96>, imprecise_unit, true);
}

TEST_CASE("a product of int8 tiles is exact") {
  sweep_shapes<std::int8_t, std::int32_t>("dot", product, 0, false);
}

TEST_CASE("an accumulator is added") {
  sweep_shapes<float, float>("dot and sum", product_and_sum, float_unit, true);
  sweep_shapes<tl::float16, float>("dot and sum", product_and_sum, float_unit, true);
  check_product<std::int8_t, std::int32_t, 32, 32, 32>("dot and sum", product_and_sum, 0, true);
}

TEST_CASE("a product with a float16 result is summed in float16 at worst") {
  check_product<tl::float16, tl::float16, 32, 32, 32>(
      "dot<float16>", [](auto x, auto y, auto) { return tl::dot<tl::float16>(x, y); }, half_unit,
      false);
}

TEST_CASE("a transposed operand is the same product") {
  sweep_shapes<float, float>(
      "dot of transposes",
      [](auto x, auto y, auto) { return tl::trans(tl::dot(tl::trans(y), tl::trans(x))); },
      float_unit, false);
}

TEST_CASE("scales multiply their groups of elements") {
  const auto a = tl::testing::random_values<tl::float8e4nv>(16 * 64);
  const auto b = tl::testing::random_values<tl::float8e4nv>(64 * 16);
  const auto sa = tl::testing::random_values<std::uint8_t>(32, {120, 134});
  const auto sb = tl::testing::random_values<std::uint8_t>(32, {120, 134});
  std::vector<double> want;
  double largest = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < 64; ++k) {
        const double term = std::ldexp(double(float(a[std::size_t(i * 64 + k)])),
                                       sa[std::size_t(i * 2 + k / 32)] - 127) *
                            std::ldexp(double(float(b[std::size_t(k * 16 + j)])),
                                       sb[std::size_t(j * 2 + k / 32)] - 127);
        sum += term;
        magnitude += std::abs(term);
      }
      want.push_back(sum);
      largest = std::max(largest, magnitude);
    }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<tl::float8e4nv> x(dev, a), y(dev, b);
    tl::buffer<std::uint8_t> sx(dev, sa), sy(dev, sb);
    tl::testing::guarded_buffer<float> out(dev, 256);
    seen(scaled[numeric::grid(1)](x, sx, y, sy, out));
    CHECK(tl::testing::allclose(out, want, {.rtol = 1e-6, .atol = 64 * float_unit * largest}));
    CHECK(out.intact());
  }
}
