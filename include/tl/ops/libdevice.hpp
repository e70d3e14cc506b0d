// SPDX-License-Identifier: MIT
#pragma once
// Which functions of CUDA's mathematical library are there? All generic names of upstream's
// tl.extra.libdevice, as tl::libdevice::name, on every device. Their symbols, types and largest
// errors are the table in impl/libdevice_functions.hpp. Part of the elementwise group.
//
// Every function works on blocks and scalars, which broadcast together; numbers take the type of
// the tensors. One that takes floats takes float and double, and gives the same type, unless said
// otherwise.
//
//     auto y = tl::libdevice::sinh(x);
//     auto z = tl::libdevice::pow(x, 2.5f);

#include "tl/impl/libdevice_functions.hpp"
#include "tl/ops/external.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {
namespace impl {

template <class X> using element_of = typename argument<X>::element_type;

/// The type that the operands agree on.
template <class... X> struct agreed;
template <class X> struct agreed<X> {
  using type = element_of<X>;
};
template <class X, class Y, class... R> struct agreed<X, Y, R...> {
  using two = computed_element<X, Y>;
  using type =
      typename agreed<std::conditional_t<number<X> && number<Y>, Y, tensor<two>>, R...>::type;
};

template <class T> struct library_element {
  static constexpr bool is_float_or_double = std::same_as<T, float> || std::same_as<T, double>;
  static constexpr bool is_a_32_or_64_bit_integer =
      !element<T>::is_float && (element<T>::bits == 32 || element<T>::bits == 64);
};

template <char Code> struct library_type;
template <> struct library_type<'f'> : std::type_identity<float> {};
template <> struct library_type<'d'> : std::type_identity<double> {};
template <> struct library_type<'i'> : std::type_identity<std::int32_t> {};
template <> struct library_type<'u'> : std::type_identity<std::uint32_t> {};
template <> struct library_type<'l'> : std::type_identity<std::int64_t> {};
template <> struct library_type<'v'> : std::type_identity<std::uint64_t> {};
/// The type of the result (0) and of the operands (1, …) of a row of the table.
template <int Row, std::size_t I>
using library_type_of = typename library_type<library_functions[Row].types_[I]>::type;

/// The letter of T in the table; a space if no function takes it.
template <class T>
inline constexpr char library_letter = std::same_as<T, float>           ? 'f'
                                       : std::same_as<T, double>        ? 'd'
                                       : std::same_as<T, std::int32_t>  ? 'i'
                                       : std::same_as<T, std::uint32_t> ? 'u'
                                       : std::same_as<T, std::int64_t>  ? 'l'
                                       : std::same_as<T, std::uint64_t> ? 'v'
                                                                        : ' ';

/// Calls the function of the row: the operands get the types that it takes. Without a row, which is
/// refused before, nothing.
template <int Row, class... X, std::size_t... I>
auto call_library(location where, std::index_sequence<I...>, const X &...operands) {
  using common = common_shape<X...>;
  static_assert(common::exists,
                "the operands' shapes of a library function do not broadcast together");
  using S = typename common::type;
  if constexpr (Row < 0) {
    return expression<float, S>(handle{});
  } else {
    using R = library_type_of<Row, 0>;
    tracer &t = active(where, "a library function");
    const sequence<handle> values{
        coerce(t, argument<X>::get(operands), type_of<library_type_of<Row, I + 1>, S>, where)...};
    const index op =
        t.append("tt.extern_elementwise %* @ : ($*) -> =", values.data(), values.size(), where,
                 std::string("{libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_") +
                     library_functions[Row].symbol_ + "\"}",
                 true);
    return expression<R, S>(t.add_result(op, type_of<R, S>));
  }
}
template <int Row, class... X> auto call_library(location where, const X &...operands) {
  return call_library<Row>(where, std::index_sequence_for<X...>{}, operands...);
}

// `Name` is a function object that gives the name: the table is searched where it is called.

/// A function of floats with a form for float and one for double.
template <class Name, class... X> auto float_function(Name, location where, const X &...operands) {
  using T = typename agreed<X...>::type;
  static_assert(library_element<T>::is_float_or_double,
                "this function of tl::libdevice takes float or double; tl::cast the operands");
  return call_library<library_row(Name{}(), library_letter<T>)>(where, operands...);
}

/// A function of integers with forms for 32 and perhaps 64 bits, signed and unsigned.
template <class Name, class... X>
auto integer_function(Name, location where, const X &...operands) {
  using T = typename agreed<X...>::type;
  static_assert(
      library_element<T>::is_a_32_or_64_bit_integer,
      "this function of tl::libdevice takes integers of 32 or 64 bits; tl::cast the operands");
  static_assert(element<T>::bits == 32 || library_row(Name{}(), 'l') >= 0,
                "this function of tl::libdevice takes 32-bit integers");
  return call_library<library_row(Name{}(), library_letter<T>)>(where, operands...);
}

/// A function of one type only.
template <class Name, class... X> auto typed_function(Name, location where, const X &...operands) {
  constexpr int row = library_row(Name{}());
  static_assert(((number<X> || std::same_as<element_of<X>, library_type_of<row, 1>>) && ...),
                "this function of tl::libdevice takes one element type only, which its name says; "
                "tl::cast the operands");
  return call_library<row>(where, operands...);
}

/// A function of floats and, before or after them, one int32.
template <bool IntegerFirst, class Name, class X, class Y>
auto scaled_function(Name, location where, const X &x, const Y &y) {
  using T = element_of<std::conditional_t<IntegerFirst, Y, X>>;
  static_assert(library_element<T>::is_float_or_double,
                "this function of tl::libdevice takes float or double and an int32");
  return call_library<library_row(Name{}(), library_letter<T>, IntegerFirst ? 1 : 0)>(where, x, y);
}

} // namespace impl

