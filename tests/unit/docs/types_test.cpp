// SPDX-License-Identifier: MIT
//
// What docs/explanation/types.md says: of the types by the C++ compiler, of the values on every
// device.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <vector>

namespace testing = tl::testing;

namespace {

template <class T> using block = tl::tensor<T, tl::shape<4>>;
template <class X> using element = typename X::element_type;

// What two tensors are added and divided in.
template <class A, class B>
using sum = element<decltype(std::declval<block<A>>() + std::declval<block<B>>())>;
template <class A, class B>
using quotient = element<decltype(std::declval<block<A>>() / std::declval<block<B>>())>;
// The same of a tensor and a number.
template <class A, class N>
using sum_with = element<decltype(std::declval<block<A>>() + std::declval<N>())>;
template <class A, class N>
using quotient_with = element<decltype(std::declval<block<A>>() / std::declval<N>())>;

template <class A, class B> constexpr bool is = std::same_as<A, B>;

using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint32_t, std::uint64_t,
    std::uint8_t;
using tl::bfloat16, tl::float16, tl::float8e4nv, tl::float8e5;

// Two tensors.
static_assert(is<sum<int8_t, int32_t>, int32_t> && is<sum<bool, int8_t>, int8_t>);
static_assert(is<sum<int32_t, uint32_t>, uint32_t> && is<sum<int64_t, uint32_t>, int64_t>);
static_assert(is<sum<int64_t, float16>, float16> && is<sum<int64_t, float>, float>);
static_assert(is<sum<int32_t, bfloat16>, float> && is<sum<bfloat16, bfloat16>, bfloat16>);
static_assert(is<sum<float16, bfloat16>, float16> && is<sum<float16, float>, float>);
static_assert(is<sum<float, double>, double> && is<sum<int64_t, double>, double>);
static_assert(is<sum<float8e5, float8e5>, float8e5> && is<sum<float8e5, float8e4nv>, float16>);
static_assert(is<quotient<float16, float16>, float> && is<quotient<int32_t, int32_t>, int32_t>);
static_assert(is<quotient<bfloat16, bfloat16>, float> && is<quotient<double, float>, double>);

// A tensor and a number.
static_assert(is<sum_with<float16, double>, float16> && is<sum_with<float16, int>, float16>);
static_assert(is<sum_with<double, float>, double> && is<sum_with<int8_t, int>, int8_t>);
static_assert(is<sum_with<int8_t, long>, int8_t> && is<sum_with<bool, int>, int32_t>);
static_assert(is<sum_with<int32_t, double>, float> && is<sum_with<int64_t, float>, float>);
static_assert(is<sum_with<int32_t, double>, float> && is<quotient_with<float16, int>, float>);

constexpr auto numbers = tl::kernel{[](tl::ptr<float16> half, tl::ptr<float> out) {
  // [numbers]
  auto i = tl::arange<4>();           // int32
  tl::tensor h = tl::load(half + i);  // float16
  auto a = h * 2.0;                   // float16: the number takes the tensor's type
  auto b = i * 2;                     // int32
  auto c = i * 0.5;                   // float: a fraction makes an integer tensor float
  auto d = h / 2;                     // float: float16 and bfloat16 are divided in float
  auto e = tl::cast<double>(h) * 0.1; // double: the number is 0.1 as a double, rounded once
  // [numbers]
  static_assert(is<element<decltype(a)>, float16> && is<element<decltype(b)>, int32_t> &&
                is<element<decltype(c)>, float> && is<element<decltype(d)>, float> &&
                is<element<decltype(e)>, double>);
  tl::store(out + i, tl::cast<float>(a) + c + d + tl::cast<float>(e) + b);
}};

template <class T>
constexpr auto divide =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<const T> y, tl::ptr<T> quotients, tl::ptr<T> rests) {
      auto i = tl::arange<8>();
      tl::tensor a = tl::load(x + i), b = tl::load(y + i);
      tl::store(quotients + i, a / b);
      tl::store(rests + i, a % b);
    }};

template <class T>
constexpr auto shift =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<const T> by, tl::ptr<T> left, tl::ptr<T> right) {
      auto i = tl::arange<8>();
      tl::tensor a = tl::load(x + i), b = tl::load(by + i);
      tl::store(left + i, a << b);
      tl::store(right + i, a >> b);
    }};

