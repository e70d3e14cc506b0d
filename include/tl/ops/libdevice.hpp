// SPDX-License-Identifier: MIT
#pragma once
// Which functions of CUDA's mathematical library are there? All generic names of upstream's
// tl.extra.libdevice, as tl::libdevice::name. NVIDIA GPUs and the interpreter have all of them. The
// device `cpu` has the mathematical functions of one and two operands, but not those that spell an
// instruction or a representation (arithmetic and conversions with a rounding of their own, bit
// casts, mul24 and the like), nor norms of three and four numbers, classification, ldexp, jn and
// yn; such a function is an error that names it when the kernel is compiled. Part of the
// elementwise group.
//
// Every function works on blocks and scalars, which broadcast together; numbers take the type of
// the tensors. One that takes floats takes float and double, and gives the same type, unless said
// otherwise; its accuracy is that of the CUDA manual (at most a few units in the last place).
//
//     auto y = tl::libdevice::sinh(x);
//     auto z = tl::libdevice::pow(x, 2.5f);

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
  static constexpr bool is_float = std::same_as<T, float>;
  static constexpr bool is_double = std::same_as<T, double>;
  static constexpr bool is_a_32_or_64_bit_integer =
      !element<T>::is_float && (element<T>::bits == 32 || element<T>::bits == 64);
};

/// A call whose operands all have type T and whose result has type R.
template <class R, class T, class... X>
auto call_library(const char *symbol, location where, const X &...operands) {
  using common = common_shape<X...>;
  static_assert(common::exists,
                "the operands' shapes of a library function do not broadcast together");
  using S = typename common::type;
  tracer &t = active(where, "a library function");
  const sequence<handle> values{coerce(t, argument<X>::get(operands), type_of<T, S>, where)...};
  const index op = t.append(
      "tt.extern_elementwise %* @ : ($*) -> =", values.data(), values.size(), where,
      std::string("{libname = \"\", libpath = \"\", pure = true, symbol = \"") + symbol + "\"}",
      true);
  return expression<R, S>(t.add_result(op, type_of<R, S>));
}

/// A function of floats with a form for float and one for double; R void means the same type.
template <class R, class... X>
auto float_function(const char *single, const char *twice, location where, const X &...operands) {
  using T = typename agreed<X...>::type;
  static_assert(library_element<T>::is_float_or_double,
                "this function of tl::libdevice takes float or double; tl::cast the operands");
  using result = std::conditional_t<std::same_as<R, void>, T, R>;
  return call_library<result, T>(std::same_as<T, float> ? single : twice, where, operands...);
}

/// A function of integers with forms for 32 and 64 bits, signed and unsigned.
template <class R, class... X>
auto integer_function(const char *narrow, const char *wide, const char *unsigned_narrow,
                      const char *unsigned_wide, location where, const X &...operands) {
  using T = typename agreed<X...>::type;
  static_assert(
      library_element<T>::is_a_32_or_64_bit_integer,
      "this function of tl::libdevice takes integers of 32 or 64 bits; tl::cast the operands");
  using result = std::conditional_t<std::same_as<R, void>, T, R>;
  constexpr bool is_wide = element<T>::bits == 64;
  return call_library<result, T>(element<T>::is_signed
                                     ? (is_wide ? wide : narrow)
                                     : (is_wide ? unsigned_wide : unsigned_narrow),
                                 where, operands...);
}

/// A function of one type only.
template <class R, class T, class... X>
auto typed_function(const char *symbol, location where, const X &...operands) {
  static_assert(((number<X> || std::same_as<element_of<X>, T>) && ...),
                "this function of tl::libdevice takes one element type only, which its name says; "
                "tl::cast the operands");
  return call_library<R, T>(symbol, where, operands...);
}

