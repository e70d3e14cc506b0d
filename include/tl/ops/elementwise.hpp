// SPDX-License-Identifier: MIT
#pragma once
// What can be computed element by element, beyond operators? Casts, selections, mathematics, and
// the ways to call code from outside. Operators and the rules of promotion are in tensor.hpp and
// impl/promotion.hpp, CUDA's mathematical library in libdevice.hpp.

#include "tl/impl/control.hpp"
#include "tl/impl/std_functions.hpp"
#include "tl/tensor.hpp"

#include <tuple>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

// ---- Casts

/// Rounding of a narrowing float cast: to nearest even, or toward zero.
enum class rounding { rtne, rtz };
inline constexpr rounding rtne = rounding::rtne;
inline constexpr rounding rtz = rounding::rtz;

/// Options of tl::cast.
struct cast_options {
  tl::rounding rounding = tl::rounding::rtne;
};

/// The elements converted to T.
///
/// Float to narrower float rounds once, to nearest even or as the option says, and 8-bit floats
/// saturate. Float to integer drops the fraction. Integer to wider integer keeps the value, to
/// narrower keeps the low bits. To bool: not equal to zero. Pointers become integers and back
/// through int64, and pointers of another type. Throws tl::compile_error for a rounding that a cast
/// does not have. Upstream: tl.cast.
///
///     auto wide = tl::cast<float>(x);
///     auto small = tl::cast<tl::float8e5>(x, {.rounding = tl::rtz});
template <class T, impl::operand_like X>
auto cast(const X &x, cast_options options = {},
          impl::location where = std::source_location::current()) {
  using a = impl::argument<X>;
  using F = typename a::element_type;
  using S = typename a::shape_type;
  static_assert(
      !std::derived_from<T, impl::variable>,
      "tl::cast takes an element type: write tl::cast<float> instead of tl::cast<tl::f32>");
  impl::tracer &t = impl::active(where, "tl::cast");
  if constexpr (std::derived_from<T, impl::variable>) {
    return T(impl::handle{});
  } else if constexpr (impl::number<X>) {
    impl::literal number = impl::to_literal(x);
    if (options.rounding == rtz) {
      if (number.kind != impl::element_kind::floating || !impl::type_of<T, S>.is_float() ||
          impl::type_of<T, S>.bits >= static_cast<int>(8 * sizeof(X)))
        impl::fail(where, "tl::cast rounds only from a float to a narrower float");
      number = impl::truncated(number, impl::type_of<T, S>);
    }
    return expression<T, S>(impl::constant(t, number, impl::type_of<T, S>, where));
  } else {
    static_assert(
        !impl::item<F>::is_pointer || impl::item<T>::is_pointer || std::same_as<T, std::int64_t> ||
            std::same_as<T, std::uint64_t> || std::same_as<T, bool>,
        "a pointer can be cast to another pointer, to std::int64_t, std::uint64_t or bool");
    static_assert(!impl::item<T>::is_pointer || impl::item<F>::is_pointer ||
                      impl::element<typename impl::item<F>::element_t>::bits == 64,
                  "a pointer is made of a 64-bit integer");
    if (options.rounding != rtne &&
        !(impl::type_of<F, S>.is_float() && impl::type_of<T, S>.is_float() &&
          impl::type_of<T, S>.bits < impl::type_of<F, S>.bits))
      impl::fail(where, "tl::cast rounds only from a float to a narrower float");
    t.checked(x.raw_handle(), where);
    return expression<T, S>(impl::cast(t, x.raw_handle(), impl::scalar_type<T>, where,
                                       options.rounding == rtz
                                           ? impl::float_rounding::toward_zero
                                           : impl::float_rounding::nearest_even));
  }
}

namespace impl {
template <class T, class F> struct reinterpretation {
  static constexpr bool keeps_the_width =
      item<T>::is_pointer ? item<F>::is_pointer
                          : !item<F>::is_pointer && element<typename item<T>::element_t>::bits ==
                                                        element<typename item<F>::element_t>::bits;
};
} // namespace impl

