// SPDX-License-Identifier: MIT
//
// The small floats against a reference that shares nothing with them: encodings are decoded with
// ldexp, and a value is rounded by searching the table of all encodings in long double.
#include <tl/dtype.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

// What the papers and standards say about a format.
struct facts {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity, has_nan, has_negative_zero, saturates;
  long double largest;
};

template <class T> constexpr facts facts_of = {};
template <> constexpr facts facts_of<tl::float16> = {5, 10, 15, true, true, true, false, 65504};
template <>
constexpr facts facts_of<tl::bfloat16> = {8, 7, 127, true, true, true, false, 0xFFp120L};
template <> constexpr facts facts_of<tl::float8e4nv> = {4, 3, 7, false, true, true, true, 448};
template <> constexpr facts facts_of<tl::float8e5> = {5, 2, 15, true, true, true, true, 57344};
template <> constexpr facts facts_of<tl::float8e4b8> = {4, 3, 8, false, true, false, true, 240};
template <> constexpr facts facts_of<tl::float8e5b16> = {5, 2, 16, false, true, false, true, 57344};
template <> constexpr facts facts_of<tl::float8e4b15> = {4, 3, 15, false, false, true, true, 1.75};

enum class kind { finite, infinite, nan };

struct reference {
  kind what;
  long double value; // magnitude and sign
};

template <class T> reference decode_reference(unsigned bits) {
  const facts f = facts_of<T>;
  const unsigned mantissa_mask = (1u << f.mantissa_bits) - 1;
  const unsigned exponent_mask = (1u << f.exponent_bits) - 1;
  const unsigned mantissa = bits & mantissa_mask;
  const unsigned exponent = bits >> f.mantissa_bits & exponent_mask;
  const bool negative = bits >> (f.mantissa_bits + f.exponent_bits) & 1;
  const long double sign = negative ? -1 : 1;
  if (!f.has_negative_zero && negative && exponent == 0 && mantissa == 0)
    return {kind::nan, 0};
  if (f.has_infinity && exponent == exponent_mask)
    return {mantissa ? kind::nan : kind::infinite, sign};
  if (!f.has_infinity && f.has_nan && f.has_negative_zero && exponent == exponent_mask &&
      mantissa == mantissa_mask)
    return {kind::nan, 0};
  if (exponent == 0)
    return {kind::finite, sign * std::ldexp((long double)mantissa, 1 - f.bias - f.mantissa_bits)};
  return {kind::finite, sign * std::ldexp((long double)(mantissa + mantissa_mask + 1),
                                          (int)exponent - f.bias - f.mantissa_bits)};
}

// The encodings 0, 1, 2, … of the positive values up to the largest, which are in order.
template <class T> const std::vector<long double> &positive_values() {
  static const std::vector<long double> values = [] {
    std::vector<long double> v;
    for (unsigned bits = 0;; ++bits) {
      const reference r = decode_reference<T>(bits);
      if (r.what != kind::finite || r.value > facts_of<T>.largest)
        return v;
      v.push_back(r.value);
    }
  }();
  return values;
}

// Rounds to nearest even by search. The sign of zero and the kind of NaN are left to other tests.
template <class T> reference round_reference(long double x) {
  const facts f = facts_of<T>;
  if (std::isnan(x))
    return f.has_nan ? reference{kind::nan, 0}
                     : reference{kind::finite, std::signbit(x) ? -f.largest : f.largest};
  const long double sign = std::signbit(x) ? -1 : 1;
  const long double magnitude = std::fabs(x);
  const std::vector<long double> &v = positive_values<T>();
  std::size_t low = 0, high = v.size(); // v[low] <= magnitude < v[high]
  while (high - low > 1)
    (v[(low + high) / 2] <= magnitude ? low : high) = (low + high) / 2;
  if (low + 1 == v.size()) {
    // The neighbour above the largest value, were there one, decides about overflow.
    const long double above = v[low] + (v[low] - v[low - 1]);
    const bool over = magnitude >= (v[low] + above) / 2;
    if (over && !f.saturates)
      return {kind::infinite, sign};
    return {kind::finite, sign * v[low]};
  }
  const long double middle = (v[low] + v[low + 1]) / 2;
  const bool up = magnitude > middle || (magnitude == middle && low % 2 == 1);
  return {kind::finite, sign * v[low + up]};
}

