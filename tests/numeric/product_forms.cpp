// SPDX-License-Identifier: MIT
//
// Products of every precision, in batches, of scaled formats, and one after the other, beside
// products in double. A term x y of parts misses at most `lost` of |x y| (see
// backend/passes/SplitProducts.cpp), and a matrix unit cuts off sums where an addition rounds:
//
//     |error|  <=  (lost + (K + 4) 2^-23) sum |x y|

#include "aligned.hpp"
#include "sweep.hpp"

#include <cmath>

using namespace numeric;

namespace {

constexpr double sum_unit = 0x1p-23;

double lost_by(tl::input_precision precision) {
  switch (precision) {
  case tl::tf32:
    return 2 * 0x1p-10;
  case tl::tf32x3:
    return 3 * 0x1p-22;
  case tl::bf16x3:
    return 3 * 0x1p-18;
  case tl::bf16x6:
    return 4 * 0x1p-26;
  default:
    return 0;
  }
}

const char *name_of(tl::input_precision precision) {
  switch (precision) {
  case tl::tf32:
    return "tf32";
  case tl::tf32x3:
    return "tf32x3";
  case tl::bf16x3:
    return "bf16x3";
  case tl::bf16x6:
    return "bf16x6";
  default:
    return "ieee";
  }
}

/// The matrix of R x C, or a batch of them, at `from`; lying column by column if `transposed`.
template <int Batch, int R, int C, class T> auto matrix_of(tl::ptr<const T> from, bool transposed) {
  if constexpr (Batch == 1) {
    auto r = tl::arange<R>()(tl::all, tl::newaxis);
    auto c = tl::arange<C>()(tl::newaxis, tl::all);
    tl::tensor at = r * C + c;
    if (transposed)
      at = c * R + r;
    return tl::load(from + at);
  } else {
    auto batch = tl::arange<Batch>()(tl::all, tl::newaxis, tl::newaxis);
    auto r = tl::arange<R>()(tl::newaxis, tl::all, tl::newaxis);
    auto c = tl::arange<C>()(tl::newaxis, tl::newaxis, tl::all);
    tl::tensor at = batch * (R * C) + r * C + c;
    if (transposed)
      at = batch * (R * C) + c * R + r;
    return tl::load(from + at);
  }
}

template <int Batch, int R, int C, class T, class V>
void store_matrix(tl::ptr<T> to, const V &value) {
  if constexpr (Batch == 1) {
    auto r = tl::arange<R>()(tl::all, tl::newaxis);
    auto c = tl::arange<C>()(tl::newaxis, tl::all);
    tl::store(to + r * C + c, value);
  } else {
    auto batch = tl::arange<Batch>()(tl::all, tl::newaxis, tl::newaxis);
    auto r = tl::arange<R>()(tl::newaxis, tl::all, tl::newaxis);
    auto c = tl::arange<C>()(tl::newaxis, tl::newaxis, tl::all);
    tl::store(to + batch * (R * C) + r * C + c, value);
  }
}

/// What a trace depends on beside its types, so that a kernel is compiled once for all.
struct settings {
  tl::input_precision precision = tl::ieee;
  bool transposed_a = false, transposed_b = false;
} chosen;

template <int Batch, int M, int N, int K, class T, class C>
constexpr auto one_product = tl::kernel{
    "one_product", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<const C> c, tl::ptr<C> out) {
      auto x = matrix_of<Batch, M, K, T>(a, chosen.transposed_a);
      auto y = matrix_of<Batch, K, N, T>(b, chosen.transposed_b);
      auto z = matrix_of<Batch, M, N, C>(c, false);
      store_matrix<Batch, M, N, C>(out, tl::dot(x, y, z, {.input_precision = chosen.precision}));
    }};

template <class T> std::vector<unsigned char> random_bytes(std::size_t count) {
  std::vector<unsigned char> bytes(count * sizeof(T));
  info_of<T>().fill(bytes.data(), count, {-1, 1}, false);
  return bytes;
}

template <class T> double number_at(const std::vector<unsigned char> &bytes, std::size_t at) {
  return static_cast<double>(reinterpret_cast<const T *>(bytes.data())[at]);
}

