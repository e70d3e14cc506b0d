// SPDX-License-Identifier: MIT
#pragma once
// The host's side of the rows where C++ leaves a case undefined: integers that wrap, division by
// zero, wide shifts, conversions out of range. docs/explanation/design_decisions.md states the
// rules; this is them, in C++.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace numeric::host {

/// Arithmetic modulo 2^width for integers, IEEE's for floats.
template <class T, class F> T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  else
    return f(a, b);
}
template <class T> T add(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x + y; });
}
template <class T> T sub(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x - y; });
}
template <class T> T mul(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

/// Truncating; x / 0 is 0, and the lowest integer / -1 is itself.
template <class T> T quotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else if (b == 0)
    return 0;
  else if (std::is_signed_v<T> && b == T(-1))
    return sub(T(0), a);
  else
    return static_cast<T>(a / b);
}
/// With the dividend's sign; x % 0 is x.
template <class T> T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(a, b);
  else if (b == 0)
    return a;
  else if (std::is_signed_v<T> && b == T(-1))
    return 0;
  else
    return static_cast<T>(a % b);
}

/// Shift amounts are unsigned; by the width or more gives 0, or the sign on the right.
template <class T> bool is_whole_width(T amount) {
  return std::make_unsigned_t<T>(amount) >= 8 * sizeof(T);
}
template <class T> T shift_left(T a, T amount) {
  return is_whole_width(amount) ? T(0) : static_cast<T>(std::uint64_t(a) << amount);
}
template <class T> T shift_right(T a, T amount) {
  if (is_whole_width(amount))
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> amount);
}

template <class T> T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return std::is_signed_v<T> && a < 0 ? sub(T(0), a) : a;
}

/// A NaN loses against a number.
template <class T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin(a, b);
  else
    return a < b ? a : b;
}
template <class T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax(a, b);
  else
    return a < b ? b : a;
}

/// Float to integer: towards zero, to the nearest end when out of range, NaN to 0.
template <class To, class From> To saturate(From value) {
  if (std::isnan(value))
    return 0;
  const From whole = std::trunc(value);
  // One above the largest value is a power of two, and so exact.
  const From above = std::ldexp(From(1), std::numeric_limits<To>::digits);
  const From lowest = std::is_signed_v<To> ? -above : From(0);
  if (whole >= above)
    return std::numeric_limits<To>::max();
  if (whole < lowest)
    return std::numeric_limits<To>::lowest();
  return static_cast<To>(whole);
}

/// The upper half of the product.
template <class T> T upper_half(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
  else
    return static_cast<T>((std::uint64_t(a) * b) >> 32);
}

} // namespace numeric::host
