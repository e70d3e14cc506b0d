// SPDX-License-Identifier: MIT
//
// Conversions bit for bit against the element types of the front end: every input of 8 and 16 bits,
// dense samples and all neighbourhoods of rounding boundaries of f32 and f64, on every feature set
// that this machine can run.
#include "emitted.hpp"

#include "tl/impl/float_format.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tl::backend;
using namespace tl::backend::cpu;
namespace impl = tl::impl;

namespace {

constexpr FloatFormat smallFormats[] = {FloatFormat::f8E4M3FN,   FloatFormat::f8E5M2,
                                        FloatFormat::f8E4M3FNUZ, FloatFormat::f8E5M2FNUZ,
                                        FloatFormat::f16,        FloatFormat::bf16};
const char *nameOf(FloatFormat format) {
  const char *names[] = {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ",
                         "f16",      "bf16",   "f32",        "f64"};
  return names[int(format)];
}

template <typename Visit> auto withFormat(FloatFormat format, Visit visit) {
  switch (format) {
  case FloatFormat::f8E4M3FN:
    return visit.template operator()<impl::f8e4nv_format>();
  case FloatFormat::f8E5M2:
    return visit.template operator()<impl::f8e5_format>();
  case FloatFormat::f8E4M3FNUZ:
    return visit.template operator()<impl::f8e4b8_format>();
  case FloatFormat::f8E5M2FNUZ:
    return visit.template operator()<impl::f8e5b16_format>();
  case FloatFormat::f16:
    return visit.template operator()<impl::f16_format>();
  default:
    return visit.template operator()<impl::bf16_format>();
  }
}

float decode(FloatFormat format, unsigned bits) {
  return withFormat(format, [&]<impl::float_format F> { return impl::decode<F>(bits); });
}
bool isNan(FloatFormat format, unsigned bits) {
  return withFormat(format, [&]<impl::float_format F> { return impl::is_nan<F>(bits); });
}
unsigned encodeNearest(FloatFormat format, double value) {
  return withFormat(format, [&]<impl::float_format F> { return impl::encode<F>(value); });
}

/// Toward zero, from the nearest code: one step back when it went too far.
unsigned encodeTowardZero(FloatFormat format, double value) {
  return withFormat(format, [&]<impl::float_format F> {
    unsigned code = impl::encode<F>(value);
    if (std::isnan(value) || std::isinf(value))
      return code;
    unsigned magnitude = code & F.magnitude_mask(), sign = code & F.sign_mask();
    if (std::fabs(double(impl::decode<F>(magnitude))) > std::fabs(value))
      --magnitude;
    return impl::with_sign<F>(magnitude, sign != 0);
  });
}

bool same(FloatFormat format, unsigned got, unsigned expected) {
  if (bitWidth(format) == 16 && isNan(format, expected)) // payloads may differ, signs may not
    return isNan(format, got) && (got >> 15) == (expected >> 15);
  return got == expected;
}

unsigned codeAt(FloatFormat format, const std::vector<uint8_t> &bytes, size_t i) {
  unsigned code = 0;
  std::memcpy(&code, bytes.data() + i * (bitWidth(format) / 8), bitWidth(format) / 8);
  return code;
}

std::vector<uint8_t> allCodes(FloatFormat format) {
  unsigned width = bitWidth(format) / 8;
  std::vector<uint8_t> bytes(size_t(width) << (8 * width));
  for (unsigned code = 0; code < 1u << (8 * width); ++code)
    std::memcpy(bytes.data() + code * width, &code, width);
  return bytes;
}

/// Values in the neighbourhood of everything that matters to `format`: each code, each tie between
/// codes, and their neighbours in T; beyond the largest; specials; and random bit patterns.
template <typename T> std::vector<T> interesting(FloatFormat format, uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> values;
  auto around = [&](T value) {
    for (T sign : {T(1), T(-1)}) {
      values.push_back(sign * value);
      values.push_back(sign * std::nextafter(value, T(INFINITY)));
      values.push_back(sign * std::nextafter(value, T(-INFINITY)));
    }
  };
  unsigned last = 0;
  for (unsigned code = 0; code < 1u << (bitWidth(format) - 1); ++code) {
    if (isNan(format, code) || std::isinf(decode(format, code)))
      continue;
    T value = T(decode(format, code));
    around(value);
    around((T(decode(format, last)) + value) / 2);
    last = code;
  }
  T largest = T(decode(format, last));
  for (T factor : {1.01, 1.03125, 1.0625, 1.125, 1.25, 2.0, 1000.0})
    around(largest * factor);
  for (T special : {std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
                    std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity()}) {
    values.push_back(special);
    values.push_back(-special);
  }
  values.push_back(std::numeric_limits<T>::quiet_NaN());
  values.push_back(-std::numeric_limits<T>::quiet_NaN());
  values.push_back(std::bit_cast<T>(Bits(std::bit_cast<Bits>(T(INFINITY)) + 1))); // signalling
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200000; ++i)
    values.push_back(std::bit_cast<T>(Bits(random())));
  // Random mantissas at exponents in reach of the format.
  for (int i = 0; i < 200000; ++i) {
    T value = std::ldexp(T(1) + T(random() >> 11) * T(0x1p-53), int(random() % 64) - 44);
    values.push_back(random() & 1 ? -value : value);
  }
  values.resize((values.size() + 63) / 64 * 64, T(0));
  return values;
}

