// SPDX-License-Identifier: MIT
//
// Casts of small floats, all encodings of them; and into them, from every value that lies on,
// beside or between two of theirs; when the kernel runs, and of constants. What a cast must give is
// looked up among the values of all encodings, which follow from the widths of their fields.

#include "host.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

using namespace numeric;

namespace {

constexpr int block = 256;

/// Holds every value of every element type, 64-bit integers included.
using number = long double;
static_assert(std::numeric_limits<number>::digits >= 64);

/// A small float format and the values of its encodings without sign, in order.
template <class T> struct small {
  static constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  static constexpr int exponent_bits = int(8 * sizeof(T)) - 1 - mantissa_bits;
  static constexpr unsigned sign = 1u << (8 * sizeof(T) - 1);
  static constexpr bool one_zero = // and the encoding of -0 is the NaN
      std::is_same_v<T, tl::float8e4b8> || std::is_same_v<T, tl::float8e5b16>;
  static constexpr bool ieee = // the highest exponent is infinity and NaNs
      sizeof(T) == 2 || std::is_same_v<T, tl::float8e5>;
  static constexpr int bias =
      std::is_same_v<T, tl::float8e4b15> ? 15 : (1 << (exponent_bits - 1)) - 1 + (one_zero ? 1 : 0);
  static constexpr bool has_infinity_by_cast = sizeof(T) == 2;

  /// The encoding of the largest number that casts make.
  static constexpr unsigned largest() {
    if (ieee)
      return (((1u << exponent_bits) - 1) << mantissa_bits) - 1;
    return one_zero ? sign - 1 : sign - 2; // the last one is a NaN, or unused
  }

  static number value(unsigned code) {
    const int mantissa = int(code & ((1u << mantissa_bits) - 1));
    const int exponent = int(code >> mantissa_bits);
    return exponent == 0 ? std::ldexp(number(mantissa), 1 - bias - mantissa_bits)
                         : std::ldexp(number(mantissa + (1 << mantissa_bits)),
                                      exponent - bias - mantissa_bits);
  }

  static const std::vector<number> &values() {
    static const std::vector<number> all = [] {
      std::vector<number> v;
      for (unsigned code = 0; code <= largest(); ++code)
        v.push_back(value(code));
      return v;
    }();
    return all;
  }

  static number decoded(T x) {
    const unsigned code = x.bits & (sign - 1);
    const number s = x.bits & sign ? -1 : 1;
    if (one_zero ? x.bits == sign : code > largest()) {
      if (std::is_same_v<T, tl::float8e4b15>)
        return s * 1.875L;
      if (!ieee || code > largest() + 1)
        return std::numeric_limits<number>::quiet_NaN();
      return s * std::numeric_limits<number>::infinity();
    }
    return s * value(code);
  }

  static T encoded(number x, bool toward_zero) {
    using storage = typename T::storage;
    const unsigned s = std::signbit(x) ? sign : 0;
    if (std::isnan(x))
      return T::from_bits(storage(one_zero ? sign : sign - 1));
    const std::vector<number> &all = values();
    const number size = std::fabs(x);
    const auto above = std::upper_bound(all.begin(), all.end(), size);
    unsigned code = unsigned(above - all.begin()) - 1;
    // Beside the largest number lies what the next exponent would hold.
    const number next = code < largest() ? all[code + 1] : value(largest() + 1);
    const bool up = size - all[code] > next - size || (size - all[code] == next - size && code % 2);
    if (std::isinf(x) || (up && !toward_zero))
      code = std::min(code + 1, has_infinity_by_cast ? largest() + 1 : largest());
    return T::from_bits(storage(one_zero && code == 0 ? 0 : s | code));
  }
};

template <class T> constexpr bool is_small = requires(T x) { x.bits; };

template <class T> number value_of(T x) {
  if constexpr (is_small<T>)
    return small<T>::decoded(x);
  else
    return number(x);
}

template <class To, class From> To wanted(From x, bool toward_zero) {
  const number value = value_of(x);
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<To>) {
    return host::saturate<To>(value);
  } else if constexpr (is_small<To>) {
    return small<To>::encoded(value, toward_zero);
  } else {
    const To nearest = static_cast<To>(value);
    return toward_zero && std::fabs(nearest) > std::fabs(value) ? std::nextafter(nearest, To(0))
                                                                : nearest;
  }
}

