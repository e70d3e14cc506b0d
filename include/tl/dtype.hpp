// SPDX-License-Identifier: MIT
#pragma once
// Which element types are there, what do they hold, and how does a host value become one? The C++
// arithmetic types are used as they are; the seven small floats of the field, which C++20 lacks,
// are classes here with constexpr arithmetic. impl/float_format.hpp holds their one rounding
// routine and impl::element<T> at the end of this file the names by which the compiler knows each
// type.

#include "tl/impl/float_format.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace tl {

namespace impl {

/// What all small floats share. They behave as float does, with three differences:
///  - a value is made explicitly, `float16(1.5)`, with one rounding to nearest even from the source
///    type, be it an integer, a float, a double or another small float;
///  - a value becomes float implicitly, which is exact, so comparing, printing, <cmath> and mixed
///    arithmetic work, and the result of mixed arithmetic has the wider type;
///  - arithmetic of two equal types is computed in float and rounded once.
/// Overflow: float16 and bfloat16 go to infinity. The 8-bit types saturate: what is too large, and
/// infinity, become the largest finite value of the same sign. NaN stays NaN (float8e4b15, which
/// has none, gives its largest value).
template <class Self, float_format Format> class small_float {
public:
  using storage = std::conditional_t<(Format.total_bits() > 8), std::uint16_t, std::uint8_t>;
  static constexpr float_format format = Format;

  /// The encoding. Public so that the types can be template arguments.
  storage bits;

  small_float() = default;

  template <class T>
    requires std::same_as<T, float> || std::same_as<T, double>
  constexpr explicit small_float(const T &value)
      : bits(static_cast<storage>(encode<Format>(value))) {}

  template <std::integral T>
  constexpr explicit small_float(T value)
      : bits(static_cast<storage>(encode_integer<Format>(value))) {}

  template <class Other>
    requires(!std::same_as<Other, Self> && requires { Other::format.total_bits(); })
  constexpr explicit small_float(Other value) : small_float(static_cast<float>(value)) {}

  /// The value with this encoding.
  static constexpr Self from_bits(storage encoding) {
    Self result;
    result.bits = encoding;
    return result;
  }

  /// Exact: every small float is a float.
  constexpr operator float() const { return decode<Format>(bits); }

  constexpr Self operator+() const { return from_bits(bits); }
  constexpr Self operator-() const { return from_bits(static_cast<storage>(negate<Format>(bits))); }

  friend constexpr Self operator+(Self a, Self b) { return Self(float(a) + float(b)); }
  friend constexpr Self operator-(Self a, Self b) { return Self(float(a) - float(b)); }
  friend constexpr Self operator*(Self a, Self b) { return Self(float(a) * float(b)); }
  friend constexpr Self operator/(Self a, Self b) { return Self(float(a) / float(b)); }

  template <class T> constexpr Self &operator+=(T b) { return assign(float(self()) + b); }
  template <class T> constexpr Self &operator-=(T b) { return assign(float(self()) - b); }
  template <class T> constexpr Self &operator*=(T b) { return assign(float(self()) * b); }
  template <class T> constexpr Self &operator/=(T b) { return assign(float(self()) / b); }

  /// Classification by encoding: constexpr, and right under -ffast-math.
  friend constexpr bool isnan(Self value) { return is_nan<Format>(value.bits); }
  friend constexpr bool isinf(Self value) {
    return Format.infinity != 0 && (value.bits & Format.magnitude_mask()) == Format.infinity;
  }
  friend constexpr bool isfinite(Self value) { return !isnan(value) && !isinf(value); }

private:
  constexpr Self &self() { return static_cast<Self &>(*this); }
  template <class T> constexpr Self &assign(T value) { return self() = Self(value); }
};

} // namespace impl

/// IEEE 754 binary16: 5 exponent and 10 mantissa bits, largest value 65504.
///
///     tl::float16 x(0.1);              // rounds once
///     float y = x * 2.0f;              // exact widening, float arithmetic
///     std::vector<tl::float16> v(n, tl::float16(1));
class float16 : public impl::small_float<float16, impl::f16_format> {
public:
  using small_float::small_float;
};

/// The upper half of a float: 8 exponent and 7 mantissa bits.
class bfloat16 : public impl::small_float<bfloat16, impl::bf16_format> {
public:
  using small_float::small_float;
};

/// 4 exponent and 3 mantissa bits, bias 7, NaN but no infinity, largest value 448.
class float8e4nv : public impl::small_float<float8e4nv, impl::f8e4nv_format> {
public:
  using small_float::small_float;
};

/// 5 exponent and 2 mantissa bits, bias 15, largest value 57344. Has an infinity, which conversion
/// from other types never makes: it saturates. An infinity of this type keeps its bits, in kernels
/// too.
class float8e5 : public impl::small_float<float8e5, impl::f8e5_format> {
public:
  using small_float::small_float;
};

