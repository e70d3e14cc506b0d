// SPDX-License-Identifier: MIT
//
// 8-bit floats that casts do not make: infinities and the highest code of float8e4b15, as C++
// numbers and through operations on the sign. And the casts to float8e4b15, which has no type in
// TTIR.

#include "sweep.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace {

constexpr int lanes = 16;

/// What a block of addresses names: lane i of the part `part`.
template <class T> auto at(const tl::ptr<T> &base, int part) {
  return base + part * lanes + tl::arange<lanes>();
}

template <class T> constexpr T number(unsigned code) {
  return T::from_bits(static_cast<typename T::storage>(code));
}

template <class T, unsigned Code>
constexpr auto literals = tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> in, tl::i1 yes) {
  constexpr T value = number<T>(Code);
  auto first = tl::arange<lanes>() < 3;
  tl::store(at(out, 0), tl::full<T, lanes>(value));
  tl::store(at(out, 1), tl::where(yes & first, tl::load(at(in, 0)), value));
  tl::store(at(out, 2), tl::load(at(in, 0), first, value));
  tl::store(at(out, 3), tl::cast<T>(value));
  tl::store(at(out, 4), value);
  tl::tensor<T> assigned = tl::load(in);
  assigned = value;
  tl::store(at(out, 5), assigned);
}};

/// The literal in each part, and where the kernel says so three elements of what it loads.
template <class T, unsigned Code> void check_literal() {
  const T value = number<T>(Code), loaded = number<T>(1);
  std::vector<T> want(6 * lanes, value);
  for (int i = 0; i < 3; ++i)
    want[std::size_t(lanes + i)] = want[std::size_t(2 * lanes + i)] = loaded;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    CAPTURE(Code);
    tl::buffer<T> in(dev, std::vector<T>(lanes, loaded)), out(dev, want.size());
    numeric::seen(literals<T, Code>[numeric::grid(1)](out, in, true));
    const std::vector<T> got = out.to_vector();
    for (std::size_t i = 0; i < want.size(); ++i) {
      CAPTURE(i);
      CHECK(int(got[i].bits) == int(want[i].bits));
    }
  }
}

template <class T>
constexpr auto signs = tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> in) {
  auto i = tl::arange<256>();
  tl::tensor x = tl::load(in + i);
  tl::store(out + i, -x);
  tl::store(out + 256 + i, tl::abs(x));
}};

template <class T>
constexpr auto casts = tl::kernel{[](tl::ptr<tl::float8e4b15> nearest,
                                     tl::ptr<tl::float8e4b15> toward_zero, tl::ptr<const T> in) {
  auto i = tl::program_id(0) * lanes + tl::arange<lanes>();
  tl::tensor x = tl::load(in + i);
  tl::store(nearest + i, tl::cast<tl::float8e4b15>(x));
  tl::store(toward_zero + i, tl::cast<tl::float8e4b15>(x, {.rounding = tl::rtz}));
}};

/// The code of float8e4b15 for a double, found among all of them.
unsigned encoded(double value, bool toward_zero) {
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  unsigned below = 0; // the largest code whose value is at most `size`
  while (below < 0x7E && float(number<tl::float8e4b15>(below + 1)) <= size)
    ++below;
  if (std::isnan(value))
    return sign | 0x7E;
  if (below == 0x7E || toward_zero)
    return sign | below;
  const double under = size - float(number<tl::float8e4b15>(below));
  const double over = float(number<tl::float8e4b15>(below + 1)) - size;
  return sign | (below + (under > over || (under == over && below % 2 == 1)));
}

/// Values on, beside and between the codes: the ends of the type's precision away from a tie, too.
template <class T> std::vector<T> around_the_codes() {
  std::vector<T> values;
  for (unsigned code = 0; code < 0x7E; ++code) {
    const double low = float(number<tl::float8e4b15>(code)),
                 high = float(number<tl::float8e4b15>(code + 1)), tie = (low + high) / 2;
    for (double v : {low, tie, low + (high - low) / 4, std::nextafter(tie, 0.0),
                     std::nextafter(tie, 2.0), std::nextafter(low, -1.0), std::nextafter(low, 2.0)})
      for (double signed_value : {v, -v})
        values.push_back(static_cast<T>(signed_value));
  }
  for (double v : {1.12, 1.0625 + 0x1p-40, 1.75, 1.8125, 1.875, 2.0, 1e30, 1e300, 1e-30, 1e-300,
                   double(std::numeric_limits<double>::infinity())})
    for (double signed_value : {v, -v})
      values.push_back(static_cast<T>(signed_value));
  values.push_back(T(std::numeric_limits<float>::quiet_NaN()));
  values.resize((values.size() + lanes - 1) / lanes * lanes, T(0));
  return values;
}

