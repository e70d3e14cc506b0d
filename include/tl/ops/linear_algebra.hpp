// SPDX-License-Identifier: MIT
#pragma once
// How are blocks multiplied as matrices? dot for ordinary elements, dot_scaled for the formats
// whose blocks of elements share a scale. acc + dot(a, b) becomes a product with an accumulator by
// itself.

#include "tl/ops/elementwise.hpp"
#include "tl/ops/shaping.hpp"

#include <optional>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// How float operands of a product are rounded before they are multiplied. `ieee`, the default,
/// does not round; `tf32` keeps 10 bits of the mantissa, `tf32x3`, `bf16x3` and `bf16x6` add
/// several rounded products. Other element types are multiplied exactly.
enum class input_precision { tf32, tf32x3, ieee, bf16x3, bf16x6 };
inline constexpr input_precision tf32 = input_precision::tf32;
inline constexpr input_precision tf32x3 = input_precision::tf32x3;
inline constexpr input_precision ieee = input_precision::ieee;
inline constexpr input_precision bf16x3 = input_precision::bf16x3;
inline constexpr input_precision bf16x6 = input_precision::bf16x6;

/// Options of tl::dot. Name the members in this order.
struct dot_options {
  tl::input_precision input_precision = tl::ieee;
  /// 8-bit floats: how many products in a row may be added with less precision than float. 0 is
  /// none, nothing as many as the device likes.
  std::optional<int> max_num_imprecise_acc = {};
};