template <class To, class From>
constexpr auto convert = tl::kernel{[](tl::ptr<const From> x, tl::ptr<To> out) {
  auto i = tl::arange<8>();
  tl::store(out + i, tl::cast<To>(tl::load(x + i)));
}};

constexpr auto toward_zero = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float16> out) {
  auto i = tl::arange<8>();
  // [rtz]
  tl::store(out + i, tl::cast<float16>(tl::load(x + i), {.rounding = tl::rtz}));
  // [rtz]
}};

template <class To, class From>
std::vector<To> converted(tl::device dev, const std::vector<From> &values) {
  tl::buffer<From> x(dev, values);
  tl::buffer<To> out(dev, 8);
  convert<To, From>[tl::grid(1)](x, out);
  return out.to_vector();
}

} // namespace

constexpr auto alone = tl::kernel{[](tl::ptr<double> out) {
  // [alone]
  tl::tensor single = 0.1; // tensor<float>
  tl::f64 wide = 0.1;      // tensor<double>, the double 0.1
  tl::tensor whole = 7;    // tensor<std::int32_t>
  // [alone]
  static_assert(is<decltype(single), tl::f32> && is<decltype(whole), tl::i32>);
  tl::store(out, single);
  tl::store(out + 1, wide);
  tl::store(out + 2, whole);
}};

TEST_CASE("docs: a number alone is int32 or float, or what the variable is declared as") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<double> out(dev, 3);
    alone[tl::grid(1)](out);
    CHECK(out.to_vector() == std::vector<double>{0.1f, 0.1, 7});
  }
}

TEST_CASE("docs: numbers take the type of the tensor that they meet") {
  for (tl::device dev : testing::devices()) {
    tl::buffer<float16> half(dev, std::vector<float16>(4, float16(3)));
    tl::buffer<float> out(dev, 4);
    numbers[tl::grid(1)](half, out);
    for (int i = 0; i < 4; ++i)
      CHECK(out.to_vector()[i] == doctest::Approx(6 + 0.5 * i + 1.5 + 0.3 + 2 * i));
  }
}

TEST_CASE("docs: integers are divided toward zero, and no division traps") {
  const std::vector<int32_t> x{7, -7, 7, -7, 5, 0, INT_MIN, INT_MIN}, y{2, 2, -2, -2, 0, 0, -1, 1};
  const std::vector<int32_t> quotients{3, -3, -3, 3, 0, 0, INT_MIN, INT_MIN};
  const std::vector<int32_t> rests{1, -1, 1, -1, 5, 0, 0, 0};
  for (tl::device dev : testing::devices()) {
    tl::buffer<int32_t> a(dev, x), b(dev, y), q(dev, 8), r(dev, 8);
    divide<int32_t>[tl::grid(1)](a, b, q, r);
    CHECK(testing::allclose(q, quotients));
    CHECK(testing::allclose(r, rests));
  }
}

TEST_CASE("docs: the rest of floats has the sign of the dividend and no rounding") {
  const std::vector<float> x{7.5f, -7.5f, 7.5f, 1e30f, 3, 0, 1, 2},
      y{2, 2, -2, 3, 5, 1, 0.25f, 0.75f};
  std::vector<float> rests(8);
  for (int i = 0; i < 8; ++i)
    rests[i] = std::fmod(x[i], y[i]);
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> a(dev, x), b(dev, y), q(dev, 8), r(dev, 8);
    divide<float>[tl::grid(1)](a, b, q, r);
    CHECK(testing::allclose(r, rests));
  }
}

TEST_CASE("docs: a shift by the width or more leaves 0 or the sign") {
  const std::vector<int32_t> x{1, -8, 1, -8, 1, -8, 1, -8}, by{4, 1, 31, 31, 32, 32, -1, -1};
  const std::vector<int32_t> left{16, -16, INT_MIN, 0, 0, 0, 0, 0},
      right{0, -4, 0, -1, 0, -1, 0, -1};
  const std::vector<uint8_t> u{200, 200, 200, 200, 1, 1, 1, 255}, n{1, 7, 8, 255, 0, 7, 8, 4};
  const std::vector<uint8_t> u_left{144, 0, 0, 0, 1, 128, 0, 240},
      u_right{100, 1, 0, 0, 1, 0, 0, 15};
  for (tl::device dev : testing::devices()) {
    tl::buffer<int32_t> a(dev, x), b(dev, by), l(dev, 8), r(dev, 8);
    shift<int32_t>[tl::grid(1)](a, b, l, r);
    CHECK(testing::allclose(l, left));
    CHECK(testing::allclose(r, right));
    tl::buffer<uint8_t> c(dev, u), d(dev, n), ul(dev, 8), ur(dev, 8);
    shift<uint8_t>[tl::grid(1)](c, d, ul, ur);
    CHECK(testing::allclose(ul, u_left));
    CHECK(testing::allclose(ur, u_right));
  }
}