/// The same bits as elements of T, which is as wide. Upstream: tl.cast(…, bitcast=True).
///
///     auto bits = tl::bitcast<std::uint32_t>(x);     // x is a block of float
template <class T, tensor_like X>
auto bitcast(const X &x, impl::location where = std::source_location::current()) {
  using F = typename X::element_type;
  static_assert(impl::reinterpretation<T, F>::keeps_the_width,
                "tl::bitcast keeps the width of the elements; to convert values use tl::cast");
  impl::tracer &t = impl::active(where, "tl::bitcast");
  t.checked(x.raw_handle(), where);
  return expression<T, typename X::shape_type>(
      impl::bitcast(t, x.raw_handle(), impl::scalar_type<T>, where));
}

// ---- Selection

namespace impl {

template <class C, class X, class Y>
auto where(const C &condition, const X &x, const Y &y, location at) {
  using TX = typename argument<X>::element_type;
  using TY = typename argument<Y>::element_type;
  using SX = typename argument<X>::shape_type;
  using SY = typename argument<Y>::shape_type;
  using SC = typename argument<C>::shape_type;
  constexpr bool values = operands<SX, SY>::broadcast_together;
  static_assert(values, "the two values of tl::where do not broadcast together");
  if constexpr (values) {
    using SV = broadcast_t<SX, SY>;
    constexpr bool all = operands<SC, SV>::broadcast_together;
    static_assert(all, "the condition and the values of tl::where do not broadcast together");
    static_assert(item<TX>::is_pointer == item<TY>::is_pointer,
                  "tl::where chooses between two pointers or between two values");
    if constexpr (all && item<TX>::is_pointer == item<TY>::is_pointer) {
      using S = broadcast_t<SC, SV>;
      tracer &t = active(at, "tl::where");
      handle c = coerce(t, argument<C>::get(condition), type_of<bool, SC>, at);
      if constexpr (SC::rank != 0)
        c = broadcast(t, c, type_of<bool, S>, at);
      if constexpr (item<TX>::is_pointer) {
        static_assert(std::same_as<std::remove_const_t<std::remove_pointer_t<TX>>,
                                   std::remove_const_t<std::remove_pointer_t<TY>>>,
                      "the two pointers of tl::where point to one element type");
        using T = std::conditional_t<std::is_const_v<std::remove_pointer_t<TX>>, TX, TY>;
        t.checked(x.raw_handle(), at);
        t.checked(y.raw_handle(), at);
        const handle a = broadcast(t, x.raw_handle(), type_of<T, S>, at);
        const handle b = broadcast(t, y.raw_handle(), type_of<T, S>, at);
        return expression<T, S>(select(t, c, a, b, at));
      } else {
        using T = computed_element<X, Y>;
        const handle a = coerce(t, argument<X>::get(x), type_of<T, S>, at);
        const handle b = coerce(t, argument<Y>::get(y), type_of<T, S>, at);
        return expression<T, S>(select(t, c, a, b, at));
      }
    } else {
      return expression<TX, SX>(handle{});
    }
  } else {
    return expression<TX, SX>(handle{});
  }
}

} // namespace impl

/// x where the condition holds, else y; both are computed. The three broadcast together, x and y
/// are promoted to one type; a condition that is no bool counts as true where it is not zero. Two
/// C++ numbers give float, also of double, or int32: tl::cast<double> one of them for a double.
/// Upstream: tl.where.
///
///     auto relu = tl::where(x > 0, x, 0.0f);
template <impl::operand_like C, impl::operand_like X, impl::operand_like Y>
auto where(const C &condition, const X &x, const Y &y,
           impl::location at = std::source_location::current()) {
  return impl::where(condition, x, y, at);
}

// ---- Mathematics