template <class T> void check_casts() {
  const std::vector<T> host = around_the_codes<T>();
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> in(dev, host);
    tl::buffer<tl::float8e4b15> nearest(dev, host.size()), toward_zero(dev, host.size());
    numeric::seen(casts<T>[numeric::grid(int(host.size()) / lanes)](nearest, toward_zero, in));
    const auto a = nearest.to_vector(), b = toward_zero.to_vector();
    for (std::size_t i = 0; i < host.size(); ++i) {
      CAPTURE(double(host[i]));
      CHECK(int(a[i].bits & 0x7F) == int(encoded(double(host[i]), false) & 0x7F));
      CHECK(int(b[i].bits & 0x7F) == int(encoded(double(host[i]), true) & 0x7F));
      if (host[i] == host[i]) {
        CHECK((a[i].bits & 0x80) == (encoded(double(host[i]), false) & 0x80));
        CHECK((b[i].bits & 0x80) == (encoded(double(host[i]), true) & 0x80));
      }
    }
  }
}

template <class T> void check_signs() {
  std::vector<T> host;
  for (unsigned code = 0; code < 256; ++code)
    host.push_back(number<T>(code));
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(std::string(dev.name()));
    tl::buffer<T> in(dev, host), out(dev, 512);
    numeric::seen(signs<T>[numeric::grid(1)](out, in));
    const std::vector<T> got = out.to_vector();
    for (unsigned code = 0; code < 256; ++code) {
      CAPTURE(code);
      const T x = host[code];
      if (isnan(x)) {
        CHECK(isnan(got[code]));
        CHECK(isnan(got[256 + code]));
      } else {
        CHECK(int(got[code].bits) == int((-x).bits));
        CHECK(float(got[256 + code]) == std::fabs(float(x)));
      }
    }
  }
}

} // namespace

TEST_CASE("a C++ number that is an 8-bit float keeps its encoding, infinity too") {
  check_literal<tl::float8e5, 0x7C>();
  check_literal<tl::float8e5, 0xFC>();
  check_literal<tl::float8e5, 0x7B>();
  check_literal<tl::float8e4b15, 0x7F>();
  check_literal<tl::float8e4b15, 0xFF>();
  check_literal<tl::float8e4nv, 0x7E>();
  check_literal<tl::float8e4b8, 0x7F>();
  check_literal<tl::float8e5b16, 0xFF>();
}

TEST_CASE("negation and tl::abs of 8-bit floats are exact, of every code") {
  check_signs<tl::float8e5>();
  check_signs<tl::float8e4nv>();
  check_signs<tl::float8e4b15>();
  check_signs<tl::float8e4b8>();
  check_signs<tl::float8e5b16>();
}

TEST_CASE("casts to float8e4b15 round once, to nearest even or toward zero") {
  check_casts<float>();
  check_casts<double>();
  check_casts<tl::float16>();
  check_casts<tl::bfloat16>();
}

TEST_CASE("casts of C++ numbers follow the rounding that is asked for") {
  static constexpr auto kernel =
      tl::kernel{[](tl::ptr<tl::float8e4b15> a, tl::ptr<tl::float8e4b8> b, tl::ptr<float> c) {
        tl::store(a, tl::cast<tl::float8e4b15>(1.12, {.rounding = tl::rtz}));
        tl::store(a + 1, tl::cast<tl::float8e4b15>(-1.12f, {.rounding = tl::rtz}));
        tl::store(a + 2, tl::cast<tl::float8e4b15>(1.0625 + 0x1p-40));
        tl::store(b, tl::cast<tl::float8e4b8>(-0x1.8p-11, {.rounding = tl::rtz}));
        tl::store(c, tl::cast<float>(0.1, {.rounding = tl::rtz}));
        tl::store(c + 1, tl::cast<float>(1e60, {.rounding = tl::rtz}));
      }};
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<tl::float8e4b15> a(dev, 3);
    tl::buffer<tl::float8e4b8> b(dev, 1);
    tl::buffer<float> c(dev, 2);
    numeric::seen(kernel[numeric::grid(1)](a, b, c));
    CHECK(float(a.to_vector()[0]) == 1.0f);
    CHECK(float(a.to_vector()[1]) == -1.0f);
    CHECK(float(a.to_vector()[2]) == 1.125f);
    CHECK(int(b.to_vector()[0].bits) == 0); // there is no negative zero
    CHECK(c.to_vector()[0] == std::nextafter(0.1f, 0.0f));
    CHECK(c.to_vector()[1] == std::numeric_limits<float>::max());
  }
}