namespace libdevice {

#define TL_IMPL_WHERE impl::location where = std::source_location::current()
#define TL_IMPL_NAME(name) [] { return #name; }
#define TL_IMPL_FUNCTION_1(kind, name)                                                             \
  template <tensor_like X> auto name(const X &x, TL_IMPL_WHERE) {                                  \
    return impl::kind##_function(TL_IMPL_NAME(name), where, x);                                    \
  }
#define TL_IMPL_FUNCTION_2(kind, name)                                                             \
  template <impl::operand_like X, impl::operand_like Y>                                            \
  auto name(const X &x, const Y &y, TL_IMPL_WHERE) {                                               \
    return impl::kind##_function(TL_IMPL_NAME(name), where, x, y);                                 \
  }
#define TL_IMPL_FUNCTION_3(kind, name)                                                             \
  template <impl::operand_like X, impl::operand_like Y, impl::operand_like Z>                      \
  auto name(const X &x, const Y &y, const Z &z, TL_IMPL_WHERE) {                                   \
    return impl::kind##_function(TL_IMPL_NAME(name), where, x, y, z);                              \
  }
#define TL_IMPL_F1(name) TL_IMPL_FUNCTION_1(float, name)
#define TL_IMPL_F2(name) TL_IMPL_FUNCTION_2(float, name)
#define TL_IMPL_F3(name) TL_IMPL_FUNCTION_3(float, name)
#define TL_IMPL_I1(name) TL_IMPL_FUNCTION_1(integer, name)
#define TL_IMPL_I2(name) TL_IMPL_FUNCTION_2(integer, name)
#define TL_IMPL_T1(name) TL_IMPL_FUNCTION_1(typed, name)
#define TL_IMPL_T2(name) TL_IMPL_FUNCTION_2(typed, name)
#define TL_IMPL_T3(name) TL_IMPL_FUNCTION_3(typed, name)

// Roots, powers, exponentials and logarithms.
///     auto root = tl::libdevice::cbrt(x);
///     auto length = tl::libdevice::hypot(x, y);
TL_IMPL_F1(sqrt)
TL_IMPL_F1(rsqrt)
TL_IMPL_F1(cbrt)
TL_IMPL_F1(rcbrt)
TL_IMPL_F1(exp)
TL_IMPL_F1(exp2)
TL_IMPL_F1(exp10)
TL_IMPL_F1(expm1)
TL_IMPL_F1(log)
TL_IMPL_F1(log2)
TL_IMPL_F1(log10)
TL_IMPL_F1(log1p)
TL_IMPL_F1(logb)
TL_IMPL_F2(pow)
TL_IMPL_F2(hypot)
TL_IMPL_F2(rhypot)
TL_IMPL_F3(norm3d)
TL_IMPL_F3(rnorm3d)
template <impl::operand_like A, impl::operand_like B, impl::operand_like C, impl::operand_like D>
auto norm4d(const A &a, const B &b, const C &c, const D &d, TL_IMPL_WHERE) {
  return impl::float_function(TL_IMPL_NAME(norm4d), where, a, b, c, d);
}
template <impl::operand_like A, impl::operand_like B, impl::operand_like C, impl::operand_like D>
auto rnorm4d(const A &a, const B &b, const C &c, const D &d, TL_IMPL_WHERE) {
  return impl::float_function(TL_IMPL_NAME(rnorm4d), where, a, b, c, d);
}

// Trigonometry and hyperbolic functions.
///     auto angle = tl::libdevice::atan2(y, x);
TL_IMPL_F1(sin)
TL_IMPL_F1(cos)
TL_IMPL_F1(tan)
TL_IMPL_F1(sinpi)
TL_IMPL_F1(cospi)
TL_IMPL_F1(asin)
TL_IMPL_F1(acos)
TL_IMPL_F1(atan)
TL_IMPL_F2(atan2)
TL_IMPL_F1(sinh)
TL_IMPL_F1(cosh)
TL_IMPL_F1(tanh)
TL_IMPL_F1(asinh)
TL_IMPL_F1(acosh)
TL_IMPL_F1(atanh)

// Special functions.
///     auto tail = tl::libdevice::erfc(x);
TL_IMPL_F1(erf)
TL_IMPL_F1(erfc)
TL_IMPL_F1(erfcx)
TL_IMPL_F1(erfinv)
TL_IMPL_F1(erfcinv)
TL_IMPL_F1(normcdf)
TL_IMPL_F1(normcdfinv)
TL_IMPL_F1(tgamma)
TL_IMPL_F1(lgamma)
TL_IMPL_F1(j0)
TL_IMPL_F1(j1)
TL_IMPL_F1(y0)
TL_IMPL_F1(y1)
TL_IMPL_F1(cyl_bessel_i0)
TL_IMPL_F1(cyl_bessel_i1)
/// Bessel functions of the order n, an int32.
template <impl::operand_like N, tensor_like X> auto jn(const N &n, const X &x, TL_IMPL_WHERE) {
  return impl::scaled_function<true>(TL_IMPL_NAME(jn), where, n, x);
}
template <impl::operand_like N, tensor_like X> auto yn(const N &n, const X &x, TL_IMPL_WHERE) {
  return impl::scaled_function<true>(TL_IMPL_NAME(yn), where, n, x);
}

// Rounding and parts of numbers.
///     auto q = tl::cast<std::int8_t>(tl::libdevice::rint(x / s));
TL_IMPL_F1(floor)
TL_IMPL_F1(ceil)
TL_IMPL_F1(trunc)
TL_IMPL_F1(rint)
TL_IMPL_F1(round)
TL_IMPL_F1(nearbyint)
TL_IMPL_F1(llrint)
TL_IMPL_F1(llround)
TL_IMPL_F1(ilogb)
TL_IMPL_F2(fmod)
TL_IMPL_F2(remainder)
TL_IMPL_F2(fdim)
TL_IMPL_F2(copysign)
TL_IMPL_F2(nextafter)
TL_IMPL_F3(fma)
/// x times two to the power of e, an int32.
template <tensor_like X, impl::operand_like E> auto ldexp(const X &x, const E &e, TL_IMPL_WHERE) {
  return impl::scaled_function<false>(TL_IMPL_NAME(ldexp), where, x, e);
}
template <tensor_like X, impl::operand_like E> auto scalbn(const X &x, const E &e, TL_IMPL_WHERE) {
  return impl::scaled_function<false>(TL_IMPL_NAME(scalbn), where, x, e);
}

// Classification; int32, not zero for yes.
///     auto clean = tl::where(tl::libdevice::isnan(x) != 0, 0.0f, x);
TL_IMPL_F1(isnan)
TL_IMPL_F1(isinf)
TL_IMPL_F1(signbit)
/// Of float only.
TL_IMPL_T1(finitef)
/// Of double only.
TL_IMPL_T1(isfinited)

// Quick and inexact, of float only.
///     auto e = tl::libdevice::fast_expf(x);
TL_IMPL_T1(fast_sinf)
TL_IMPL_T1(fast_cosf)
TL_IMPL_T1(fast_tanf)
TL_IMPL_T1(fast_tanhf)
TL_IMPL_T1(fast_expf)
TL_IMPL_T1(fast_exp10f)
TL_IMPL_T1(fast_logf)
TL_IMPL_T1(fast_log2f)
TL_IMPL_T1(fast_log10f)
TL_IMPL_T1(saturatef)
TL_IMPL_T2(fast_powf)
TL_IMPL_T2(fast_dividef)
/// An approximate 1 / x, of double only.
TL_IMPL_T1(rcp64h)

// Arithmetic with a rounding: to nearest even, toward zero, down and up.
///     auto lower = tl::libdevice::add_rd(x, y), upper = tl::libdevice::add_ru(x, y);
#define TL_IMPL_ROUNDED(mode)                                                                      \
  TL_IMPL_F2(add_##mode)                                                                           \
  TL_IMPL_F2(sub_##mode)                                                                           \
  TL_IMPL_F2(mul_##mode)                                                                           \
  TL_IMPL_F2(div_##mode)                                                                           \
  TL_IMPL_F1(rcp_##mode)                                                                           \
  TL_IMPL_F1(sqrt_##mode)                                                                          \
  TL_IMPL_F3(fma_##mode)
TL_IMPL_ROUNDED(rn)
TL_IMPL_ROUNDED(rz)
TL_IMPL_ROUNDED(rd)
TL_IMPL_ROUNDED(ru)
#undef TL_IMPL_ROUNDED
TL_IMPL_T1(rsqrt_rn)

// Conversions with a rounding.
///     auto below = tl::libdevice::float2int_rd(x);
#define TL_IMPL_CONVERSIONS(mode)                                                                  \
  TL_IMPL_T1(double2float_##mode)                                                                  \
  TL_IMPL_T1(double2int_##mode)                                                                    \
  TL_IMPL_T1(double2uint_##mode)                                                                   \
  TL_IMPL_T1(double2ll_##mode)                                                                     \
  TL_IMPL_T1(double2ull_##mode)                                                                    \
  TL_IMPL_T1(float2int_##mode)                                                                     \
  TL_IMPL_T1(float2uint_##mode)                                                                    \
  TL_IMPL_T1(float2ll_##mode)                                                                      \
  TL_IMPL_T1(float2ull_##mode)                                                                     \
  TL_IMPL_T1(int2float_##mode)                                                                     \
  TL_IMPL_T1(uint2float_##mode)                                                                    \
  TL_IMPL_T1(ll2float_##mode)                                                                      \
  TL_IMPL_T1(ull2float_##mode)                                                                     \
  TL_IMPL_T1(ll2double_##mode)                                                                     \
  TL_IMPL_T1(ull2double_##mode)
TL_IMPL_CONVERSIONS(rn)
TL_IMPL_CONVERSIONS(rz)
TL_IMPL_CONVERSIONS(rd)
TL_IMPL_CONVERSIONS(ru)
#undef TL_IMPL_CONVERSIONS
TL_IMPL_T1(int2double_rn)
TL_IMPL_T1(uint2double_rn)
TL_IMPL_T1(double2loint)
TL_IMPL_T1(double2hiint)
// The same bits as another type.
///     auto bits = tl::libdevice::float_as_int(x);
TL_IMPL_T1(int_as_float)
TL_IMPL_T1(float_as_int)
TL_IMPL_T1(uint_as_float)
TL_IMPL_T1(float_as_uint)
TL_IMPL_T1(longlong_as_double)
TL_IMPL_T1(double_as_longlong)
TL_IMPL_T2(hiloint2double)

// Integers of 32 and 64 bits. Counts are int32.
///     auto ones = tl::libdevice::popc(bins);
TL_IMPL_I1(clz)
TL_IMPL_I1(popc)
TL_IMPL_I1(ffs)
TL_IMPL_I1(brev)
TL_IMPL_I2(mulhi)
// These know 32 bits only.
///     auto mean = tl::libdevice::hadd(bins, offsets);
TL_IMPL_I2(mul24)
TL_IMPL_I2(hadd)
TL_IMPL_I2(rhadd)
/// |x - y| + z, where z is unsigned.
template <impl::operand_like X, impl::operand_like Y, impl::operand_like Z>
auto sad(const X &x, const Y &y, const Z &z, TL_IMPL_WHERE) {
  using T = typename impl::agreed<X, Y>::type;
  static_assert(impl::element<T>::bits == 32, "tl::libdevice::sad takes 32-bit integers");
  return impl::call_library<impl::library_row("sad", impl::library_letter<T>)>(where, x, y, z);
}
/// Four bytes picked from the eight of x and y by the digits of s.
TL_IMPL_T3(byte_perm)
// Integers and floats.
/// The absolute value, of 32- and 64-bit integers, float and double.
///
///     auto size = tl::libdevice::abs(x);
template <tensor_like X> auto abs(const X &x, TL_IMPL_WHERE) {
  using T = typename X::element_type;
  if constexpr (impl::element<T>::is_float)
    return impl::float_function(TL_IMPL_NAME(abs), where, x);
  else if constexpr (impl::element<T>::is_signed)
    return impl::integer_function(TL_IMPL_NAME(abs), where, x);
  else
    return x;
}

#undef TL_IMPL_F1
#undef TL_IMPL_F2
#undef TL_IMPL_F3
#undef TL_IMPL_I1
#undef TL_IMPL_I2
#undef TL_IMPL_T1
#undef TL_IMPL_T2
#undef TL_IMPL_T3
#undef TL_IMPL_FUNCTION_1
#undef TL_IMPL_FUNCTION_2
#undef TL_IMPL_FUNCTION_3
#undef TL_IMPL_NAME
#undef TL_IMPL_WHERE

} // namespace libdevice

// These are looked for in tl, where they are not.
#define TL_IMPL_ELSEWHERE(name)                                                                    \
  template <tensor_like X, class... Y> auto name(const X &x, const Y &...) {                       \
    static_assert(sizeof(X) == 0,                                                                  \
                  "tl has no function " #name " of its own: write tl::libdevice::" #name);         \
    return expression<typename X::element_type, typename X::shape_type>(x.raw_handle());           \
  }
TL_IMPL_ONLY_IN_LIBDEVICE(TL_IMPL_ELSEWHERE)
TL_IMPL_ELSEWHERE(exp10)
#undef TL_IMPL_ONLY_IN_LIBDEVICE
#undef TL_IMPL_ELSEWHERE

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