template <class From, class To, bool TowardZero>
constexpr auto casts =
    tl::kernel{"casts", [](tl::ptr<const From> x, tl::ptr<To> out) {
                 auto i = tl::program_id(0) * block + tl::arange<block>();
                 tl::store(out + i, tl::cast<To>(tl::load(x + i),
                                                 {.rounding = TowardZero ? tl::rtz : tl::rtne}));
               }};

template <class To, bool TowardZero, class From>
test_case cast_of(const std::vector<From> &values) {
  test_case c;
  c.name = std::string("cast ") + info_of<From>().name + " to " + info_of<To>().name +
           (TowardZero ? " toward zero" : "");
  c.ttir = casts<From, To, TowardZero>.trace();
  c.programs = int(values.size() / block);
  c.result = &info_of<To>();
  c.operand = &info_of<From>();
  c.results = values.size();
  const auto *raw = reinterpret_cast<const unsigned char *>(values.data());
  c.inputs.emplace_back(raw, raw + values.size() * sizeof(From));
  for (From x : values) {
    const To y = wanted<To>(x, TowardZero);
    const auto *bytes = reinterpret_cast<const unsigned char *>(&y);
    c.wanted.insert(c.wanted.end(), bytes, bytes + sizeof(To));
  }
  return c;
}

/// All values when the kernel runs, and a block of them as constants.
template <class To, class From, bool TowardZero = false> void check(std::vector<From> values) {
  if (std::is_same_v<To, tl::float8e4b15>) // which has none: its sign is open
    std::erase_if(values, [](From x) { return std::isnan(value_of(x)); });
  values.resize((values.size() + block - 1) / block * block, From(0));
  run(cast_of<To, TowardZero>(values));
  std::vector<From> some;
  for (std::size_t i = 0; i < block; ++i) // halves between encodings of 8 bits among them
    some.push_back(values[(i * (values.size() / block) + i % 32 * 8) % values.size()]);
  run(with_constants(cast_of<To, TowardZero>(some), block));
}

/// Every value of a type of 8 or 16 bits.
template <class T> std::vector<T> all_values() {
  std::vector<T> values;
  for (unsigned code = 0; code < 1u << (8 * sizeof(T)); ++code) {
    if constexpr (is_small<T>)
      values.push_back(T::from_bits(static_cast<typename T::storage>(code)));
    else
      values.push_back(static_cast<T>(code));
  }
  return values;
}

/// The values of To, halves between neighbours, and what lies beside both in From; and numbers from
/// all over From.
template <class To, class From> std::vector<From> around_values_of() {
  constexpr From infinity = std::numeric_limits<From>::infinity();
  std::vector<From> values{0,
                           infinity,
                           std::numeric_limits<From>::quiet_NaN(),
                           std::numeric_limits<From>::max(),
                           std::numeric_limits<From>::min(),
                           std::numeric_limits<From>::denorm_min()};
  for (unsigned code = 0; code <= small<To>::largest(); ++code) {
    const From x = static_cast<From>(small<To>::value(code)),
               half = static_cast<From>((small<To>::value(code) + small<To>::value(code + 1)) / 2);
    for (From y : {x, half})
      for (From z : {std::nextafter(y, From(0)), y, std::nextafter(y, infinity)})
        values.push_back(z);
  }
  for (std::uint32_t bits = 0; bits < 0x7F800000u; bits += 0x10001u)
    values.push_back(From(std::bit_cast<float>(bits)));
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i)
    values.push_back(-values[i]);
  return values;
}