namespace impl {

struct no_accumulator {};

/// What tl::dot demands of its operands.
template <class A, class B> struct product {
  static constexpr bool has_two_or_three_axes = A::rank == B::rank && A::rank >= 2;
  static constexpr int inner_a = A::extents[A::rank > 0 ? A::rank - 1 : 0];
  static constexpr int inner_b = B::extents[B::rank > 1 ? B::rank - 2 : 0];
  static constexpr bool inner_extents_agree = inner_a == inner_b;
  static constexpr bool batches_agree = [] {
    for (int axis = 0; axis + 2 < A::rank; ++axis)
      if (axis < B::rank && A::extents[axis] != B::extents[axis])
        return false;
    return true;
  }();
  static constexpr extent_list value = [] {
    extent_list list = list_of<A>();
    if (A::rank > 0 && B::rank > 0)
      list.extents[A::rank - 1] = B::extents[B::rank - 1];
    return list;
  }();
  static constexpr bool is_valid = has_two_or_three_axes && inner_extents_agree && batches_agree;
};

template <class A, class B> struct product_elements {
  static constexpr bool are_both_fp8 = is_fp8<A> && is_fp8<B>;
  static constexpr bool are_equal = std::same_as<A, B> || are_both_fp8;
  static constexpr bool are_supported = std::same_as<A, std::int8_t> || element<A>::is_float;
};

template <class A, class R> constexpr auto product_element() {
  if constexpr (std::same_as<A, std::int8_t>)
    return std::int32_t{};
  else if constexpr (std::same_as<A, double>)
    return double{};
  else if constexpr (std::same_as<A, float> || std::same_as<A, bfloat16>)
    return float{};
  else if constexpr (std::same_as<R, void>)
    return float{};
  else
    return R{};
}

/// Formats that only some devices multiply are multiplied as float16.
template <class T>
using multiplied = std::conditional_t<std::same_as<T, float8e4b15> || std::same_as<T, float8e4b8> ||
                                          std::same_as<T, float8e5b16>,
                                      float16, T>;

/// Axes before the last two as one.
template <class S> struct batched_of {
  static constexpr extent_list value = [] {
    if (S::rank <= 3)
      return list_of<S>();
    extent_list list;
    int batch = 1;
    for (int axis = 0; axis + 2 < S::rank; ++axis)
      batch *= S::extents[axis];
    list.append(batch);
    list.append(S::extents[S::rank - 2]);
    list.append(S::extents[S::rank - 1]);
    return list;
  }();
};
template <class S> using batched = typename shape_from<batched_of<S>>::type;

/// Of a product of 8-bit floats that says nothing about it.
inline constexpr int imprecise_acc_by_default = 1 << 30;

inline std::string dot_attributes(dot_options options, bool are_fp8) {
  constexpr const char *names[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
  std::string text;
  if (options.input_precision != ieee)
    text += std::string(", inputPrecision = ") + names[static_cast<int>(options.input_precision)];
  if (const int most =
          options.max_num_imprecise_acc.value_or(are_fp8 ? imprecise_acc_by_default : 0);
      most != 0)
    text += " {maxNumImpreciseAcc = " + std::to_string(most) + " : i32}";
  return text;
}

template <class R, class A, class B, class C>
auto dot(const A &a, const B &b, const C *acc, dot_options options, location where) {
  using TA = typename A::element_type;
  using TB = typename B::element_type;
  using SA = typename A::shape_type;
  using SB = typename B::shape_type;
  using p = product<SA, SB>;
  using e = product_elements<TA, TB>;
  static_assert(p::has_two_or_three_axes,
                "tl::dot takes two matrices, or two batches of matrices of equal rank");
  static_assert(
      !p::has_two_or_three_axes || p::inner_extents_agree,
      "inner dimensions of tl::dot differ: the last extent of the first operand must equal "
      "the second to last of the second");
  static_assert(!p::has_two_or_three_axes || p::batches_agree,
                "the batch extents of tl::dot differ");
  static_assert(e::are_equal, "tl::dot takes operands of one element type, or two 8-bit floats; "
                              "tl::cast one of them");
  static_assert(!e::are_equal || e::are_supported,
                "tl::dot multiplies int8, and floats; tl::cast the operands");
  if constexpr (p::is_valid && e::are_equal && e::are_supported) {
    using S = typename shape_from<p>::type;
    using T = decltype(product_element<TA, R>());
    static_assert(
        std::same_as<R, void> || std::same_as<R, T>,
        "tl::dot gives int32 for int8, float for float and bfloat16, double for double, and "
        "for float16 and 8-bit floats float or float16");
    static_assert(!std::same_as<T, bfloat16>, "tl::dot gives no bfloat16; tl::cast its result");
    using C1 = std::conditional_t<std::same_as<C, no_accumulator>, tensor<T, S>, C>;
    static_assert(std::same_as<typename C1::shape_type, S> &&
                      std::same_as<typename C1::element_type, T>,
                  "the accumulator of tl::dot has the shape and the element type of the result");
    tracer &t = active(where, "tl::dot");
    t.checked(a.raw_handle(), where);
    t.checked(b.raw_handle(), where);
    const int inner = p::inner_a;
    const int most_imprecise = options.max_num_imprecise_acc.value_or(0);
    if (most_imprecise < 0 || most_imprecise > inner)
      fail(where, "max_num_imprecise_acc of tl::dot is " + std::to_string(most_imprecise) +
                      ", it is at most the inner extent " + std::to_string(inner));
    using MA = multiplied<TA>;
    using MB = multiplied<TB>;
    using X = std::conditional_t<std::same_as<MA, MB> || (is_fp8<MA> && is_fp8<MB>), MA, float16>;
    using Y = std::conditional_t<std::same_as<MA, MB> || (is_fp8<MA> && is_fp8<MB>), MB, float16>;
    using BS = batched<S>;
    const auto flat = [&]<class E, class F>(handle value, E *, F *) {
      return reshape(t, cast(t, value, scalar_type<E>, where), type_of<E, batched<F>>, where);
    };
    const handle l = flat(a.raw_handle(), static_cast<X *>(nullptr), static_cast<SA *>(nullptr));
    const handle r = flat(b.raw_handle(), static_cast<Y *>(nullptr), static_cast<SB *>(nullptr));
    handle c;
    if constexpr (std::same_as<C, no_accumulator>)
      c = constant(t, {}, type_of<T, BS>, where);
    else
      c = reshape(t, acc->raw_handle(), type_of<T, BS>, where);
    const handle result = t.emit("tt.dot %0, %1, %2@ : $0 * $1 -> =", {l, r, c}, type_of<T, BS>,
                                 where, dot_attributes(options, is_fp8<X> && is_fp8<Y>));
    t.program.operations[t.program.values[result.value].operation].is_product =
        std::same_as<C, no_accumulator>;
    return expression<T, S>(reshape(t, result, type_of<T, S>, where));
  } else {
    return expression<float, SA>(handle{});
  }
}

} // namespace impl

/// The matrix product of two blocks, <M, K> and <K, N>, or of batches of them; with a third
/// operand, that plus the product.
///
/// The operands have one element type: int8 (the result is int32), float16 (float, or
/// dot<float16>), bfloat16 (float), float, double, or are two 8-bit floats. `acc += tl::dot(a, b)`
/// is the same as `acc = tl::dot(a, b, acc)`. Throws tl::compile_error for options out of range.
/// Upstream: tl.dot.
///
/// 8-bit floats are multiplied exactly. Unless `max_num_imprecise_acc` says otherwise, an H100 adds
/// their products with the about 14 bits that its matrix units keep of a sum: the error of a sum of
/// K products is at most (K + 4) 2^-13 times the sum of their absolute values, and a loop goes on
/// adding to it. With N < K products, multiples of 32, such sums are of N products each and are
/// added as floats; 0, as on all other devices, means that all are.
///
/// On a CPU with AVX512-BF16, products of bfloat16 and of 8-bit floats take numbers below 2^-126
/// for zero: operands, products, accumulators and sums.
///
///     acc += tl::dot(a, b);
///     auto exact = tl::dot(a, b, acc, {.input_precision = tl::tf32x3});
template <class R = void, tensor_like A, tensor_like B>
auto dot(const A &a, const B &b, dot_options options = {},
         impl::location where = std::source_location::current()) {
  return impl::dot<R, A, B, impl::no_accumulator>(a, b, nullptr, options, where);
}
template <class R = void, tensor_like A, tensor_like B, tensor_like C>
auto dot(const A &a, const B &b, const C &acc, dot_options options = {},
         impl::location where = std::source_location::current()) {
  using D =
      std::conditional_t<std::same_as<R, void> && std::same_as<typename C::element_type, float16>,
                         float16, R>;
  return impl::dot<D, A, B, C>(a, b, &acc, options, where);
}

/// Element formats of dot_scaled. A byte holds two elements of e2m1, the lower first: neighbours
/// along K, or with e2m1_mn along M of the first operand, N of the second.
enum class scaled_format { e4m3, e5m2, e2m1, bf16, fp16, e2m1_mn };
inline constexpr scaled_format e4m3 = scaled_format::e4m3;
inline constexpr scaled_format e5m2 = scaled_format::e5m2;
inline constexpr scaled_format e2m1 = scaled_format::e2m1;
inline constexpr scaled_format e2m1_mn = scaled_format::e2m1_mn;
namespace formats {
inline constexpr scaled_format e4m3 = scaled_format::e4m3, e5m2 = scaled_format::e5m2,
                               e2m1 = scaled_format::e2m1, bf16 = scaled_format::bf16,
                               fp16 = scaled_format::fp16, e2m1_mn = scaled_format::e2m1_mn;
} // namespace formats

/// Given in place of scales for an operand that has none.
struct no_scale_t {};
inline constexpr no_scale_t no_scale;

/// Options of tl::dot_scaled. Name the members in this order.
struct dot_scaled_options {
  bool fast_math = false; ///< NaN scales need not be honoured
};

namespace impl {

template <scaled_format F> struct format_of {
  static constexpr bool is_packed = F == scaled_format::e2m1 || F == scaled_format::e2m1_mn;
  static constexpr bool packs_along_k = F != scaled_format::e2m1_mn;
  using element_t = std::conditional_t<
      F == scaled_format::e4m3, float8e4nv,
      std::conditional_t<
          F == scaled_format::e5m2, float8e5,
          std::conditional_t<is_packed, std::uint8_t,
                             std::conditional_t<F == scaled_format::bf16, bfloat16, float16>>>>;
  static constexpr const char *name = F == scaled_format::e4m3   ? "e4m3"
                                      : F == scaled_format::e5m2 ? "e5m2"
                                      : is_packed                ? "e2m1"
                                      : F == scaled_format::bf16 ? "bf16"
                                                                 : "fp16";
};

template <class S> inline constexpr bool is_scale_block = true;
template <> inline constexpr bool is_scale_block<no_scale_t> = false;

/// The shape of an operand's elements. Its axes K and M or N are the last two; K is the last of the
/// first operand.
template <class S, scaled_format F, bool IsFirst> struct unpacked_of {
  static constexpr bool has_two_or_three_axes = S::rank == 2 || S::rank == 3;
  static constexpr extent_list value = [] {
    extent_list list = list_of<S>();
    if (format_of<F>::is_packed && has_two_or_three_axes)
      list.extents[S::rank - (format_of<F>::packs_along_k == IsFirst ? 1 : 2)] *= 2;
    return list;
  }();
};
template <class S, scaled_format F, bool IsFirst>
using unpacked = typename shape_from<unpacked_of<S, F, IsFirst>>::type;

/// A scale block of <rows, K / group> with group 16 or 32.
template <class S, int Rows, int Inner> struct scale_shape {
  static constexpr int group = [] {
    if constexpr (is_scale_block<S>) {
      constexpr int rank = S::shape_type::rank;
      constexpr int groups = S::shape_type::extents[rank > 0 ? rank - 1 : 0];
      return rank < 2 || Inner % groups != 0 ? 0 : Inner / groups;
    } else {
      return 32;
    }
  }();
  static constexpr bool fits = [] {
    if constexpr (is_scale_block<S>) {
      constexpr int rank = S::shape_type::rank;
      return rank >= 2 && S::shape_type::extents[rank > 1 ? rank - 2 : 0] == Rows &&
             (group == 16 || group == 32);
    } else {
      return true;
    }
  }();
};

template <scaled_format FA, scaled_format FB, class R, class A, class SA, class B, class SB,
          class C>
auto dot_scaled(const A &a, const SA &scale_a, const B &b, const SB &scale_b, const C *acc,
                dot_scaled_options options, location where) {
  using fa = format_of<FA>;
  using fb = format_of<FB>;
  using ShapeA = unpacked<typename A::shape_type, FA, true>;
  using ShapeB = unpacked<typename B::shape_type, FB, false>;
  using p = product<ShapeA, ShapeB>;
  static_assert(p::has_two_or_three_axes && ShapeA::rank <= 3,
                "tl::dot_scaled takes two matrices, or two batches of matrices");
  static_assert(!p::has_two_or_three_axes || p::inner_extents_agree,
                "inner dimensions of tl::dot_scaled differ; e2m1 packs two elements into a byte");
  static_assert(std::same_as<R, float> || std::same_as<R, float16> || std::same_as<R, bfloat16>,
                "tl::dot_scaled gives float, float16 or bfloat16");
  static_assert(
      sizeof(typename A::element_type) == sizeof(typename fa::element_t) &&
          sizeof(typename B::element_type) == sizeof(typename fb::element_t),
      "an operand of tl::dot_scaled has the width of its format: one byte for e4m3, e5m2 and "
      "a pair of e2m1, two for bf16 and fp16");
  constexpr int rows = ShapeA::extents[ShapeA::rank > 1 ? ShapeA::rank - 2 : 0];
  constexpr int columns = ShapeB::extents[ShapeB::rank > 0 ? ShapeB::rank - 1 : 0];
  static_assert(
      scale_shape<SA, rows, p::inner_a>::fits,
      "the scales of tl::dot_scaled's first operand have the shape <M, K / 32> or <M, K / 16>");
  static_assert(scale_shape<SB, columns, p::inner_b>::fits,
                "the scales of tl::dot_scaled's second operand have the shape <N, K / 32> or "
                "<N, K / 16>");
  using S = typename shape_from<p>::type;
  tracer &t = active(where, "tl::dot_scaled");
  sequence<handle> operands;
  std::string names, types;
  const auto add = [&](handle value) {
    const char digit = static_cast<char>('0' + operands.size());
    operands.push_back(value);
    return digit;
  };
  const auto side = [&](handle value, const value_type &element, const auto &scale) {
    t.checked(value, where);
    const char digit = add(bitcast(t, value, element, where));
    names += std::string("%") + digit;
    types += std::string("$") + digit;
    if constexpr (is_scale_block<std::remove_cvref_t<decltype(scale)>>) {
      const char s = add(scale.raw_handle());
      names += std::string(" scale %") + s;
      types += std::string(", $") + s;
    }
  };
  side(a.raw_handle(), scalar_type<typename fa::element_t>, scale_a);
  names += ", ";
  types += " * ";
  side(b.raw_handle(), scalar_type<typename fb::element_t>, scale_b);
  handle c;
  if constexpr (std::same_as<C, no_accumulator>) {
    c = constant(t, {}, type_of<float, S>, where);
  } else {
    static_assert(std::same_as<typename C::shape_type, S> &&
                      std::same_as<typename C::element_type, R>,
                  "the accumulator of tl::dot_scaled has the shape and the element type of the "
                  "result");
    c = cast(t, acc->raw_handle(), scalar_type<float>, where);
  }
  names += std::string(", %") + add(c);
  const std::string text = "tt.dot_scaled " + names + " lhs ~ " + fa::name + " rhs ~ " + fb::name +
                           (options.fast_math ? " {fastMath ~ true" : " {fastMath ~ false") +
                           (fa::packs_along_k ? "" : ", lhs_k_pack ~ false") +
                           (fb::packs_along_k ? "" : ", rhs_k_pack ~ false") + "} : " + types +
                           " -> =";
  const index op = t.append("@@", operands.data(), operands.size(), where, text, true);
  const handle sum = t.add_result(op, type_of<float, S>);
  return expression<R, S>(cast(t, sum, scalar_type<R>, where));
}

} // namespace impl

/// The product of two blocks of which 16 or 32 neighbours along K share a scale (the OCP
/// microscaling formats).
///
/// The formats are template arguments: tl::e4m3, tl::e5m2, tl::e2m1 (two elements in a byte along
/// K, the lower first) and tl::e2m1_mn (along M or N), tl::formats::bf16, tl::formats::fp16. Scales
/// are uint8 exponents, or float8e4nv in groups of 16, of shape <M, K / group> and <N, K / group>;
/// tl::no_scale where there are none. The result is float, or a third template argument, float16 or
/// bfloat16: the sum, in float, is rounded once, the accumulator included. Upstream: tl.dot_scaled.
///
///     acc = tl::dot_scaled<tl::e4m3, tl::e2m1>(a, scale_a, b, scale_b, acc);
///     auto half = tl::dot_scaled<tl::e4m3, tl::e2m1, tl::float16>(a, scale_a, b, scale_b);
template <scaled_format FA, scaled_format FB, class R = float, tensor_like A, class SA,
          tensor_like B, class SB>
auto dot_scaled(const A &a, const SA &scale_a, const B &b, const SB &scale_b,
                dot_scaled_options options = {},
                impl::location where = std::source_location::current()) {
  return impl::dot_scaled<FA, FB, R, A, SA, B, SB, impl::no_accumulator>(a, scale_a, b, scale_b,
                                                                         nullptr, options, where);
}
template <scaled_format FA, scaled_format FB, class R = void, tensor_like A, class SA,
          tensor_like B, class SB, tensor_like C>
auto dot_scaled(const A &a, const SA &scale_a, const B &b, const SB &scale_b, const C &acc,
                dot_scaled_options options = {},
                impl::location where = std::source_location::current()) {
  using D = std::conditional_t<std::same_as<R, void>, typename C::element_type, R>;
  return impl::dot_scaled<FA, FB, D>(a, scale_a, b, scale_b, &acc, options, where);
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
