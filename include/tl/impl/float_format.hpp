// SPDX-License-Identifier: MIT
#pragma once
// The one routine that rounds into the binary floating-point formats below float. Used by the
// element types of dtype.hpp. Everything works on encodings with integers, so it is constexpr,
// independent of the machine's rounding mode, and right under -ffast-math.

#include "tl/impl/compiler.hpp"
#include "tl/impl/float_formats.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tl::impl {

template <float_format F> constexpr unsigned with_sign(unsigned magnitude, bool negative) {
  if (magnitude == 0 && !F.negative_zero)
    return 0;
  return magnitude | (negative ? F.sign_mask() : 0);
}

template <float_format F> constexpr bool is_nan(unsigned bits) {
  if constexpr (F.nan == 0)
    return false;
  else if constexpr (!F.negative_zero)
    return bits == F.nan;
  else
    return (bits & F.magnitude_mask()) > (F.infinity ? F.infinity : F.largest);
}

template <float_format F> constexpr unsigned encode_infinity(bool negative) {
  return with_sign<F>(F.saturates ? F.largest : F.infinity, negative);
}

template <float_format F> constexpr unsigned encode_nan(bool negative) {
  if constexpr (F.nan == 0)
    return with_sign<F>(F.largest, negative);
  else if constexpr (!F.negative_zero)
    return F.nan;
  else
    return with_sign<F>(F.nan, negative);
}

/// Rounds significand * 2^exponent to nearest, ties to even, in one step.
///
/// The value is written as a whole number of quanta, the quantum being the distance of neighbours
/// around the value: 2^-mantissa_bits below its leading bit, or that of the subnormals. Since
/// encodings of one sign are consecutive integers, adding the quanta to the encoding where that
/// binade starts gives the answer, carries into the exponent included.
template <float_format F>
constexpr unsigned encode_rounded(bool negative, std::uint64_t significand, int exponent) {
  if (significand == 0)
    return with_sign<F>(0, negative);
  const int leading = 63 - std::countl_zero(significand) + exponent;
  const int binade = leading < 1 - F.bias ? 1 - F.bias : leading;
  const int drop = binade - F.mantissa_bits - exponent; // low bits of the significand to round away
  std::uint64_t quanta = 0;
  if (drop <= 0) {
    quanta = significand << -drop;
  } else if (drop < 64) {
    quanta = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t(1) << drop) - 1);
    const std::uint64_t half = std::uint64_t(1) << (drop - 1);
    quanta += rest > half || (rest == half && (quanta & 1));
  } else if (drop == 64) {
    quanta = significand > std::uint64_t(1) << 63;
  }
  const std::uint64_t code =
      quanta + (static_cast<std::uint64_t>(binade + F.bias - 1) << F.mantissa_bits);
  if (code > F.largest)
    return encode_infinity<F>(negative);
  return with_sign<F>(static_cast<unsigned>(code), negative);
}

template <float_format F> constexpr unsigned encode(const double &value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63;
  const int exponent = static_cast<int>(bits >> 52) & 0x7FF;
  const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
  if (exponent == 0x7FF)
    return fraction ? encode_nan<F>(negative) : encode_infinity<F>(negative);
  if (exponent == 0)
    return encode_rounded<F>(negative, fraction, -1074);
  return encode_rounded<F>(negative, fraction | std::uint64_t(1) << 52, exponent - 1075);
}

template <float_format F> constexpr unsigned encode(const float &value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool negative = bits >> 31;
  const int exponent = static_cast<int>(bits >> 23) & 0xFF;
  const std::uint32_t fraction = bits & 0x7FFFFF;
  if (exponent == 0xFF)
    return fraction ? encode_nan<F>(negative) : encode_infinity<F>(negative);
  if (exponent == 0)
    return encode_rounded<F>(negative, fraction, -149);
  return encode_rounded<F>(negative, fraction | 0x800000u, exponent - 150);
}