/// A function of floats and, before or after them, one int32.
template <bool IntegerFirst, class X, class Y>
auto scaled_function(const char *single, const char *twice, location where, const X &x,
                     const Y &y) {
  using F = std::conditional_t<IntegerFirst, Y, X>;
  using T = element_of<F>;
  using common = common_shape<X, Y>;
  static_assert(library_element<T>::is_float_or_double,
                "this function of tl::libdevice takes float or double and an int32");
  static_assert(common::exists,
                "the operands' shapes of a library function do not broadcast together");
  using S = typename common::type;
  tracer &t = active(where, "a library function");
  const value_type &i = type_of<std::int32_t, S>, &f = type_of<T, S>;
  const handle values[] = {coerce(t, argument<X>::get(x), IntegerFirst ? i : f, where),
                           coerce(t, argument<Y>::get(y), IntegerFirst ? f : i, where)};
  const index op =
      t.append("tt.extern_elementwise %* @ : ($*) -> =", values, 2, where,
               std::string("{libname = \"\", libpath = \"\", pure = true, symbol = \"") +
                   (std::same_as<T, float> ? single : twice) + "\"}",
               true);
  return expression<T, S>(t.add_result(op, f));
}

} // namespace impl

namespace libdevice {

#define TL_IMPL_WHERE impl::location where = std::source_location::current()
#define TL_IMPL_1(name, result, single, twice)                                                     \
  template <tensor_like X> auto name(const X &x, TL_IMPL_WHERE) {                                  \
    return impl::float_function<result>("__nv_" single, "__nv_" twice, where, x);                  \
  }
#define TL_IMPL_2(name, result, single, twice)                                                     \
  template <impl::operand_like X, impl::operand_like Y>                                            \
  auto name(const X &x, const Y &y, TL_IMPL_WHERE) {                                               \
    return impl::float_function<result>("__nv_" single, "__nv_" twice, where, x, y);               \
  }
#define TL_IMPL_3(name, result, single, twice)                                                     \
  template <impl::operand_like X, impl::operand_like Y, impl::operand_like Z>                      \
  auto name(const X &x, const Y &y, const Z &z, TL_IMPL_WHERE) {                                   \
    return impl::float_function<result>("__nv_" single, "__nv_" twice, where, x, y, z);            \
  }
// The usual case: __nv_namef and __nv_name.
#define TL_IMPL_F1(name) TL_IMPL_1(name, void, #name "f", #name)
#define TL_IMPL_F2(name) TL_IMPL_2(name, void, #name "f", #name)
#define TL_IMPL_F3(name) TL_IMPL_3(name, void, #name "f", #name)

// Roots, powers, exponentials and logarithms.
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
  return impl::float_function<void>("__nv_norm4df", "__nv_norm4d", where, a, b, c, d);
}
template <impl::operand_like A, impl::operand_like B, impl::operand_like C, impl::operand_like D>
auto rnorm4d(const A &a, const B &b, const C &c, const D &d, TL_IMPL_WHERE) {
  return impl::float_function<void>("__nv_rnorm4df", "__nv_rnorm4d", where, a, b, c, d);
}

// Trigonometry and hyperbolic functions.
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
  return impl::scaled_function<true>("__nv_jnf", "__nv_jn", where, n, x);
}
template <impl::operand_like N, tensor_like X> auto yn(const N &n, const X &x, TL_IMPL_WHERE) {
  return impl::scaled_function<true>("__nv_ynf", "__nv_yn", where, n, x);
}

// Rounding and parts of numbers.
TL_IMPL_F1(floor)
TL_IMPL_F1(ceil)
TL_IMPL_F1(trunc)
TL_IMPL_F1(rint)
TL_IMPL_F1(round)
TL_IMPL_F1(nearbyint)
TL_IMPL_1(llrint, std::int64_t, "llrintf", "llrint")
TL_IMPL_1(llround, std::int64_t, "llroundf", "llround")
TL_IMPL_1(ilogb, std::int32_t, "ilogbf", "ilogb")
TL_IMPL_F2(fmod)
TL_IMPL_F2(remainder)
TL_IMPL_F2(fdim)
TL_IMPL_F2(copysign)
TL_IMPL_F2(nextafter)
TL_IMPL_F3(fma)
/// x times two to the power of e, an int32.
template <tensor_like X, impl::operand_like E> auto ldexp(const X &x, const E &e, TL_IMPL_WHERE) {
  return impl::scaled_function<false>("__nv_ldexpf", "__nv_ldexp", where, x, e);
}
template <tensor_like X, impl::operand_like E> auto scalbn(const X &x, const E &e, TL_IMPL_WHERE) {
  return impl::scaled_function<false>("__nv_scalbnf", "__nv_scalbn", where, x, e);
}