TEST_CASE(
    "docs: casts drop fractions, saturate floats, wrap integers and ask whether a bool is 0") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<float> x{1.9f, -1.9f, 300, -300, inf, -inf, nan, 0};
  const std::vector<int32_t> n{1, 128, 255, 256, 300, -1, -129, INT_MAX};
  for (tl::device dev : testing::devices()) {
    CHECK(converted<int8_t>(dev, x) == std::vector<int8_t>{1, -1, 127, -128, 127, -128, 0, 0});
    CHECK(converted<uint8_t>(dev, x) == std::vector<uint8_t>{1, 0, 255, 0, 255, 0, 0, 0});
    CHECK(converted<int8_t>(dev, n) == std::vector<int8_t>{1, -128, -1, 0, 44, -1, 127, -1});
    CHECK(converted<uint32_t>(dev, n)[5] == UINT_MAX);
    CHECK(converted<bool>(dev, x) == std::vector<bool>{1, 1, 1, 1, 1, 1, 1, 0});
    CHECK(converted<int64_t>(dev, n)[5] == -1);
    const std::vector<float> large{448, 500, 1e9f, -1e9f, inf, 57344, 70000, 1e-30f};
    CHECK(testing::allclose(converted<float8e4nv>(dev, large),
                            std::vector<float>{448, 448, 448, -448, 448, 448, 448, 0}));
    CHECK(testing::allclose(converted<float8e5>(dev, large),
                            std::vector<float>{448, 512, 57344, -57344, 57344, 57344, 57344, 0}));
    CHECK(float(converted<float16>(dev, large)[6]) == inf);
  }
}

TEST_CASE("docs: a narrowing cast rounds to nearest even, or toward zero where that is asked for") {
  const float unit = 0x1p-10f; // of float16 between 1 and 2
  const std::vector<float> x{1 + 0.5f * unit,
                             1 + 1.5f * unit,
                             1 + 0.75f * unit,
                             -1 - 0.75f * unit,
                             -1 - 1.5f * unit,
                             70000,
                             1,
                             0};
  for (tl::device dev : testing::devices()) {
    CHECK(testing::allclose(converted<float16>(dev, x),
                            std::vector<float>{1, 1 + 2 * unit, 1 + unit, -1 - unit, -1 - 2 * unit,
                                               std::numeric_limits<float>::infinity(), 1, 0}));
    tl::buffer<float> in(dev, x);
    tl::buffer<float16> out(dev, 8);
    toward_zero[tl::grid(1)](in, out);
    CHECK(testing::allclose(out, std::vector<float>{1, 1 + unit, 1, -1, -1 - unit, 65504, 1, 0}));
  }
}

constexpr auto one_value = tl::kernel{[](tl::ptr<const float> q, tl::ptr<const float> bias,
                                         tl::ptr<float> distance, tl::ptr<float> weight) {
  auto i = tl::arange<64>();
  // [one_value]
  auto x = tl::load(q + i) * 0.0884f + tl::load(bias + i);
  auto d = tl::max<0>(x) - x;          // nowhere below 0, and 0 in every row
  auto e = tl::exp(x - tl::max<0>(x)); // nowhere above 1, and 1 in every row
  // [one_value]
  tl::store(distance + i, d);
  tl::store(weight + i, e);
}};

TEST_CASE("docs: an expression is one number wherever it is used") {
  for (tl::device dev : testing::devices())
    for (int row = 0; row < 20; ++row) {
      tl::buffer<float> q(dev, testing::random_values<float>(64, {-30, 30})),
          bias(dev, testing::random_values<float>(64, {-1, 1})), distance(dev, 64), weight(dev, 64);
      one_value[tl::grid(1)](q, bias, distance, weight);
      const std::vector<float> d = distance.to_vector(), e = weight.to_vector();
      CHECK(*std::min_element(d.begin(), d.end()) == 0);
      CHECK(*std::max_element(e.begin(), e.end()) == 1);
    }
}