template <int Batch, int M, int N, int K, class T, class C = float> void check(settings s) {
  chosen = s;
  test_case c;
  c.name = std::string("dot ") + name_of(s.precision) + ' ' + info_of<T>().name + ' ' +
           std::to_string(Batch) + 'x' + std::to_string(M) + 'x' + std::to_string(N) + 'x' +
           std::to_string(K) + (s.transposed_a ? " t" : " n") + (s.transposed_b ? "t" : "n");
  c.ttir = one_product<Batch, M, N, K, T, C>.trace(aligned(4));
  c.result = &info_of<C>();
  c.results = std::size_t(Batch * M * N);
  c.inputs = {random_bytes<T>(std::size_t(Batch * M * K)),
              random_bytes<T>(std::size_t(Batch * K * N)), random_bytes<C>(c.results)};
  double largest = 0;
  for (int batch = 0; batch < Batch; ++batch)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = number_at<C>(c.inputs[2], std::size_t((batch * M + i) * N + j));
        double magnitude = std::abs(sum);
        for (int k = 0; k < K; ++k) {
          const int at_a = batch * M * K + (s.transposed_a ? k * M + i : i * K + k);
          const int at_b = batch * K * N + (s.transposed_b ? j * K + k : k * N + j);
          const double term = number_at<T>(c.inputs[0], std::size_t(at_a)) *
                              number_at<T>(c.inputs[1], std::size_t(at_b));
          sum += term;
          magnitude += std::abs(term);
        }
        largest = std::max(largest, magnitude);
        c.exact.push_back(sum);
      }
  const double unit = std::is_same_v<C, double> ? 0x1p-52 : sum_unit;
  c.allowed = {.ulps = 1, .absolute = (lost_by(s.precision) + (K + 4) * unit) * largest};
  c.between_devices = {.ulps = 2, .absolute = 2 * c.allowed.absolute};
  run_where_it_fits(c, std::size_t(Batch) * (M + N) * K * sizeof(T));
}

template <int Batch, int M, int N, int K, class T, class C = float>
void check_forms(tl::input_precision precision) {
  for (int form = 0; form < 4; ++form)
    check<Batch, M, N, K, T, C>({precision, (form & 1) != 0, (form & 2) != 0});
}

constexpr tl::input_precision precisions[] = {tl::ieee, tl::tf32, tl::tf32x3, tl::bf16x3,
                                              tl::bf16x6};

// ---- Infinities

constexpr auto product_of_precision = tl::kernel{
    "product_of_precision", [](tl::ptr<const float> a, tl::ptr<const float> b, tl::ptr<float> out) {
      auto x = matrix_of<1, 16, 16, float>(a, false);
      auto y = matrix_of<1, 16, 16, float>(b, false);
      store_matrix<1, 16, 16, float>(out, tl::dot(x, y, {.input_precision = chosen.precision}));
    }};

/// Rows of A with one number that is not finite, columns of B of ones, zeros and infinities: each
/// result is the sum of one term that decides and of finite ones.
void check_infinities(tl::input_precision precision) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float special[] = {infinity, -infinity, nan, 1.0f, 3.0f + 0x1p-20f};
  std::vector<float> a(256, 1.0f), b(256, 1.0f);
  for (int i = 0; i < 16; ++i)
    a[std::size_t(i * 16)] = special[i % 5];
  const float others[] = {1.0f, -2.0f, 0.0f, infinity, -infinity, 1.0f + 0x1p-20f};
  for (int j = 0; j < 16; ++j)
    b[std::size_t(j)] = others[j % 6];
  chosen = {precision};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, a), y(dev, b);
    tl::testing::guarded_buffer<float> out(dev, 256);
    seen(product_of_precision[numeric::grid(1)](x, y, out));
    const std::vector<float> results = out.to_vector();
    CAPTURE(dev.name());
    CAPTURE(name_of(precision));
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        const float want = a[std::size_t(i * 16)] * b[std::size_t(j)] + 15.0f;
        const float got = results[std::size_t(i * 16 + j)];
        CAPTURE(i);
        CAPTURE(j);
        if (std::isnan(want))
          CHECK(std::isnan(got));
        else if (std::isinf(want))
          CHECK(got == want);
        else
          CHECK(std::abs(got - want) <= (lost_by(precision) + 20 * sum_unit) * 25);
      }
  }
}

// ---- Products of scaled formats