/// 4 exponent and 3 mantissa bits, bias 8, one zero, one NaN, no infinity, largest value 240.
class float8e4b8 : public impl::small_float<float8e4b8, impl::f8e4b8_format> {
public:
  using small_float::small_float;
};

/// 5 exponent and 2 mantissa bits, bias 16, one zero, one NaN, no infinity, largest value 57344.
class float8e5b16 : public impl::small_float<float8e5b16, impl::f8e5b16_format> {
public:
  using small_float::small_float;
};

/// 4 exponent and 3 mantissa bits, bias 15, neither NaN nor infinity. Conversion from other types
/// makes at most 1.75; the encoding above it, 0x7F, is 1.875 and keeps its bits, in kernels too.
class float8e4b15 : public impl::small_float<float8e4b15, impl::f8e4b15_format> {
public:
  using small_float::small_float;
};

namespace impl {

/// How the compiler and upstream call an element type, and what it is. The primary template stands
/// for "not an element type".
template <class T> struct element {
  static constexpr bool known = false, is_float = false, is_signed = false, is_bool = false;
  static constexpr int bits = 0;
};

enum class element_kind { boolean, signed_integer, unsigned_integer, floating };

template <element_kind Kind, int Bits> struct known_element {
  static constexpr bool known = true;
  static constexpr element_kind kind = Kind;
  static constexpr int bits = Bits; // of the value; bool is stored in a byte all the same
  static constexpr bool is_float = Kind == element_kind::floating;
  static constexpr bool is_signed =
      Kind == element_kind::floating || Kind == element_kind::signed_integer;
  static constexpr bool is_bool = Kind == element_kind::boolean;
};

// mlir_name is the type's spelling in TTIR, short_name upstream's in signatures.
template <> struct element<bool> : known_element<element_kind::boolean, 1> {
  static constexpr std::string_view mlir_name = "i1", short_name = "i1";
};
template <> struct element<std::int8_t> : known_element<element_kind::signed_integer, 8> {
  static constexpr std::string_view mlir_name = "i8", short_name = "i8";
};
template <> struct element<std::int16_t> : known_element<element_kind::signed_integer, 16> {
  static constexpr std::string_view mlir_name = "i16", short_name = "i16";
};
template <> struct element<std::int32_t> : known_element<element_kind::signed_integer, 32> {
  static constexpr std::string_view mlir_name = "i32", short_name = "i32";
};
template <> struct element<std::int64_t> : known_element<element_kind::signed_integer, 64> {
  static constexpr std::string_view mlir_name = "i64", short_name = "i64";
};
template <> struct element<std::uint8_t> : known_element<element_kind::unsigned_integer, 8> {
  static constexpr std::string_view mlir_name = "i8", short_name = "u8";
};
template <> struct element<std::uint16_t> : known_element<element_kind::unsigned_integer, 16> {
  static constexpr std::string_view mlir_name = "i16", short_name = "u16";
};
template <> struct element<std::uint32_t> : known_element<element_kind::unsigned_integer, 32> {
  static constexpr std::string_view mlir_name = "i32", short_name = "u32";
};
template <> struct element<std::uint64_t> : known_element<element_kind::unsigned_integer, 64> {
  static constexpr std::string_view mlir_name = "i64", short_name = "u64";
};
template <> struct element<float> : known_element<element_kind::floating, 32> {
  static constexpr std::string_view mlir_name = "f32", short_name = "fp32";
};
template <> struct element<double> : known_element<element_kind::floating, 64> {
  static constexpr std::string_view mlir_name = "f64", short_name = "fp64";
};
template <> struct element<float16> : known_element<element_kind::floating, 16> {
  static constexpr std::string_view mlir_name = "f16", short_name = "fp16";
};
template <> struct element<bfloat16> : known_element<element_kind::floating, 16> {
  static constexpr std::string_view mlir_name = "bf16", short_name = "bf16";
};
template <> struct element<float8e4nv> : known_element<element_kind::floating, 8> {
  static constexpr std::string_view mlir_name = "f8E4M3FN", short_name = "fp8e4nv";
};
template <> struct element<float8e5> : known_element<element_kind::floating, 8> {
  static constexpr std::string_view mlir_name = "f8E5M2", short_name = "fp8e5";
};
template <> struct element<float8e4b8> : known_element<element_kind::floating, 8> {
  static constexpr std::string_view mlir_name = "f8E4M3FNUZ", short_name = "fp8e4b8";
};
template <> struct element<float8e5b16> : known_element<element_kind::floating, 8> {
  static constexpr std::string_view mlir_name = "f8E5M2FNUZ", short_name = "fp8e5b16";
};
/// MLIR has no type for it: it travels as i8 and only conversions know better.
template <> struct element<float8e4b15> : known_element<element_kind::floating, 8> {
  static constexpr std::string_view mlir_name = "i8", short_name = "fp8e4b15";
};

/// The integers that are as wide as a fixed-width type but are not it ("long long" beside a long
/// std::int64_t): the usual reason why a type is refused.
template <class T> inline constexpr bool is_other_integer = std::integral<T> && !element<T>::known;

} // namespace impl