template <float_format F, std::integral T> constexpr unsigned encode_integer(T value) {
  if constexpr (std::is_signed_v<T>) {
    const bool negative = value < 0;
    const std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return encode_rounded<F>(negative, negative ? 0 - bits : bits, 0);
  } else {
    return encode_rounded<F>(false, static_cast<std::uint64_t>(value), 0);
  }
}

/// The value as a float, as its encoding. Exact: float has more exponent and more mantissa bits
/// than each of the formats.
template <float_format F> constexpr std::uint32_t float_encoding(unsigned bits) {
  if constexpr (F.exponent_bits == 8) // the upper half of a float
    return static_cast<std::uint32_t>(bits) << 16;
  const std::uint32_t sign = bits & F.sign_mask() ? 0x80000000u : 0u;
  if (is_nan<F>(bits))
    return sign | 0x7FC00000u;
  const unsigned magnitude = bits & F.magnitude_mask();
  if (F.infinity != 0 && magnitude == F.infinity)
    return sign | 0x7F800000u;
  if (magnitude == 0)
    return sign;
  unsigned mantissa = magnitude & ((1u << F.mantissa_bits) - 1);
  int exponent = static_cast<int>(magnitude >> F.mantissa_bits) - F.bias;
  if (exponent == -F.bias) { // subnormal: move the leading bit to where it is implied
    const int shift = F.mantissa_bits + 1 - static_cast<int>(std::bit_width(mantissa));
    mantissa = (mantissa << shift) & ((1u << F.mantissa_bits) - 1);
    exponent = 1 - F.bias - shift;
  }
  return sign | static_cast<std::uint32_t>(exponent + 127) << 23 |
         mantissa << (23 - F.mantissa_bits);
}
template <float_format F> constexpr float decode(unsigned bits) {
  return std::bit_cast<float>(float_encoding<F>(bits));
}

// A program compiled with -ffinite-math-only has neither infinities nor NaNs for its compiler: what
// may be one is looked at as bits, and passed by reference, since arguments of type double promise
// to be finite there.

constexpr bool is_nan(const double &value) {
  return std::bit_cast<std::uint64_t>(value) << 1 > std::uint64_t(0x7FF) << 53;
}
constexpr bool is_infinite(const double &value) {
  return std::bit_cast<std::uint64_t>(value) << 1 == std::uint64_t(0x7FF) << 53;
}
constexpr bool is_finite(const double &value) { return !is_nan(value) && !is_infinite(value); }

/// The value of a float as a double, both as encodings: also a denormal that the program flushes.
constexpr std::uint64_t widen(std::uint32_t float_bits) {
  const std::uint64_t sign = static_cast<std::uint64_t>(float_bits >> 31) << 63;
  const std::uint64_t magnitude = float_bits & 0x7FFFFFFF;
  if (magnitude >= 0x7F800000)
    return sign | std::uint64_t(0x7FF) << 52 | (magnitude & 0x7FFFFF) << 29;
  if (magnitude >= 0x800000)
    return sign | ((magnitude << 29) + (std::uint64_t(1023 - 127) << 52));
  if (magnitude == 0)
    return sign;
  const int shift = std::countl_zero(magnitude) - 11; // to where the leading bit is implied
  return sign |
         ((magnitude << shift) + (static_cast<std::uint64_t>(1023 - 149 + 52 - shift - 1) << 52));
}

/// The encoding of a number as a double: its value, for the floats that tl knows.
template <class A> constexpr std::uint64_t double_encoding(const A &value) {
  if constexpr (std::is_same_v<A, float>)
    return widen(std::bit_cast<std::uint32_t>(value));
  else if constexpr (requires { A::format.mantissa_bits; })
    return widen(float_encoding<A::format>(value.bits));
  else
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

template <float_format F> constexpr unsigned negate(unsigned bits) {
  return !F.negative_zero && (bits & F.magnitude_mask()) == 0 ? bits : bits ^ F.sign_mask();
}

} // namespace tl::impl