template <tl::scaled_format F>
using stored_of = std::conditional_t<
    F == tl::e4m3, tl::float8e4nv,
    std::conditional_t<
        F == tl::e5m2, tl::float8e5,
        std::conditional_t<F == tl::e2m1 || F == tl::e2m1_mn, std::uint8_t,
                           std::conditional_t<F == tl::formats::bf16, tl::bfloat16, tl::float16>>>>;

/// Whether extents are padded. Bytes are then loaded and inverted, so that the padding is no zero.
constexpr bool is_padded(int extent) { return (extent & (extent - 1)) != 0; }

template <bool Inverts, class X> auto inverted(const X &tile) {
  using T = typename X::element_type;
  if constexpr (Inverts && sizeof(T) == 1)
    return tl::tensor(tl::bitcast<T>(~tl::bitcast<std::uint8_t>(tile)));
  else
    return tile;
}

template <bool Inverts, class T> std::vector<T> inverted(std::vector<T> values) {
  if constexpr (Inverts && sizeof(T) == 1)
    for (T &value : values)
      value = std::bit_cast<T>(std::uint8_t(~std::bit_cast<std::uint8_t>(value)));
  return values;
}

/// Extents Side x Side x K, groups of K / Groups elements, scales of type S for those that have
/// any, a result of type R.
template <tl::scaled_format FA, tl::scaled_format FB, int Groups, class S, bool ScaledB, class R,
          int Side, int K>
constexpr auto scaled_product = tl::kernel{
    "scaled_product", [](tl::ptr<const stored_of<FA>> a, tl::ptr<const S> sa,
                         tl::ptr<const stored_of<FB>> b, tl::ptr<const S> sb, tl::ptr<float> out) {
      constexpr int halves_a = FA == tl::e2m1 ? 2 : 1, halves_b = FB == tl::e2m1 ? 2 : 1;
      constexpr int rows = FA == tl::e2m1_mn ? Side / 2 : Side,
                    columns = FB == tl::e2m1_mn ? Side / 2 : Side;
      constexpr bool inverts = is_padded(Side) || is_padded(K);
      auto x = inverted<inverts>(matrix_of<1, rows, K / halves_a, stored_of<FA>>(a, false));
      auto y = inverted<inverts>(matrix_of<1, K / halves_b, columns, stored_of<FB>>(b, false));
      auto scale_a = inverted<inverts>(matrix_of<1, Side, Groups, S>(sa, false));
      tl::tensor sums = tl::zeros<R, Side, Side>();
      if constexpr (ScaledB) {
        auto scale_b = inverted<inverts>(matrix_of<1, Side, Groups, S>(sb, false));
        sums = tl::dot_scaled<FA, FB>(x, scale_a, y, scale_b, sums);
      } else {
        sums = tl::dot_scaled<FA, FB>(x, scale_a, y, tl::no_scale, sums);
      }
      store_matrix<1, Side, Side, float>(out, tl::cast<float>(sums));
    }};

double e2m1_number(unsigned bits) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return (bits & 8 ? -1 : 1) * magnitudes[bits & 7];
}

/// The element (row, column) of a matrix of `columns` columns whose e2m1 pairs lie along `axis`,
/// and along the other with e2m1_mn.
template <tl::scaled_format F>
double scaled_element(const std::vector<stored_of<F>> &from, int columns, int row, int column,
                      int axis) {
  if constexpr (F == tl::e2m1_mn) {
    return scaled_element<tl::e2m1>(from, columns, row, column, 1 - axis);
  } else if constexpr (F == tl::e2m1) {
    const int at = axis == 1 ? row * (columns / 2) + column / 2 : row / 2 * columns + column;
    const int upper = axis == 1 ? column & 1 : row & 1;
    return e2m1_number(from[std::size_t(at)] >> (4 * upper) & 15);
  } else {
    return double(float(from[std::size_t(row * columns + column)]));
  }
}

template <class S> double scale_number(S scale) {
  if constexpr (std::is_same_v<S, std::uint8_t>)
    return scale == 255 ? std::nan("") : std::ldexp(1.0, scale - 127);
  else
    return double(float(scale));
}

template <tl::scaled_format F> auto scaled_operand(std::size_t elements) {
  if constexpr (F == tl::e2m1 || F == tl::e2m1_mn)
    return tl::testing::random_values<std::uint8_t>(elements / 2, {0, 255});
  else
    return tl::testing::random_values<stored_of<F>>(elements);
}