/// Powers of two, and what is near them and near halves between the values of a float of few bits.
template <class T> std::vector<T> large_integers() {
  std::vector<T> values;
  for (int bit = 0; bit < int(8 * sizeof(T)); ++bit)
    for (int mantissa : {0, 1, 3, 7, 8, 10, 11, 23, 24, 52, 53})
      for (std::uint64_t odd : {0, 1, 2, 3})
        for (std::int64_t beside : {-1, 0, 1}) {
          const std::uint64_t step = mantissa < bit ? std::uint64_t(1) << (bit - mantissa) : 0;
          const std::uint64_t x =
              (std::uint64_t(1) << bit) + odd * step / 2 + std::uint64_t(beside);
          values.push_back(static_cast<T>(x));
          values.push_back(static_cast<T>(0 - x));
        }
  return values;
}

template <class From, class... To> void check_all(types<To...>) {
  const std::vector<From> values = all_values<From>();
  (check<To>(values), ...);
}
template <class From, class... To> void check_toward_zero(types<To...>) {
  const std::vector<From> values = all_values<From>();
  (check<To, From, true>(values), ...);
}
template <class From, class... To> void check_around(types<To...>) {
  (check<To>(around_values_of<To, From>()), ...);
  (check<To, From, true>(around_values_of<To, From>()), ...);
}
template <class From, class... To> void check_large(types<To...>) {
  const std::vector<From> values = large_integers<From>();
  (check<To>(values), ...);
}

constexpr types<tl::float8e4nv, tl::float8e5, tl::float8e4b8, tl::float8e5b16, tl::float8e4b15>
    of_8_bits;
constexpr types<tl::float16, tl::bfloat16, tl::float8e4nv, tl::float8e5, tl::float8e4b8,
                tl::float8e5b16, tl::float8e4b15>
    all_small;

} // namespace

TEST_CASE("every value of 16-bit floats is cast to every float type") {
  check_all<tl::float16>(of_8_bits);
  check_all<tl::bfloat16>(of_8_bits);
  check_all<tl::float16>(types<tl::bfloat16, float, double>{});
  check_all<tl::bfloat16>(types<tl::float16, float, double>{});
  check_toward_zero<tl::float16>(of_8_bits);
  check_toward_zero<tl::bfloat16>(of_8_bits);
}

TEST_CASE("every value of 8-bit floats is cast to every float type") {
  constexpr types<float, double, tl::float16, tl::bfloat16> wider;
  check_all<tl::float8e4nv>(wider);
  check_all<tl::float8e5>(wider);
  check_all<tl::float8e4b8>(wider);
  check_all<tl::float8e5b16>(wider);
  check_all<tl::float8e4b15>(wider);
  check_all<tl::float8e4nv>(
      types<tl::float8e5, tl::float8e4b8, tl::float8e5b16, tl::float8e4b15>{});
  check_all<tl::float8e5>(
      types<tl::float8e4nv, tl::float8e4b8, tl::float8e5b16, tl::float8e4b15>{});
  check_all<tl::float8e4b8>(types<tl::float8e4nv, tl::float8e5>{});
  check_all<tl::float8e5b16>(types<tl::float8e4nv, tl::float8e5>{});
  check_all<tl::float8e4b15>(types<tl::float8e4nv, tl::float8e5>{});
}

TEST_CASE("halves between the values of small floats are rounded once") {
  check_around<float>(all_small);
  check_around<double>(all_small);
}

TEST_CASE("every value of small floats is cast to integers and bool") {
  constexpr types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                  std::uint64_t, bool>
      integers;
  check_all<tl::float16>(integers);
  check_all<tl::bfloat16>(integers);
  check_all<tl::float8e4nv>(integers);
  check_all<tl::float8e5>(integers);
}

TEST_CASE("every integer of 8 and 16 bits is cast to every small float") {
  check_all<std::int8_t>(all_small);
  check_all<std::uint8_t>(all_small);
  check_all<std::int16_t>(all_small);
  check_all<std::uint16_t>(all_small);
}

TEST_CASE("large integers are rounded once to floats") {
  constexpr types<float, double, tl::float16, tl::bfloat16, tl::float8e5> floats;
  check_large<std::int32_t>(floats);
  check_large<std::uint32_t>(floats);
  check_large<std::int64_t>(floats);
  check_large<std::uint64_t>(floats);
}