template <typename T>
void checkNarrowing(FloatFormat from, FloatFormat to, Rounding rounding,
                    const HostFeatures &features, unsigned lanes, const std::vector<T> &values) {
  auto convert = emitted::conversion(from, to, rounding, lanes, features);
  std::vector<uint8_t> out(values.size() * (bitWidth(to) / 8));
  convert(out.data(), values.size(), values.data());
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    unsigned expected = rounding == Rounding::toNearestEven ? encodeNearest(to, values[i])
                                                            : encodeTowardZero(to, values[i]);
    if (!same(to, codeAt(to, out, i), expected) && wrong++ < 3)
      FAIL_CHECK(nameOf(from) << " -> " << nameOf(to) << " on " << features.cpu << ", rounding "
                              << int(rounding) << ": " << values[i] << " gave "
                              << codeAt(to, out, i) << ", expected " << expected);
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("widening is exact for every code of every small format") {
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    for (unsigned lanes : {1u, 4u, features.lanes(4), 2 * features.lanes(4)})
      for (FloatFormat from : smallFormats) {
        std::vector<uint8_t> codes = allCodes(from);
        size_t count = size_t(1) << bitWidth(from), wrong = 0;
        std::vector<float> single(count);
        emitted::conversion(from, FloatFormat::f32, Rounding::toNearestEven, lanes,
                            features)(single.data(), count, codes.data());
        std::vector<double> wide(count);
        emitted::conversion(from, FloatFormat::f64, Rounding::toNearestEven, lanes,
                            features)(wide.data(), count, codes.data());
        for (size_t code = 0; code < count; ++code) {
          float expected = decode(from, unsigned(code));
          if (std::isnan(expected)) {
            // The FNUZ NaN has no sign of its own.
            bool sign = std::signbit(single[code]) == std::signbit(expected) || code == 0x80;
            wrong += !std::isnan(single[code]) || !std::isnan(wide[code]) || !sign;
            continue;
          }
          wrong += std::bit_cast<uint32_t>(single[code]) != std::bit_cast<uint32_t>(expected);
          wrong += std::bit_cast<uint64_t>(wide[code]) != std::bit_cast<uint64_t>(double(expected));
        }
        CHECK_MESSAGE(wrong == 0, nameOf(from) << " on " << cpu << ", lanes " << lanes);
      }
  }
}

TEST_CASE("f32 and f64 round once into every small format") {
  uint64_t seed = std::random_device()();
  MESSAGE("seed " << seed);
  for (FloatFormat to : smallFormats) {
    std::vector<float> singles = interesting<float>(to, seed);
    std::vector<double> doubles = interesting<double>(to, seed);
    for (const std::string &cpu : HostFeatures::runnable()) {
      HostFeatures features = HostFeatures::named(cpu);
      for (Rounding rounding : {Rounding::toNearestEven, Rounding::towardZero}) {
        checkNarrowing(FloatFormat::f32, to, rounding, features, features.lanes(4), singles);
        checkNarrowing(FloatFormat::f64, to, rounding, features, features.lanes(8), doubles);
      }
      checkNarrowing(FloatFormat::f32, to, Rounding::toNearestEven, features, 1, singles);
    }
  }
}

TEST_CASE("a small format converts into another with one rounding") {
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    for (FloatFormat from : smallFormats)
      for (FloatFormat to : smallFormats) {
        std::vector<uint8_t> codes = allCodes(from);
        size_t count = size_t(1) << bitWidth(from), wrong = 0;
        std::vector<uint8_t> out(count * (bitWidth(to) / 8));
        emitted::conversion(from, to, Rounding::toNearestEven, features.lanes(4),
                            features)(out.data(), count, codes.data());
        for (size_t code = 0; code < count; ++code) {
          unsigned expected =
              from == to ? unsigned(code) : encodeNearest(to, decode(from, unsigned(code)));
          unsigned got = codeAt(to, out, code);
          bool unsignedNan = isNan(from, unsigned(code)) && isNan(to, got);
          wrong += !same(to, got, expected) && !unsignedNan;
        }
        CHECK_MESSAGE(wrong == 0, nameOf(from) << " -> " << nameOf(to) << " on " << cpu);
      }
  }
}

TEST_CASE("f64 to f32 toward zero never grows and loses less than one step") {
  std::vector<double> values = interesting<double>(FloatFormat::bf16, 5);
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    std::vector<float> out(values.size());
    emitted::conversion(FloatFormat::f64, FloatFormat::f32, Rounding::towardZero, features.lanes(8),
                        features)(out.data(), values.size(), values.data());
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double x = values[i], y = out[i];
      if (std::isnan(x))
        wrong += !std::isnan(y);
      else if (std::isinf(x))
        wrong += y != x;
      else
        wrong += std::fabs(y) > std::fabs(x) ||
                 double(std::nextafter(std::fabs(out[i]), INFINITY)) <= std::fabs(x);
    }
    CHECK(wrong == 0);
  }
}