/// `unit` is the error of rounding the result.
template <tl::scaled_format FA, tl::scaled_format FB, int Groups, class S, bool ScaledB,
          class R = float, int Side = 32, int K = 64>
void check_scaled(double unit = 0) {
  const auto a = scaled_operand<FA>(Side * K);
  const auto b = scaled_operand<FB>(K * Side);
  auto scales = [](bool with_nan) {
    if constexpr (std::is_same_v<S, std::uint8_t>) {
      auto made = tl::testing::random_values<std::uint8_t>(Side * Groups, {117, 137});
      if (with_nan)
        made[5] = 255;
      return made;
    } else {
      return tl::testing::random_values<S>(Side * Groups);
    }
  };
  const std::vector<S> sa = scales(true), sb = scales(false);
  std::vector<double> want;
  double largest = 0;
  for (int i = 0; i < Side; ++i)
    for (int j = 0; j < Side; ++j) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < K; ++k) {
        const std::size_t group = std::size_t(k * Groups / K);
        double term = scaled_element<FA>(a, K, i, k, 1) * scaled_element<FB>(b, Side, k, j, 0) *
                      scale_number(sa[std::size_t(i * Groups) + group]);
        if (ScaledB)
          term *= scale_number(sb[std::size_t(j * Groups) + group]);
        sum += term;
        magnitude += std::isnan(term) ? 0 : std::abs(term);
      }
      want.push_back(sum);
      largest = std::max(largest, magnitude);
    }
  constexpr bool inverts = is_padded(Side) || is_padded(K);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<stored_of<FA>> x(dev, inverted<inverts>(a));
    tl::buffer<stored_of<FB>> y(dev, inverted<inverts>(b));
    tl::buffer<S> scales_x(dev, inverted<inverts>(sa)), scales_y(dev, inverted<inverts>(sb));
    tl::testing::guarded_buffer<float> out(dev, Side * Side);
    seen(scaled_product<FA, FB, Groups, S, ScaledB, R, Side, K>[numeric::grid(1)](x, scales_x, y,
                                                                                  scales_y, out));
    const std::vector<float> results = out.to_vector();
    CAPTURE(dev.name());
    int wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
      wrong += std::isnan(want[i]) ? !std::isnan(results[i])
                                   : !(std::abs(results[i] - want[i]) <=
                                       (K + 4) * sum_unit * largest + unit * std::abs(want[i]));
    CHECK(wrong == 0);
    CHECK(out.intact());
  }
}

/// With the least scales that there are, 2^-127, as constants.
constexpr auto least_scales = tl::kernel{
    "least_scales",
    [](tl::ptr<const tl::float8e4nv> a, tl::ptr<const tl::float8e4nv> b, tl::ptr<float> out) {
      auto x = matrix_of<1, 32, 64, tl::float8e4nv>(a, false);
      auto y = matrix_of<1, 64, 32, tl::float8e4nv>(b, false);
      auto scales = tl::zeros<std::uint8_t, 32, 2>();
      auto product =
          tl::dot_scaled<tl::e4m3, tl::e4m3>(x, scales, y, scales, tl::zeros<float, 32, 32>());
      store_matrix<1, 32, 32, float>(out, product);
    }};

// ---- Several products

/// (A B)^T C: a result is transposed into the next product.
template <class T>
constexpr auto transposed_result =
    tl::kernel{"transposed_result",
               [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<const T> c, tl::ptr<float> out) {
                 auto x = matrix_of<1, 64, 32, T>(a, false);
                 auto y = matrix_of<1, 32, 64, T>(b, false);
                 auto z = matrix_of<1, 64, 64, T>(c, false);
                 auto first = tl::cast<T>(tl::dot(x, y, {.input_precision = chosen.precision}));
                 store_matrix<1, 64, 64, float>(
                     out, tl::dot(tl::trans(first), z, {.input_precision = chosen.precision}));
               }};

/// Tiles of 8 columns, and a running sum of rows that multiplies the product.
template <class T>
constexpr auto running_rows = tl::kernel{
    "running_rows", [](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<float> out, tl::i32 count) {
      tl::tensor sums = tl::zeros<float, 64, 8>();
      tl::tensor scale = tl::full<float, 64, 1>(1.0f);
      for (auto i : tl::range(0, count)) {
        auto x = matrix_of<1, 64, 32, T>(a + i * (64 * 32), false);
        auto y = matrix_of<1, 32, 8, T>(b + i * (32 * 8), false);
        auto rows = tl::sum<1>(tl::cast<float>(x));
        scale += rows(tl::all, tl::newaxis);
        sums += tl::dot(x, y, {.input_precision = chosen.precision}) * scale;
      }
      store_matrix<1, 64, 8, float>(out, sums);
    }};

