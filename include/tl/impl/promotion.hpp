// SPDX-License-Identifier: MIT
#pragma once
// Which element type does an operation compute in? Upstream's rules, in the type system: C++
// numbers are weak and take the tensor's type, floats win over integers, the wider wins. tensor.hpp
// asks here for every operator.

#include "tl/impl/emit.hpp"

namespace tl::impl {

/// What tl::static_for hands to its function: a number that is also known to the C++ compiler.
template <class A> inline constexpr bool is_constant_number = false;
template <class T, T Value>
inline constexpr bool is_constant_number<std::integral_constant<T, Value>> = true;

/// A C++ number that an operator or function takes beside tensors.
template <class A>
concept number = std::is_arithmetic_v<A> || floating<A> || is_constant_number<A>;

template <class A> constexpr literal to_literal(const A &value) {
  if constexpr (is_constant_number<A>)
    return to_literal(A::value);
  else if constexpr (std::same_as<A, bool>)
    return {element_kind::boolean, value, 0};
  else if constexpr (std::integral<A>)
    return {std::is_signed_v<A> ? element_kind::signed_integer : element_kind::unsigned_integer,
            static_cast<std::int64_t>(value), 0};
  else if constexpr (std::is_arithmetic_v<A>)
    return {element_kind::floating, 0, std::bit_cast<double>(double_encoding(value))};
  else
    return {element_kind::floating, 0, std::bit_cast<double>(double_encoding(value)),
            element<A>::short_name, value.bits};
}

/// The type of a tensor made from a number alone: int32 or as wide as it must be, and float.
template <class A> constexpr auto own_element_of_number() {
  if constexpr (is_constant_number<A>)
    return own_element_of_number<typename A::value_type>();
  else if constexpr (std::same_as<A, bool>)
    return bool{};
  else if constexpr (std::integral<A> && std::is_signed_v<A>)
    return std::conditional_t<(sizeof(A) > 4), std::int64_t, std::int32_t>{};
  else if constexpr (std::integral<A>)
    return std::conditional_t<(sizeof(A) > 4), std::uint64_t, std::uint32_t>{};
  else
    return float{};
}
template <class A> using number_element = decltype(own_element_of_number<A>());

/// bool < integers < floats.
template <class T> constexpr int category() {
  if constexpr (element<T>::is_float)
    return 2;
  else
    return element<T>::is_bool ? 0 : 1;
}

/// What a tensor of T demands of a number that becomes one.
template <class T, class A> struct number_for {
  static constexpr bool is_no_fraction =
      element<T>::is_bool || element<T>::is_float || category<number_element<A>>() <= category<T>();
  static constexpr bool is_true_or_false = !element<T>::is_bool || std::same_as<A, bool>;
};

template <class T> inline constexpr bool is_fp8 = floating<T> && sizeof(T) == 1;
/// Whether changing the sign bit negates: not in the 8-bit formats whose 10…0 is the NaN.
template <class T>
inline constexpr bool has_negative_zero = [] {
  if constexpr (is_fp8<T>)
    return T::format.negative_zero;
  else
    return true;
}();
template <class T>
inline constexpr bool is_half = std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// The type in which A and B are computed with. `Divides` is true for / and %.
template <class A, class B, bool Divides> constexpr auto common_element() {
  using a = element<A>;
  using b = element<B>;
  constexpr bool fp8_a = is_fp8<A>, fp8_b = is_fp8<B>;
  if constexpr (std::same_as<A, double> || std::same_as<B, double>)
    return double{};
  else if constexpr (Divides && (a::is_float || b::is_float))
    return float{};
  else if constexpr (std::same_as<A, float> || std::same_as<B, float>)
    return float{};
  else if constexpr (std::same_as<A, float16> || std::same_as<B, float16>)
    return float16{};
  else if constexpr (std::same_as<A, bfloat16> && std::same_as<B, bfloat16>)
    return bfloat16{};
  else if constexpr (std::same_as<A, bfloat16> || std::same_as<B, bfloat16>)
    return float{};
  else if constexpr (std::same_as<A, B>)
    return A{};
  else if constexpr (fp8_a || fp8_b)
    return float16{};
  else if constexpr (a::bits != b::bits)
    return std::conditional_t<(a::bits > b::bits), A, B>{};
  else
    return std::conditional_t<a::is_signed, B, A>{};
}

/// The same when one of them is a number.
template <class T, class A, bool Divides> constexpr auto common_with_number() {
  if constexpr (category<number_element<A>>() > category<T>())
    return common_element<T, number_element<A>, Divides>();
  else if constexpr (Divides && is_half<T>)
    return float{};
  else
    return T{};
}

template <class A, class B, bool Divides> struct computation {
  using type = decltype(common_element<A, B, Divides>());
};
template <class T, class A, bool Divides> struct computation_with_number {
  using type = decltype(common_with_number<T, A, Divides>());
};

/// The element types of an operator, and what it demands of them. Compilers print the member that
/// fails with both types.
template <class A, class B> struct elements {
  static constexpr bool fp8 = is_fp8<A> || is_fp8<B>;
  static constexpr bool combine = (element<A>::is_float == element<B>::is_float) || !fp8;
  static constexpr bool are_integers = !element<A>::is_float && !element<B>::is_float;
  static constexpr bool have_one_signedness = element<A>::is_float || element<B>::is_float ||
                                              element<A>::is_signed == element<B>::is_signed;
};

} // namespace tl::impl