namespace impl {

/// Names the element type that a function does not take.
template <class T> struct argument_element {
  static constexpr bool is_float_or_double = std::same_as<T, float> || std::same_as<T, double>;
  static constexpr bool is_float = std::same_as<T, float>;
  static constexpr bool has_32_or_64_bit_integers =
      !element<T>::is_float && (element<T>::bits == 32 || element<T>::bits == 64);
};

template <class X>
auto unary_math(const char *function, const char *format, const X &x, location where) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  static_assert(argument_element<T>::is_float_or_double,
                "this function takes float or double; tl::cast<float> the tensor first");
  return expression<T, S>(
      active(where, function).emit(format, {x.raw_handle()}, type_of<T, S>, where));
}

} // namespace impl

#define TL_IMPL_MATH(name, format)                                                                 \
  template <tensor_like X>                                                                         \
  auto name(const X &x, impl::location where = std::source_location::current()) {                  \
    return impl::unary_math("tl::" #name, format, x, where);                                       \
  }

/// Elementwise functions of float and double blocks and scalars; other types are cast first. Their
/// errors stand in docs/explanation/types.md. Of float on GPUs, exp and exp2 may give 0 for a
/// result below 2^-126, and sqrt and rsqrt count an operand below it as 0; sqrt is within 2 ULP
/// there and rounded once elsewhere, exp within 3 and 2. Upstream: tl.exp and so on.
///
///     auto e = tl::exp(x - tl::max<0>(x));
///     auto r = tl::rsqrt(tl::sum<0>(x * x) / n + eps);
TL_IMPL_MATH(exp, "math.exp %0 : =")
TL_IMPL_MATH(exp2, "math.exp2 %0 : =")
TL_IMPL_MATH(log, "math.log %0 : =")
TL_IMPL_MATH(log2, "math.log2 %0 : =")
TL_IMPL_MATH(sin, "math.sin %0 : =")
TL_IMPL_MATH(cos, "math.cos %0 : =")
TL_IMPL_MATH(sqrt, "math.sqrt %0 : =")
TL_IMPL_MATH(rsqrt, "math.rsqrt %0 : =")
TL_IMPL_MATH(erf, "math.erf %0 : =")
TL_IMPL_MATH(floor, "math.floor %0 : =")
TL_IMPL_MATH(ceil, "math.ceil %0 : =")
#undef TL_IMPL_MATH

/// The square root, correctly rounded on every device. float only; of every operand, those below
/// 2^-126 too. Upstream: tl.sqrt_rn.
///
///     auto length = tl::sqrt_rn(x * x + y * y);
template <tensor_like X>
auto sqrt_rn(const X &x, impl::location where = std::source_location::current()) {
  static_assert(impl::argument_element<typename X::element_type>::is_float,
                "tl::sqrt_rn takes float");
  return impl::unary_math("tl::sqrt_rn", "tt.precise_sqrt %0 : =", x, where);
}

/// The absolute value, of floats and integers; that of the lowest integer is itself. Upstream:
/// tl.abs.
///
///     auto error = tl::abs(x - y);
template <tensor_like X>
auto abs(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  static_assert(!impl::item<T>::is_pointer, "tl::abs takes numbers");
  impl::tracer &t = impl::active(where, "tl::abs");
  const impl::handle value = x.raw_handle();
  t.checked(value, where);
  if constexpr (impl::is_fp8<T> && impl::has_negative_zero<T>)
    return expression<T, S>(impl::change_sign(t, value, "arith.andi %0, %1 : =", 127, where));
  else if constexpr (impl::is_fp8<T>)
    return expression<T, S>(impl::cast(
        t,
        t.emit("math.absf %0 : =", {impl::cast(t, value, impl::scalar_type<float>, where)},
               impl::type_of<float, S>, where),
        impl::scalar_type<T>, where));
  else if constexpr (impl::element<T>::is_float)
    return expression<T, S>(t.emit("math.absf %0 : =", {value}, impl::type_of<T, S>, where));
  else if constexpr (impl::element<T>::is_signed)
    return expression<T, S>(t.emit("math.absi %0 : =", {value}, impl::type_of<T, S>, where));
  else
    return expression<T, S>(value);
}

namespace impl {

/// Operands of functions like minimum: one type, one shape.
template <class X, class Y> struct pair_of {
  using TX = typename argument<X>::element_type;
  using TY = typename argument<Y>::element_type;
  static constexpr bool broadcast_together =
      operands<typename argument<X>::shape_type,
               typename argument<Y>::shape_type>::broadcast_together;
  static constexpr bool are_numbers_of_the_language =
      !item<TX>::is_pointer && !item<TY>::is_pointer;
};

/// minimum, maximum and clamp compute bfloat16 and 8-bit floats in float.
template <class T>
using widened = std::conditional_t<std::same_as<T, bfloat16> || is_fp8<T>, float, T>;

template <binary_kind K, binary_kind WithNan, class X, class Y>
auto extremum(const X &x, const Y &y, bool propagate_nan, location where) {
  using p = pair_of<X, Y>;
  static_assert(p::are_numbers_of_the_language, "tl::minimum and tl::maximum take no pointers");
  static_assert(operands<typename argument<X>::shape_type,
                         typename argument<Y>::shape_type>::broadcast_together,
                "the operands' shapes of tl::minimum or tl::maximum do not broadcast together");
  if constexpr (p::broadcast_together && p::are_numbers_of_the_language) {
    using T = widened<computed_element<X, Y>>;
    using S = computed_shape<X, Y>;
    return expression<T, S>(binary(active(where, "tl::minimum"), propagate_nan ? WithNan : K,
                                   argument<X>::get(x), argument<Y>::get(y), type_of<T, S>,
                                   type_of<T, S>, where));
  } else {
    return expression<float, shape<>>(handle{});
  }
}

} // namespace impl

/// Options of minimum, maximum and clamp.
struct nan_options {
  bool propagate_nan = false; ///< true: NaN if an operand is. false: the other operand wins.
};

/// The smaller and the larger of two, elementwise; they broadcast together. A NaN loses unless
/// propagate_nan is set. bfloat16 and 8-bit floats give float. Upstream: tl.minimum, tl.maximum.
///
///     auto last = tl::minimum(first + 64, n);
///     auto top = tl::maximum(x, y, {.propagate_nan = true});
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto minimum(const X &x, const Y &y, nan_options options = {},
             impl::location where = std::source_location::current()) {
  return impl::extremum<impl::binary_kind::minimum, impl::binary_kind::minimum_nan>(
      x, y, options.propagate_nan, where);
}
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto maximum(const X &x, const Y &y, nan_options options = {},
             impl::location where = std::source_location::current()) {
  return impl::extremum<impl::binary_kind::maximum, impl::binary_kind::maximum_nan>(
      x, y, options.propagate_nan, where);
}

/// x held between two bounds: minimum(maximum(x, low), high), so that high wins where low is above
/// it. Floats and integers; what happens to a NaN is said by propagate_nan: it gives NaN, or low.
/// Upstream: tl.clamp.
///
///     auto unit = tl::clamp(x, 0.0f, 1.0f);
template <tensor_like X, impl::operand_like L, impl::operand_like H>
auto clamp(const X &x, const L &low, const H &high, nan_options options = {},
           impl::location where = std::source_location::current()) {
  using namespace impl;
  using SX = typename X::shape_type;
  static_assert(repetition<typename argument<L>::shape_type, SX>::fits &&
                    repetition<typename argument<H>::shape_type, SX>::fits,
                "the bounds of tl::clamp broadcast to the shape of its first argument");
  using T =
      widened<typename computation<computed_element<X, L>, computed_element<X, H>, false>::type>;
  const value_type &type = type_of<T, SX>;
  tracer &t = active(where, "tl::clamp");
  const operand value = argument<X>::get(x), l = argument<L>::get(low), h = argument<H>::get(high);
  if constexpr (element<T>::is_float) {
    return expression<T, SX>(t.emit(
        "tt.clampf %0, %1, %2, @ : =",
        {coerce(t, value, type, where), coerce(t, l, type, where), coerce(t, h, type, where)}, type,
        where, options.propagate_nan ? "propagateNan = all" : "propagateNan = none"));
  } else {
    const handle raised = binary(t, binary_kind::maximum, value, l, type, type, where);
    return expression<T, SX>(
        binary(t, binary_kind::minimum, {.value = raised}, h, type, type, where));
  }
}

/// x * y + z with one rounding; floats, promoted to one type. Upstream: tl.fma.
///
///     auto y = tl::fma(a, x, b);
template <impl::operand_like X, impl::operand_like Y, impl::operand_like Z>
  requires(tensor_like<X> || tensor_like<Y> || tensor_like<Z>)
auto fma(const X &x, const Y &y, const Z &z,
         impl::location where = std::source_location::current()) {
  using namespace impl;
  using S2 = computed_shape<X, Y>;
  static_assert(operands<S2, typename argument<Z>::shape_type>::broadcast_together,
                "the operands' shapes of tl::fma do not broadcast together");
  using S = broadcast_t<S2, typename argument<Z>::shape_type>;
  using XY = std::conditional_t<number<X> && number<Y>, typename argument<Z>::element_type,
                                computed_element<X, Y>>;
  using T =
      std::conditional_t<number<Z>, XY,
                         typename computation<XY, typename argument<Z>::element_type, false>::type>;
  static_assert(element<T>::is_float && !is_fp8<T>, "tl::fma takes floats of 16 bits or more");
  tracer &t = active(where, "tl::fma");
  const value_type &type = type_of<T, S>;
  return expression<T, S>(t.emit("math.fma %0, %1, %2 : =",
                                 {coerce(t, argument<X>::get(x), type, where),
                                  coerce(t, argument<Y>::get(y), type, where),
                                  coerce(t, argument<Z>::get(z), type, where)},
                                 type, where));
}

namespace impl {

template <class X, class Y>
auto float_division(const char *function, const char *format, const X &x, const Y &y,
                    location where) {
  static_assert(operands<typename argument<X>::shape_type,
                         typename argument<Y>::shape_type>::broadcast_together,
                "the operands' shapes of a division do not broadcast together");
  using T = computed_element<X, Y, true>;
  using S = computed_shape<X, Y>;
  static_assert(element<T>::is_float, "tl::fdiv and tl::div_rn divide floats; use / for integers");
  tracer &t = active(where, function);
  const value_type &type = type_of<T, S>;
  return expression<T, S>(t.emit(
      format,
      {coerce(t, argument<X>::get(x), type, where), coerce(t, argument<Y>::get(y), type, where)},
      type, where));
}

} // namespace impl

/// Options of tl::fdiv. Name the members in this order.
struct division_options {
  bool ieee_rounding = false; ///< correctly rounded on every device
  bool approximate = false;   ///< float only: faster on GPUs, where a divisor above 2^126 gives 0
};

/// Division of floats, as by the operator: within 2 ULP of float on GPUs and by a divisor that is
/// the same along a row on the CPU, else rounded once. Throws tl::compile_error for both options
/// together, and for approximate ones of other types. Upstream: tl.fdiv.
///
///     auto p = tl::fdiv(e, total, {.ieee_rounding = true});
///     auto q = tl::fdiv(e, total, {.approximate = true});
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto fdiv(const X &x, const Y &y, division_options options = {},
          impl::location where = std::source_location::current()) {
  if (options.ieee_rounding && options.approximate)
    impl::fail(where, "tl::fdiv is correctly rounded or approximate, not both");
  if (options.approximate && !std::same_as<impl::computed_element<X, Y, true>, float>)
    impl::fail(where, "tl::fdiv is approximate for float only");
  const char *format = options.ieee_rounding ? "tt.precise_divf %0, %1 : ="
                       : options.approximate ? "tt.approx_divf %0, %1 : ="
                                             : "arith.divf %0, %1 : =";
  return impl::float_division("tl::fdiv", format, x, y, where);
}

/// Division of floats, correctly rounded on every device. Upstream: tl.div_rn.
///
///     auto share = tl::div_rn(x, total);
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto div_rn(const X &x, const Y &y, impl::location where = std::source_location::current()) {
  return impl::float_division("tl::div_rn", "tt.precise_divf %0, %1 : =", x, y, where);
}

/// The upper half of the unsigned product of two integers of 32 or 64 bits. Upstream: tl.umulhi.
///
///     auto high = tl::umulhi(x, std::uint32_t(0xD2511F53));
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto umulhi(const X &x, const Y &y, impl::location where = std::source_location::current()) {
  using namespace impl;
  static_assert(operands<typename argument<X>::shape_type,
                         typename argument<Y>::shape_type>::broadcast_together,
                "the operands' shapes of tl::umulhi do not broadcast together");
  using T = computed_element<X, Y>;
  using S = computed_shape<X, Y>;
  static_assert(argument_element<T>::has_32_or_64_bit_integers,
                "tl::umulhi takes integers of 32 or 64 bits");
  tracer &t = active(where, "tl::umulhi");
  const value_type &type = type_of<T, S>;
  return expression<T, S>(t.emit(
      "tt.mulhiui %0, %1 : =",
      {coerce(t, argument<X>::get(x), type, where), coerce(t, argument<Y>::get(y), type, where)},
      type, where));
}

/// 1 / (1 + exp(-x)), of float and double. Upstream: tl.sigmoid.
///
///     auto silu = x * tl::sigmoid(x);
template <tensor_like X>
auto sigmoid(const X &x, impl::location where = std::source_location::current()) {
  return 1.0f / (1.0f + tl::exp(-x, where));
}

// ---- Integers

TL_IMPL_UNOPTIMIZED_END

/// The quotient of two integers, rounded up: toward positive infinity whatever the signs. No sum in
/// it overflows. Upstream: tl.cdiv; it works on the host too.
///
///     add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);      // host
///     auto tiles = tl::cdiv(n, 128);                             // kernel, n is a tl::i32
template <std::integral X, std::integral Y> constexpr auto cdiv(X x, Y y) {
  using C = std::common_type_t<X, Y>;
  const C a = static_cast<C>(x), b = static_cast<C>(y);
  return static_cast<C>(a / b + C(a % b != 0 && (a < 0) == (b < 0)));
}

TL_IMPL_UNOPTIMIZED_BEGIN

template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto cdiv(const X &x, const Y &y, impl::location where = std::source_location::current()) {
  using namespace impl;
  using T = computed_element<X, Y>;
  using S = computed_shape<X, Y>;
  static_assert(!item<T>::is_pointer && !element<T>::is_float, "tl::cdiv takes integers");
  const auto quotient = binary_expression<binary_kind::div>(x, y, where);
  const auto rest = binary_expression<binary_kind::rem>(x, y, where);
  // For a positive divisor the rest has the sign of the dividend.
  if constexpr (number<Y>) {
    if (y > 0)
      return expression<T, S>((quotient + cast<T>(rest > 0, {}, where)).raw_handle());
  }
  if constexpr (!element<T>::is_signed)
    return expression<T, S>((quotient + cast<T>(rest != 0, {}, where)).raw_handle());
  else
    return expression<T, S>(
        (quotient + cast<T>((rest != 0) & ((rest ^ y) >= 0), {}, where)).raw_handle());
}

/// The program (i, j) of a size_i x size_j grid, renumbered so that groups of size_g rows run one
/// after another and reuse what is in the cache. Returns the new i and j. Upstream: tl.swizzle2d.
///
///     auto [m, n] = tl::swizzle2d(i, j, rows, columns, 8);
template <impl::operand_like I, impl::operand_like J, impl::operand_like SI, impl::operand_like SJ,
          impl::operand_like G>
auto swizzle2d(const I &i, const J &j, const SI &size_i, const SJ &size_j, const G &size_g) {
  auto number = i * size_j + j;
  auto group_size = size_j * size_g;
  auto first = number / group_size * size_g;
  auto rows = minimum(size_i - first, size_g);
  auto within = number % group_size;
  tensor new_i = first + within % rows;
  tensor new_j = within / rows;
  return std::pair(new_i, new_j);
}

// ---- Hints

namespace impl {

/// "tt.divisibility = dense<[16, 1]> : tensor<2xi32>".
inline std::string hint_text(const char *name, const int *values, int count) {
  std::string text = std::string(name) + " = dense<";
  if (count > 1)
    text += '[';
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  if (count > 1)
    text += ']';
  return text + "> : tensor<" + std::to_string(count) + "xi32>";
}

/// Gives an operation the hint as an attribute; the last of a name counts.
inline void set_hint(operation &op, std::string_view name, std::string text) {
  for (std::string &old : op.hints)
    if (old.starts_with(name)) {
      old = std::move(text);
      return;
    }
  op.hints.push_back(std::move(text));
}

/// The value with a promise about it. The promise holds for what is returned: where the value was
/// made in the region that is open, whoever has it comes past here, and its operation gets the
/// attribute; else an operation that adds zero carries it. Of constants everything is known, and
/// nobody asks about floats of another region.
inline handle hint(tracer &t, handle given, const char *name, const int *values, int count,
                   location where) {
  const index value = t.program.resolve(t.checked(given, where));
  const value_info info = t.program.values[value];
  std::string text = hint_text(name, values, count);
  if (info.operation != none) {
    operation &op = t.program.operations[info.operation];
    if (std::string_view(op.format).starts_with("arith.constant"))
      return given;
    if (info.region == t.current_region()) {
      set_hint(op, name, std::move(text));
      return given;
    }
  }
  const value_type type = t.type_of_value(given);
  const bool is_pointer = type.form == value_form::pointer;
  bool says_something = false;
  for (int i = 0; i < count; ++i)
    says_something |= values[i] > 1;
  if (!says_something || info.is_constant || info.is_null || (type.is_float() && !is_pointer))
    return given;
  const value_type number = is_pointer ? with_element(type, scalar_type<std::int32_t>) : type;
  const handle zero = integer_constant(t, 0, number, where);
  const handle made = t.emit(is_pointer ? "tt.addptr %0, %1 : $0, $1" : "arith.addi %0, %1 : $0",
                             {given, zero}, type, where);
  set_hint(t.program.operations[t.program.values[made.value].operation], name, std::move(text));
  t.program.values[made.value].is_positive = info.is_positive;
  return made;
}

template <int... Values, class X> auto hint(const X &x, const char *name, impl::location where) {
  static_assert(sizeof...(Values) == (X::rank == 0 ? 1 : X::rank),
                "a hint has one value for each axis of the tensor, and one for a scalar");
  static_assert(((Values > 0) && ...), "a hint is positive");
  constexpr int values[] = {Values...};
  return expression<typename X::element_type, typename X::shape_type>(
      hint(active(where, "a hint"), x.raw_handle(), name, values, sizeof...(Values), where));
}

} // namespace impl

/// Promises about a block's values, one number for each axis, which are trusted: the first of each
/// run is a multiple of it; it consists of runs of that many consecutive values; of runs of that
/// many equal values. A promise holds for the block that is returned, from where it stands on: use
/// that and not the argument. A promise that does not hold makes results undefined; the interpreter
/// reports it. Upstream: tl.multiple_of, max_contiguous, max_constancy.
///
///     auto offsets = tl::max_contiguous<64>(tl::multiple_of<64>(base + tl::arange<64>()));
template <int... Values, tensor_like X>
[[nodiscard]] auto multiple_of(const X &x, impl::location where = std::source_location::current()) {
  return impl::hint<Values...>(x, "tt.divisibility", where);
}
template <int... Values, tensor_like X>
[[nodiscard]] auto max_contiguous(const X &x,
                                  impl::location where = std::source_location::current()) {
  return impl::hint<Values...>(x, "tt.contiguity", where);
}
template <int... Values, tensor_like X>
[[nodiscard]] auto max_constancy(const X &x,
                                 impl::location where = std::source_location::current()) {
  return impl::hint<Values...>(x, "tt.constancy", where);
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