// Classification; int32, not zero for yes.
TL_IMPL_1(isnan, std::int32_t, "isnanf", "isnand")
TL_IMPL_1(isinf, std::int32_t, "isinff", "isinfd")
TL_IMPL_1(signbit, std::int32_t, "signbitf", "signbitd")
/// Of float only.
template <tensor_like X> auto finitef(const X &x, TL_IMPL_WHERE) {
  return impl::typed_function<std::int32_t, float>("__nv_finitef", where, x);
}
/// Of double only.
template <tensor_like X> auto isfinited(const X &x, TL_IMPL_WHERE) {
  return impl::typed_function<std::int32_t, double>("__nv_isfinited", where, x);
}

// Quick and inexact, of float only.
#define TL_IMPL_SINGLE_1(name)                                                                     \
  template <tensor_like X> auto name(const X &x, TL_IMPL_WHERE) {                                  \
    return impl::typed_function<float, float>("__nv_" #name, where, x);                            \
  }
TL_IMPL_SINGLE_1(fast_sinf)
TL_IMPL_SINGLE_1(fast_cosf)
TL_IMPL_SINGLE_1(fast_tanf)
TL_IMPL_SINGLE_1(fast_tanhf)
TL_IMPL_SINGLE_1(fast_expf)
TL_IMPL_SINGLE_1(fast_exp10f)
TL_IMPL_SINGLE_1(fast_logf)
TL_IMPL_SINGLE_1(fast_log2f)
TL_IMPL_SINGLE_1(fast_log10f)
TL_IMPL_SINGLE_1(saturatef)
#undef TL_IMPL_SINGLE_1
template <impl::operand_like X, impl::operand_like Y>
auto fast_powf(const X &x, const Y &y, TL_IMPL_WHERE) {
  return impl::typed_function<float, float>("__nv_fast_powf", where, x, y);
}
template <impl::operand_like X, impl::operand_like Y>
auto fast_dividef(const X &x, const Y &y, TL_IMPL_WHERE) {
  return impl::typed_function<float, float>("__nv_fast_fdividef", where, x, y);
}
/// An approximate 1 / x, of double only.
template <tensor_like X> auto rcp64h(const X &x, TL_IMPL_WHERE) {
  return impl::typed_function<double, double>("__nv_rcp64h", where, x);
}

// Arithmetic with a rounding: to nearest even, toward zero, down and up.
#define TL_IMPL_ROUNDED(mode)                                                                      \
  TL_IMPL_2(add_##mode, void, "fadd_" #mode, "dadd_" #mode)                                        \
  TL_IMPL_2(sub_##mode, void, "fsub_" #mode, "dsub_" #mode)                                        \
  TL_IMPL_2(mul_##mode, void, "fmul_" #mode, "dmul_" #mode)                                        \
  TL_IMPL_2(div_##mode, void, "fdiv_" #mode, "ddiv_" #mode)                                        \
  TL_IMPL_1(rcp_##mode, void, "frcp_" #mode, "drcp_" #mode)                                        \
  TL_IMPL_1(sqrt_##mode, void, "fsqrt_" #mode, "dsqrt_" #mode)                                     \
  TL_IMPL_3(fma_##mode, void, "fmaf_" #mode, "fma_" #mode)
TL_IMPL_ROUNDED(rn)
TL_IMPL_ROUNDED(rz)
TL_IMPL_ROUNDED(rd)
TL_IMPL_ROUNDED(ru)
#undef TL_IMPL_ROUNDED
template <tensor_like X> auto rsqrt_rn(const X &x, TL_IMPL_WHERE) {
  return impl::typed_function<float, float>("__nv_frsqrt_rn", where, x);
}

// Conversions with a rounding.
#define TL_IMPL_CONVERT(name, from, to)                                                            \
  template <tensor_like X> auto name(const X &x, TL_IMPL_WHERE) {                                  \
    return impl::typed_function<to, from>("__nv_" #name, where, x);                                \
  }
#define TL_IMPL_CONVERSIONS(mode)                                                                  \
  TL_IMPL_CONVERT(double2float_##mode, double, float)                                              \
  TL_IMPL_CONVERT(double2int_##mode, double, std::int32_t)                                         \
  TL_IMPL_CONVERT(double2uint_##mode, double, std::uint32_t)                                       \
  TL_IMPL_CONVERT(double2ll_##mode, double, std::int64_t)                                          \
  TL_IMPL_CONVERT(double2ull_##mode, double, std::uint64_t)                                        \
  TL_IMPL_CONVERT(float2int_##mode, float, std::int32_t)                                           \
  TL_IMPL_CONVERT(float2uint_##mode, float, std::uint32_t)                                         \
  TL_IMPL_CONVERT(float2ll_##mode, float, std::int64_t)                                            \
  TL_IMPL_CONVERT(float2ull_##mode, float, std::uint64_t)                                          \
  TL_IMPL_CONVERT(int2float_##mode, std::int32_t, float)                                           \
  TL_IMPL_CONVERT(uint2float_##mode, std::uint32_t, float)                                         \
  TL_IMPL_CONVERT(ll2float_##mode, std::int64_t, float)                                            \
  TL_IMPL_CONVERT(ull2float_##mode, std::uint64_t, float)                                          \
  TL_IMPL_CONVERT(ll2double_##mode, std::int64_t, double)                                          \
  TL_IMPL_CONVERT(ull2double_##mode, std::uint64_t, double)
TL_IMPL_CONVERSIONS(rn)
TL_IMPL_CONVERSIONS(rz)
TL_IMPL_CONVERSIONS(rd)
TL_IMPL_CONVERSIONS(ru)
#undef TL_IMPL_CONVERSIONS
TL_IMPL_CONVERT(int2double_rn, std::int32_t, double)
TL_IMPL_CONVERT(uint2double_rn, std::uint32_t, double)
TL_IMPL_CONVERT(double2loint, double, std::int32_t)
TL_IMPL_CONVERT(double2hiint, double, std::int32_t)
// The same bits as another type.
TL_IMPL_CONVERT(int_as_float, std::int32_t, float)
TL_IMPL_CONVERT(float_as_int, float, std::int32_t)
TL_IMPL_CONVERT(uint_as_float, std::uint32_t, float)
TL_IMPL_CONVERT(float_as_uint, float, std::uint32_t)
TL_IMPL_CONVERT(longlong_as_double, std::int64_t, double)
TL_IMPL_CONVERT(double_as_longlong, double, std::int64_t)
#undef TL_IMPL_CONVERT
template <impl::operand_like H, impl::operand_like L>
auto hiloint2double(const H &high, const L &low, TL_IMPL_WHERE) {
  return impl::typed_function<double, std::int32_t>("__nv_hiloint2double", where, high, low);
}

// Integers of 32 and 64 bits. Counts are int32.
template <tensor_like X> auto clz(const X &x, TL_IMPL_WHERE) {
  return impl::integer_function<std::int32_t>("__nv_clz", "__nv_clzll", "__nv_clz", "__nv_clzll",
                                              where, x);
}
template <tensor_like X> auto popc(const X &x, TL_IMPL_WHERE) {
  return impl::integer_function<std::int32_t>("__nv_popc", "__nv_popcll", "__nv_popc",
                                              "__nv_popcll", where, x);
}
template <tensor_like X> auto ffs(const X &x, TL_IMPL_WHERE) {
  return impl::integer_function<std::int32_t>("__nv_ffs", "__nv_ffsll", "__nv_ffs", "__nv_ffsll",
                                              where, x);
}
template <tensor_like X> auto brev(const X &x, TL_IMPL_WHERE) {
  return impl::integer_function<void>("__nv_brev", "__nv_brevll", "__nv_brev", "__nv_brevll", where,
                                      x);
}
template <impl::operand_like X, impl::operand_like Y>
auto mulhi(const X &x, const Y &y, TL_IMPL_WHERE) {
  return impl::integer_function<void>("__nv_mulhi", "__nv_mul64hi", "__nv_umulhi", "__nv_umul64hi",
                                      where, x, y);
}
// These know 32 bits only.
#define TL_IMPL_NARROW(name, narrow, unsigned_narrow)                                              \
  template <impl::operand_like X, impl::operand_like Y>                                            \
  auto name(const X &x, const Y &y, TL_IMPL_WHERE) {                                               \
    using T = typename impl::agreed<X, Y>::type;                                                   \
    static_assert(impl::element<T>::bits == 32, "this function of tl::libdevice takes 32-bit "     \
                                                "integers");                                       \
    return impl::integer_function<void>("__nv_" narrow, "", "__nv_" unsigned_narrow, "", where, x, \
                                        y);                                                        \
  }
TL_IMPL_NARROW(mul24, "mul24", "umul24")
TL_IMPL_NARROW(hadd, "hadd", "uhadd")
TL_IMPL_NARROW(rhadd, "rhadd", "urhadd")
#undef TL_IMPL_NARROW
/// |x - y| + z, where z is unsigned.
template <impl::operand_like X, impl::operand_like Y, impl::operand_like Z>
auto sad(const X &x, const Y &y, const Z &z, TL_IMPL_WHERE) {
  using T = typename impl::agreed<X, Y>::type;
  static_assert(impl::element<T>::bits == 32, "tl::libdevice::sad takes 32-bit integers");
  impl::tracer &t = impl::active(where, "tl::libdevice::sad");
  using U = std::uint32_t;
  const auto as_t = [&](const auto &v) {
    using V = std::remove_cvref_t<decltype(v)>;
    using SV = typename impl::argument<V>::shape_type;
    return expression<T, SV>(
        impl::coerce(t, impl::argument<V>::get(v), impl::type_of<T, SV>, where));
  };
  return impl::call_library<U, T>(impl::element<T>::is_signed ? "__nv_sad" : "__nv_usad", where,
                                  as_t(x), as_t(y), as_t(z));
}
/// Four bytes picked from the eight of x and y by the digits of s.
template <impl::operand_like X, impl::operand_like Y, impl::operand_like S>
auto byte_perm(const X &x, const Y &y, const S &s, TL_IMPL_WHERE) {
  return impl::typed_function<std::int32_t, std::int32_t>("__nv_byte_perm", where, x, y, s);
}
// Integers and floats.
/// The absolute value, of 32- and 64-bit integers, float and double.
template <tensor_like X> auto abs(const X &x, TL_IMPL_WHERE) {
  using T = typename X::element_type;
  if constexpr (impl::element<T>::is_float)
    return impl::float_function<void>("__nv_fabsf", "__nv_fabs", where, x);
  else
    return impl::integer_function<void>("__nv_abs", "__nv_llabs", "__nv_abs", "__nv_llabs", where,
                                        x);
}

#undef TL_IMPL_F1
#undef TL_IMPL_F2
#undef TL_IMPL_F3
#undef TL_IMPL_1
#undef TL_IMPL_2
#undef TL_IMPL_3
#undef TL_IMPL_WHERE

} // namespace libdevice

// These are looked for in tl, where they are not.
#define TL_IMPL_ELSEWHERE(name)                                                                    \
  template <tensor_like X, class... Y> auto name(const X &x, const Y &...) {                       \
    static_assert(sizeof(X) == 0,                                                                  \
                  "tl has no function " #name " of its own: write tl::libdevice::" #name);         \
    return expression<typename X::element_type, typename X::shape_type>(x.raw_handle());           \
  }
TL_IMPL_ELSEWHERE(tan)
TL_IMPL_ELSEWHERE(asin)
TL_IMPL_ELSEWHERE(acos)
TL_IMPL_ELSEWHERE(atan)
TL_IMPL_ELSEWHERE(atan2)
TL_IMPL_ELSEWHERE(sinh)
TL_IMPL_ELSEWHERE(cosh)
TL_IMPL_ELSEWHERE(tanh)
TL_IMPL_ELSEWHERE(asinh)
TL_IMPL_ELSEWHERE(acosh)
TL_IMPL_ELSEWHERE(atanh)
TL_IMPL_ELSEWHERE(pow)
TL_IMPL_ELSEWHERE(log10)
TL_IMPL_ELSEWHERE(log1p)
TL_IMPL_ELSEWHERE(exp10)
TL_IMPL_ELSEWHERE(expm1)
TL_IMPL_ELSEWHERE(cbrt)
TL_IMPL_ELSEWHERE(hypot)
TL_IMPL_ELSEWHERE(erfc)
TL_IMPL_ELSEWHERE(lgamma)
TL_IMPL_ELSEWHERE(tgamma)
TL_IMPL_ELSEWHERE(round)
TL_IMPL_ELSEWHERE(trunc)
TL_IMPL_ELSEWHERE(rint)
TL_IMPL_ELSEWHERE(fmod)
TL_IMPL_ELSEWHERE(remainder)
TL_IMPL_ELSEWHERE(copysign)
#undef TL_IMPL_ELSEWHERE

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