/// Small whole numbers: products and sums are exact in every precision.
template <class T> std::vector<T> whole_numbers(std::size_t count, double most) {
  std::vector<T> numbers;
  for (std::int32_t number : tl::testing::random_values<std::int32_t>(count, {-most, most}))
    numbers.push_back(T(float(number)));
  return numbers;
}

template <class T> void check_transposed_result(tl::input_precision precision) {
  const auto a = whole_numbers<T>(64 * 32, 1), b = whole_numbers<T>(32 * 64, 1),
             c = whole_numbers<T>(64 * 64, 2);
  std::vector<double> first(64 * 64, 0), want(64 * 64, 0);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j)
      for (int k = 0; k < 32; ++k)
        first[std::size_t(i * 64 + j)] +=
            double(float(a[std::size_t(i * 32 + k)])) * double(float(b[std::size_t(k * 64 + j)]));
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j)
      for (int k = 0; k < 64; ++k)
        want[std::size_t(i * 64 + j)] +=
            first[std::size_t(k * 64 + i)] * double(float(c[std::size_t(k * 64 + j)]));
  chosen = {precision};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, a), y(dev, b), z(dev, c);
    tl::testing::guarded_buffer<float> out(dev, 64 * 64);
    seen(transposed_result<T>[numeric::grid(1)](x, y, z, out));
    CAPTURE(dev.name());
    CAPTURE(name_of(precision));
    CHECK(tl::testing::allclose(out, want, {.rtol = 0, .atol = 0}));
  }
}

template <class T> void check_running_rows(tl::input_precision precision) {
  constexpr int count = 5;
  const auto a = whole_numbers<T>(count * 64 * 32, 1), b = whole_numbers<T>(count * 32 * 8, 2);
  std::vector<double> want(64 * 8, 0), scale(64, 1);
  for (int t = 0; t < count; ++t)
    for (int i = 0; i < 64; ++i) {
      const T *row = a.data() + (t * 64 + i) * 32;
      for (int k = 0; k < 32; ++k)
        scale[std::size_t(i)] += double(float(row[k]));
      for (int j = 0; j < 8; ++j) {
        double sum = 0;
        for (int k = 0; k < 32; ++k)
          sum += double(float(row[k])) * double(float(b[std::size_t((t * 32 + k) * 8 + j)]));
        want[std::size_t(i * 8 + j)] += sum * scale[std::size_t(i)];
      }
    }
  chosen = {precision};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, a), y(dev, b);
    tl::testing::guarded_buffer<float> out(dev, 64 * 8);
    seen(running_rows<T>[numeric::grid(1)](x, y, out, count));
    CAPTURE(dev.name());
    CAPTURE(name_of(precision));
    CHECK(tl::testing::allclose(out, want, {.rtol = 0, .atol = 0}));
  }
}

} // namespace

TEST_CASE("products of each precision keep their error, however the operands lie") {
  for (tl::input_precision precision : precisions) {
    check_forms<1, 64, 64, 32, float>(precision);
    check_forms<1, 128, 64, 16, float>(precision);
    check<1, 128, 128, 32, float>({precision});
    check<1, 16, 16, 256, float>({precision});
    check<1, 16, 8, 16, float>({precision, false, true});
    check<1, 32, 16, 512, float>({precision, true, false});
    check<1, 8, 8, 8, float>({precision});
  }
}

TEST_CASE("products of other types keep their error, however the operands lie") {
  check_forms<1, 64, 32, 32, double, double>(tl::ieee);
  check_forms<1, 64, 32, 64, tl::float16>(tl::ieee);
  check_forms<1, 8, 4, 16, tl::float16>(tl::ieee);
  check_forms<1, 8, 16, 8, tl::bfloat16>(tl::ieee);
  check_forms<1, 4, 8, 2, double, double>(tl::ieee);
}