namespace {

template <typename Integer, typename Real>
void checkToInteger(const HostFeatures &features, const std::vector<Real> &values) {
  for (unsigned lanes : {1u, features.lanes(sizeof(Real))}) {
    std::vector<Integer> out(values.size());
    emitted::floatToInteger(8 * sizeof(Real), 8 * sizeof(Integer), std::is_signed_v<Integer>, lanes,
                            features)(out.data(), values.size(), values.data());
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      long double x = std::trunc(static_cast<long double>(values[i]));
      Integer expected = 0;
      if (x >= static_cast<long double>(std::numeric_limits<Integer>::max()))
        expected = std::numeric_limits<Integer>::max();
      else if (x <= static_cast<long double>(std::numeric_limits<Integer>::min()))
        expected = std::numeric_limits<Integer>::min();
      else if (!std::isnan(x))
        expected = static_cast<Integer>(x);
      wrong += out[i] != expected;
    }
    CHECK_MESSAGE(wrong == 0, 8 * sizeof(Integer)
                                  << " bits from " << 8 * sizeof(Real) << " on " << features.cpu);
  }
}

template <typename Integer> void checkFromInteger(const HostFeatures &features) {
  std::mt19937_64 random(11);
  std::vector<Integer> values;
  for (int bit = 0; bit < 64; ++bit)
    for (int step = -2; step <= 2; ++step) {
      values.push_back(Integer((uint64_t(1) << bit) + uint64_t(step)));
      values.push_back(Integer(0 - ((uint64_t(1) << bit) + uint64_t(step))));
    }
  for (int i = 0; i < 100000; ++i)
    values.push_back(Integer(random() >> (random() % 64)));
  // Ties of f16 and bf16, with and without something below.
  for (uint64_t base : {2049u, 257u, 4097u, 65520u, 65519u})
    for (int shift = 0; shift < 48; ++shift)
      for (int step : {-1, 0, 1})
        values.push_back(Integer((base << shift) + uint64_t(step)));
  values.resize((values.size() + 63) / 64 * 64);
  for (FloatFormat to : smallFormats) {
    std::vector<uint8_t> out(values.size() * (bitWidth(to) / 8));
    emitted::integerToFloat(8 * sizeof(Integer), std::is_signed_v<Integer>, to, features.lanes(4),
                            features)(out.data(), values.size(), values.data());
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      unsigned expected =
          withFormat(to, [&]<impl::float_format F> { return impl::encode_integer<F>(values[i]); });
      wrong += codeAt(to, out, i) != expected;
    }
    CHECK_MESSAGE(wrong == 0, (std::is_signed_v<Integer> ? "i" : "u")
                                  << 8 * sizeof(Integer) << " -> " << nameOf(to) << " on "
                                  << features.cpu);
  }
  std::vector<float> single(values.size());
  emitted::integerToFloat(8 * sizeof(Integer), std::is_signed_v<Integer>, FloatFormat::f32,
                          features.lanes(4), features)(single.data(), values.size(), values.data());
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i)
    wrong += single[i] != static_cast<float>(values[i]);
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("floats become integers by truncation, saturation, and NaN is 0") {
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    auto check = [&]<typename Real>(std::vector<Real> values) {
      std::mt19937_64 random(3);
      for (int bit = 0; bit < 70; ++bit)
        for (Real step : {Real(-1), Real(-0.5), Real(0), Real(0.5), Real(1)})
          for (Real sign : {Real(1), Real(-1)})
            values.push_back(sign * (std::ldexp(Real(1), bit) + step));
      for (int i = 0; i < 20000; ++i)
        values.push_back(std::ldexp(Real(int64_t(random())), -int(random() % 80)));
      values.resize((values.size() + 63) / 64 * 64);
      checkToInteger<int8_t>(features, values);
      checkToInteger<uint8_t>(features, values);
      checkToInteger<int16_t>(features, values);
      checkToInteger<uint16_t>(features, values);
      checkToInteger<int32_t>(features, values);
      checkToInteger<uint32_t>(features, values);
      checkToInteger<int64_t>(features, values);
      checkToInteger<uint64_t>(features, values);
    };
    check(std::vector<float>{NAN, -NAN, INFINITY, -INFINITY, 510, -200, 3e9f, -1, -0.0f, 1e30f});
    check(std::vector<double>{NAN, -NAN, INFINITY, -INFINITY, 510, -200, 3e9, -1, -0.0, 1e300});
  }
}

TEST_CASE("integers become floats with one rounding") {
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    checkFromInteger<int8_t>(features);
    checkFromInteger<uint8_t>(features);
    checkFromInteger<int16_t>(features);
    checkFromInteger<uint16_t>(features);
    checkFromInteger<int32_t>(features);
    checkFromInteger<uint32_t>(features);
    checkFromInteger<int64_t>(features);
    checkFromInteger<uint64_t>(features);
  }
}