template <class T> bool matches(T got, const reference &want) {
  switch (want.what) {
  case kind::nan:
    return isnan(got) && std::isnan(static_cast<float>(got));
  case kind::infinite:
    return isinf(got) && static_cast<float>(got) == want.value * INFINITY;
  case kind::finite:
    return isfinite(got) && static_cast<float>(got) == want.value;
  }
  return false;
}

template <class T, class From> void check_rounding(From x, std::size_t &failures) {
  const T got(x);
  if (matches(got, round_reference<T>(static_cast<long double>(x))))
    return;
  if (failures++ < 5)
    FAIL_CHECK("rounding " << x << " gave " << static_cast<float>(got) << ", expected "
                           << (double)round_reference<T>(static_cast<long double>(x)).value);
}

std::uint64_t random_state = 1;
std::uint64_t random_bits() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

template <class T> constexpr unsigned encodings = 1u << (8 * sizeof(T));

} // namespace

#define SMALL_FLOATS                                                                               \
  tl::float16, tl::bfloat16, tl::float8e4nv, tl::float8e5, tl::float8e4b8, tl::float8e5b16,        \
      tl::float8e4b15

TEST_CASE_TEMPLATE("every encoding has its value", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  for (unsigned bits = 0; bits < encodings<T>; ++bits)
    failures += !matches(T::from_bits(bits), decode_reference<T>(bits));
  CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("a value survives the way through float, double and back", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  for (unsigned bits = 0; bits < encodings<T>; ++bits) {
    const T value = T::from_bits(bits);
    const reference r = decode_reference<T>(bits);
    if (r.what != kind::finite || std::fabs(r.value) > facts_of<T>.largest)
      continue;
    failures += T(static_cast<float>(value)).bits != bits;
    failures += T(static_cast<double>(value)).bits != bits;
  }
  CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("ties go to even and their neighbours do not", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  const std::vector<long double> &v = positive_values<T>();
  for (std::size_t i = 0; i + 1 < v.size(); ++i) {
    const double tie = static_cast<double>((v[i] + v[i + 1]) / 2);
    for (const double x : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300), -tie})
      check_rounding<T>(x, failures);
    const float narrow = static_cast<float>(tie); // inexact for the smallest bfloat16: still a test
    for (const float x : {narrow, std::nextafter(narrow, 0.0f), std::nextafter(narrow, 1e38f)})
      check_rounding<T>(x, failures);
  }
  CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("any double and any float is rounded once", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  for (int i = 0; i < 200000; ++i) {
    check_rounding<T>(std::bit_cast<double>(random_bits()), failures);
    check_rounding<T>(std::bit_cast<float>(static_cast<std::uint32_t>(random_bits())), failures);
    // Near the range of the format, where the interesting bits are.
    const double fraction = 1 + static_cast<double>(random_bits() >> 12) * 0x1p-52;
    check_rounding<T>(std::ldexp(fraction, static_cast<int>(random_bits() % 48) - 30), failures);
  }
  CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("integers are rounded once", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  for (int i = -70000; i <= 70000; ++i)
    check_rounding<T>(i, failures);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = random_bits() >> random_bits() % 64;
    check_rounding<T>(bits, failures);
    check_rounding<T>(static_cast<std::int64_t>(bits), failures);
    // A tie of bfloat16 that only the last of 64 bits breaks.
    check_rounding<T>((bits | 1) | std::uint64_t(1) << 63, failures);
  }
  check_rounding<T>((std::uint64_t(1) << 62) + (std::uint64_t(1) << 54) + 1, failures);
  check_rounding<T>(std::numeric_limits<std::int64_t>::min(), failures);
  check_rounding<T>(true, failures);
  CHECK(failures == 0);
}

TEST_CASE("overflow goes to infinity in 16 bits and saturates in 8") {
  CHECK(isinf(tl::float16(65520.0)));
  CHECK(tl::float16(65519.999) == 65504);
  CHECK(isinf(tl::bfloat16(std::numeric_limits<float>::max())));
  CHECK(tl::float8e4nv(1e30) == 448);
  CHECK(tl::float8e4nv(INFINITY) == 448);
  CHECK(tl::float8e4nv(-INFINITY) == -448);
  CHECK(tl::float8e5(INFINITY) == 57344);
  CHECK(tl::float8e5(65504.0) == 57344);
  CHECK(tl::float8e5(61439.0) == 57344);
  CHECK(tl::float8e4b8(-1e9) == -240);
  CHECK(tl::float8e5b16(1e9f) == 57344);
  CHECK(tl::float8e4b15(1.8) == 1.75);
  CHECK(tl::float8e4b15(-INFINITY) == -1.75);
}

TEST_CASE("NaN stays NaN where there is one") {
  CHECK(isnan(tl::float16(NAN)));
  CHECK(isnan(tl::bfloat16(-NAN)));
  CHECK(isnan(tl::float8e4nv(NAN)));
  CHECK(isnan(tl::float8e5(NAN)));
  CHECK(tl::float8e4b8(NAN).bits == 0x80);
  CHECK(tl::float8e5b16(NAN).bits == 0x80);
  CHECK(tl::float8e4b15(std::copysign(NAN, 1.0)) == 1.75f);
  // The payload of this signalling NaN lies in bits that the small type drops.
  CHECK(isnan(tl::bfloat16(std::bit_cast<float>(0x7F800001u))));
}

TEST_CASE("public ties and double rounding cases are right") {
  for (auto [x, want] : {std::pair{1.125, 1.0}, {1.375, 1.5}, {1.625, 1.5}, {1.1875, 1.25}}) {
    CHECK(tl::float8e5(tl::float16(x)) == want);
    CHECK(tl::float8e5(tl::bfloat16(x)) == want);
  }
  CHECK(tl::float8e4nv(1.0625f) == 1.0);
  CHECK(tl::float8e4nv(1.0625001f) == 1.125);
  CHECK(tl::float8e4nv(0x1p-10f) == 0);
  CHECK(tl::float8e4nv(1.5f * 0x1p-10f) == 0x1p-9);
  // Through float this would tie and go down.
  CHECK(tl::float16(1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);
  CHECK(tl::bfloat16(1 + 0x1p-8 + 0x1p-50) == 1 + 0x1p-7);
  CHECK(tl::float16(65500.0) == 65504);
  CHECK(tl::float16(1e-7) == 0x1p-23);
}

TEST_CASE("zeros keep their sign where the format has two") {
  CHECK(std::signbit(float(tl::float16(-0.0))));
  CHECK(std::signbit(float(tl::float8e4nv(-1e-30))));
  CHECK(tl::float8e4b8(-0.0).bits == 0);
  CHECK(tl::float8e5b16(-1e-30).bits == 0);
  CHECK((-tl::float8e4b8(0)).bits == 0);
  CHECK(isnan(-std::numeric_limits<tl::float8e5b16>::quiet_NaN()));
}

TEST_CASE_TEMPLATE("arithmetic is rounded once from the exact result", T, SMALL_FLOATS) {
  std::size_t failures = 0;
  for (int i = 0; i < 100000; ++i) {
    const T a = T::from_bits(static_cast<typename T::storage>(random_bits()));
    const T b = T::from_bits(static_cast<typename T::storage>(random_bits()));
    if (!isfinite(a) || !isfinite(b))
      continue;
    // Exact in long double, but for quotients, and for sums of bfloat16s that are far apart.
    const long double x = float(a), y = float(b);
    const bool far = x != 0 && y != 0 && std::abs(std::ilogb(x) - std::ilogb(y)) > 40;
    failures += !far && !matches(a + b, round_reference<T>(x + y));
    failures += !far && !matches(a - b, round_reference<T>(x - y));
    failures += !matches(a * b, round_reference<T>(x * y)) && std::fabs(x * y) > 0x1p-126L &&
                std::fabs(x * y) < 0x1p127L;
  }
  CHECK(failures == 0);
}

TEST_CASE("mixed arithmetic has the wider type") {
  const tl::float16 h(1.5);
  static_assert(std::same_as<decltype(h + h), tl::float16>);
  static_assert(std::same_as<decltype(h + 1.0f), float>);
  static_assert(std::same_as<decltype(1.0 * h), double>);
  static_assert(std::same_as<decltype(h - 1), float>);
  static_assert(std::same_as<decltype(h * tl::bfloat16(1)), float>);
  static_assert(std::same_as<decltype(-h), tl::float16>);
  static_assert(!std::convertible_to<float, tl::float16>, "narrowing is explicit");
  static_assert(std::convertible_to<tl::float16, double>);
  tl::float16 x = h;
  x += h;
  x *= 2;
  x -= 0.5;
  x /= tl::float16(5.5f);
  CHECK(x == 1);
  CHECK(h < tl::float16(2));
  CHECK(h != tl::bfloat16(2));
  CHECK((h <=> tl::float16(1.5)) == std::partial_ordering::equivalent);
  CHECK(!(tl::float16(NAN) == tl::float16(NAN)));
  CHECK(tl::float8e4nv(tl::float16(448)) == 448);
  CHECK(std::sqrt(tl::float16(4)) == 2);
}

TEST_CASE("everything works in constant expressions and template arguments") {
  static_assert(tl::float16(0.1) * tl::float16(10) == tl::float16(1));
  static_assert(tl::bfloat16(3) / tl::bfloat16(2) == 1.5f);
  static_assert(isnan(std::numeric_limits<tl::float8e5>::quiet_NaN()));
  static_assert(std::is_trivially_copyable_v<tl::float16> && std::is_trivial_v<tl::float8e5>);
  static_assert(sizeof(tl::float16) == 2 && sizeof(tl::bfloat16) == 2 && sizeof(tl::float8e5) == 1);
  constexpr auto doubled = []<tl::float16 X>() { return X + X; };
  static_assert(doubled.operator()<tl::float16(1.25)>() == 2.5f);
}

TEST_CASE_TEMPLATE("numeric_limits agree with the encodings", T, SMALL_FLOATS) {
  using limits = std::numeric_limits<T>;
  const facts f = facts_of<T>;
  static_assert(limits::is_specialized && !limits::is_integer && limits::radix == 2);
  CHECK(float(limits::max()) == f.largest);
  CHECK(float(limits::lowest()) == -f.largest);
  CHECK(float(limits::min()) == std::ldexp(1.0, 1 - f.bias));
  CHECK(float(limits::denorm_min()) == std::ldexp(1.0, 1 - f.bias - f.mantissa_bits));
  CHECK(float(limits::epsilon()) == std::ldexp(1.0, -f.mantissa_bits));
  CHECK(limits::has_infinity == f.has_infinity);
  CHECK(limits::has_quiet_NaN == f.has_nan);
  CHECK(limits::digits == f.mantissa_bits + 1);
  CHECK(float(limits::min()) == std::ldexp(1.0, limits::min_exponent - 1));
  CHECK(std::ilogb(float(limits::max())) == limits::max_exponent - 1);
  CHECK(std::floor(std::log10(float(limits::max()))) == limits::max_exponent10);
  CHECK(std::ceil(std::log10(float(limits::min()))) == limits::min_exponent10);
  CHECK(std::floor((limits::digits - 1) * std::log10(2.0)) == limits::digits10);
  CHECK(std::ceil(limits::digits * std::log10(2.0) + 1) == limits::max_digits10);
  if (limits::has_infinity)
    CHECK(std::isinf(float(limits::infinity())));
  if (limits::has_signaling_NaN)
    CHECK(std::isnan(float(limits::signaling_NaN())));
  CHECK(float(limits::round_error()) == 0.5f);
}

TEST_CASE("small floats are printed as numbers and hashed by value") {
  std::ostringstream out;
  out << tl::float16(1.5) << ' ' << tl::bfloat16(-2) << ' ' << tl::float8e4nv(448);
  CHECK(out.str() == "1.5 -2 448");
  CHECK(std::hash<tl::float16>()(tl::float16(0.0)) == std::hash<tl::float16>()(tl::float16(-0.0)));
  std::unordered_set<tl::float8e5> set{tl::float8e5(1), tl::float8e5(1.01), tl::float8e5(2)};
  CHECK(set.size() == 2);
}

TEST_CASE("each element type has its names") {
  using tl::impl::element;
  CHECK(element<bool>::mlir_name == "i1");
  CHECK(element<std::uint8_t>::mlir_name == "i8");
  CHECK(element<std::uint8_t>::short_name == "u8");
  CHECK(element<std::int64_t>::mlir_name == "i64");
  CHECK(element<tl::bfloat16>::mlir_name == "bf16");
  CHECK(element<tl::float8e4nv>::mlir_name == "f8E4M3FN");
  CHECK(element<tl::float8e5>::mlir_name == "f8E5M2");
  CHECK(element<tl::float8e4b8>::mlir_name == "f8E4M3FNUZ");
  CHECK(element<tl::float8e5b16>::mlir_name == "f8E5M2FNUZ");
  CHECK(element<tl::float8e4b15>::mlir_name == "i8");
  CHECK(element<double>::short_name == "fp64");
  static_assert(element<float>::bits == 32 && element<bool>::bits == 1);
  static_assert(element<bool>::is_bool && !element<bool>::is_signed);
  static_assert(tl::floating<tl::float8e5> && !tl::floating<int> && tl::integral<bool>);
  static_assert(!tl::element_type<long double> && !tl::element_type<char> &&
                !tl::element_type<const float> && !tl::element_type<float *>);
  static_assert(tl::element_type<long long> != tl::element_type<long>);
}