TEST_CASE("batches of products keep their error, however the operands lie") {
  check_forms<4, 16, 32, 16, tl::float16>(tl::ieee);
  check_forms<2, 64, 64, 32, tl::bfloat16>(tl::ieee);
  check_forms<8, 32, 16, 32, float>(tl::tf32);
  check_forms<2, 32, 32, 32, float>(tl::ieee);
  check_forms<2, 32, 32, 16, float>(tl::tf32x3);
  check_forms<4, 16, 16, 16, double, double>(tl::ieee);
  check<16, 16, 16, 16, tl::float16>({});
  check<2, 8, 8, 8, float>({});
}

TEST_CASE("infinities and NaN go through products of parts as through one") {
  for (tl::input_precision precision : precisions)
    check_infinities(precision);
}

TEST_CASE("scaled products are those of the scaled numbers") {
  using tl::e2m1, tl::e4m3, tl::e5m2;
  check_scaled<e4m3, e5m2, 2, std::uint8_t, true>();
  check_scaled<e2m1, e2m1, 2, std::uint8_t, true>();
  check_scaled<e2m1, e2m1, 4, tl::float8e4nv, true>();
  check_scaled<e5m2, e2m1, 4, std::uint8_t, true>();
  check_scaled<e2m1, tl::formats::bf16, 2, std::uint8_t, false>();
  check_scaled<e4m3, tl::formats::fp16, 2, std::uint8_t, false>();
}

TEST_CASE("scaled products of many groups are those of the scaled numbers") {
  using tl::e2m1, tl::e4m3, tl::e5m2;
  check_scaled<e4m3, e4m3, 8, std::uint8_t, true, float, 64, 256>();
  check_scaled<e5m2, e2m1, 8, std::uint8_t, true, float, 64, 256>();
  check_scaled<e2m1, e4m3, 8, std::uint8_t, false, float, 64, 256>();
  check_scaled<e2m1, e2m1, 8, std::uint8_t, true, tl::bfloat16, 16, 256>(0x1p-8);
  check_scaled<e4m3, e5m2, 4, std::uint8_t, true, float, 128, 128>();
}

TEST_CASE("scaled products take pairs along M and N, and round their result once") {
  using tl::e2m1, tl::e2m1_mn, tl::e4m3;
  check_scaled<e2m1_mn, e2m1_mn, 2, std::uint8_t, true>();
  check_scaled<e2m1_mn, e4m3, 2, std::uint8_t, true>();
  check_scaled<e4m3, e2m1_mn, 2, std::uint8_t, true, tl::bfloat16>(0x1p-8);
  check_scaled<e2m1, e2m1_mn, 4, tl::float8e4nv, true, tl::float16>(0x1p-11);
}

TEST_CASE("scaled products of any size see nothing of the padding") {
  using tl::e2m1, tl::e2m1_mn, tl::e4m3, tl::e5m2;
  check_scaled<e4m3, e5m2, 3, std::uint8_t, true, float, 24, 96>();
  check_scaled<e2m1, e2m1, 3, tl::float8e4nv, true, float, 20, 48>();
  check_scaled<e2m1, e4m3, 3, std::uint8_t, false, float, 32, 96>();
  check_scaled<e2m1_mn, e4m3, 2, std::uint8_t, true, float, 12, 64>();
  check_scaled<e5m2, tl::formats::bf16, 5, std::uint8_t, false, float, 17, 160>();
}

TEST_CASE("a scale of zero is the least power of two") {
  const std::vector<tl::float8e4nv> ones(32 * 64, tl::float8e4nv(1.0f));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<tl::float8e4nv> x(dev, ones), y(dev, ones);
    tl::testing::guarded_buffer<float> out(dev, 32 * 32);
    seen(least_scales[numeric::grid(1)](x, y, out));
    CAPTURE(dev.name());
    CHECK(out.to_vector() == std::vector<float>(32 * 32, 0.0f)); // 64 * 2^-254
    CHECK(out.intact());
  }
}

TEST_CASE("a result is transposed into the next product") {
  check_transposed_result<tl::float16>(tl::ieee);
  check_transposed_result<tl::bfloat16>(tl::ieee);
  for (tl::input_precision precision : precisions)
    check_transposed_result<float>(precision);
}

TEST_CASE("a running sum of rows multiplies a product of eight columns") {
  check_running_rows<tl::float16>(tl::ieee);
  for (tl::input_precision precision : precisions)
    check_running_rows<float>(precision);
}