/// What a tensor or a buffer can hold: bool, the fixed-width integers, float, double, and the small
/// floats of this file. No cv-qualifiers.
///
///     template <tl::element_type T> void scale(tl::buffer<T> &x);
template <class T>
concept element_type = impl::element<T>::known;

/// An element type with a fraction.
template <class T>
concept floating = element_type<T> && impl::element<T>::is_float;

/// An integer element type, bool included.
template <class T>
concept integral = element_type<T> && !impl::element<T>::is_float;

namespace impl {

/// Says in one sentence what is wrong with T where an element type is expected; call it in the body
/// of the public class or function. True if T is fine, so that the caller can stop.
template <class T> consteval bool check_element_type() {
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "a tl element type has no const or volatile here");
  static_assert(!is_other_integer<T>,
                "this integer is not a tl element type: write the fixed-width name (std::int64_t "
                "instead of long long, std::int8_t instead of char)");
  static_assert(element_type<T> || is_other_integer<T>,
                "not a tl element type: use bool, std::int8_t … std::uint64_t, float, double, "
                "tl::float16, tl::bfloat16 or a tl::float8… type");
  return element_type<T>;
}

/// std::numeric_limits of a small float.
template <class T> class small_float_limits {
  static constexpr float_format f = T::format;
  static constexpr T code(unsigned bits) {
    return T::from_bits(static_cast<typename T::storage>(bits));
  }
  // The floor of bits times the decimal logarithm of 2, exact in the range that is used.
  static constexpr int decimal(int bits) { return bits * 30103 / 100000; }

public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_bounded = true, is_modulo = false;
  static constexpr bool has_infinity = f.infinity != 0, has_quiet_NaN = f.nan != 0;
  static constexpr bool is_iec559 = f.total_bits() == 16, has_signaling_NaN = is_iec559;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false, traps = false, tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int radix = 2, digits = f.mantissa_bits + 1;
  static constexpr int digits10 = decimal(digits - 1), max_digits10 = 2 + decimal(digits);
  static constexpr int min_exponent = 2 - f.bias;
  static constexpr int max_exponent = static_cast<int>(f.largest >> f.mantissa_bits) - f.bias + 1;
  static constexpr int min_exponent10 = -decimal(1 - min_exponent);
  static constexpr int max_exponent10 = decimal(max_exponent);

  static constexpr T min() noexcept { return code(1u << f.mantissa_bits); }
  static constexpr T max() noexcept { return code(f.largest); }
  static constexpr T lowest() noexcept { return code(f.largest | f.sign_mask()); }
  static constexpr T epsilon() noexcept { return T(1.0 / (1 << f.mantissa_bits)); }
  static constexpr T round_error() noexcept { return T(0.5); }
  static constexpr T infinity() noexcept { return code(f.infinity); }
  static constexpr T quiet_NaN() noexcept { return code(f.nan); }
  static constexpr T signaling_NaN() noexcept {
    return code(has_signaling_NaN ? f.infinity + 1 : 0);
  }
  static constexpr T denorm_min() noexcept { return code(1); }
};

template <class T> struct small_float_hash {
  std::size_t operator()(T value) const noexcept {
    return std::hash<float>()(static_cast<float>(value)); // 0 and -0 are equal: one hash
  }
};

} // namespace impl
} // namespace tl

template <>
class std::numeric_limits<tl::float16> : public tl::impl::small_float_limits<tl::float16> {};
template <>
class std::numeric_limits<tl::bfloat16> : public tl::impl::small_float_limits<tl::bfloat16> {};
template <>
class std::numeric_limits<tl::float8e4nv> : public tl::impl::small_float_limits<tl::float8e4nv> {};
template <>
class std::numeric_limits<tl::float8e5> : public tl::impl::small_float_limits<tl::float8e5> {};
template <>
class std::numeric_limits<tl::float8e4b8> : public tl::impl::small_float_limits<tl::float8e4b8> {};
template <>
class std::numeric_limits<tl::float8e5b16> : public tl::impl::small_float_limits<tl::float8e5b16> {
};
template <>
class std::numeric_limits<tl::float8e4b15> : public tl::impl::small_float_limits<tl::float8e4b15> {
};

template <> struct std::hash<tl::float16> : tl::impl::small_float_hash<tl::float16> {};
template <> struct std::hash<tl::bfloat16> : tl::impl::small_float_hash<tl::bfloat16> {};
template <> struct std::hash<tl::float8e4nv> : tl::impl::small_float_hash<tl::float8e4nv> {};
template <> struct std::hash<tl::float8e5> : tl::impl::small_float_hash<tl::float8e5> {};
template <> struct std::hash<tl::float8e4b8> : tl::impl::small_float_hash<tl::float8e4b8> {};
template <> struct std::hash<tl::float8e5b16> : tl::impl::small_float_hash<tl::float8e5b16> {};
template <> struct std::hash<tl::float8e4b15> : tl::impl::small_float_hash<tl::float8e4b15> {};
