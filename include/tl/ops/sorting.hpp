// SPDX-License-Identifier: MIT
#pragma once
// How are the elements of the last axis put in order? By a bitonic network: in each step every
// element meets the one whose position differs in one bit, and the pair is ordered. Part of the
// reduction group.

#include "tl/ops/reduction.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {
namespace impl {

/// Whether a comes after b in ascending order: larger, or NaN beside a number.
inline handle sorts_after(tracer &t, handle a, handle b, location where) {
  value_type type = t.type_of_value(a);
  if (type.is_small_float()) {
    a = cast(t, a, scalar_type<float>, where);
    b = cast(t, b, scalar_type<float>, where);
    type = t.type_of_value(a);
  }
  const value_type flags = with_element(type, scalar_type<bool>);
  const operand x{.value = a}, y{.value = b};
  const handle larger = binary(t, binary_kind::gt, x, y, type, flags, where);
  if (!type.is_float())
    return larger;
  const handle a_is_nan = binary(t, binary_kind::ne, x, x, type, flags, where);
  const handle b_is_number = binary(t, binary_kind::eq, y, y, type, flags, where);
  const handle nan_last = t.emit("arith.andi %0, %1 : =", {a_is_nan, b_is_number}, flags, where);
  return t.emit("arith.ori %0, %1 : =", {larger, nan_last}, flags, where);
}

inline handle take(tracer &t, handle source, handle indices, int axis, const value_type &result,
                   location where) {
  return t.emit("tt.gather %0[%1] {@} : ($0, $1) -> =", {source, indices}, result, where,
                "axis = " + std::to_string(axis) + " : i32");
}

/// Sorts the last axis; with `merge_only`, the last stage alone, for a row that is bitonic.
inline handle sort_last_axis(tracer &t, handle value, bool descending, bool merge_only,
                             location where) {
  const value_type type = t.type_of_value(value);
  const int axis = type.rank - 1, extent = type.extents[axis];
  const value_type positions_type = with_element(type, scalar_type<std::int32_t>);
  const value_type flags = with_element(type, scalar_type<bool>);
  const handle position = positions(t, positions_type, axis, where);
  const auto number = [&](int n) { return integer_constant(t, n, positions_type, where); };
  const auto has_no_bit = [&](int bit) {
    const handle masked =
        t.emit("arith.andi %0, %1 : =", {position, number(bit)}, positions_type, where);
    return t.emit("arith.cmpi eq, %0, %1 : $0", {masked, number(0)}, flags, where);
  };
  for (int run = merge_only ? extent : 2; run <= extent; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      const handle partner_at =
          t.emit("arith.xori %0, %1 : =", {position, number(distance)}, positions_type, where);
      const handle partner = take(t, value, partner_at, axis, type, where);
      // Rising runs keep the smaller element in front, falling ones the larger; runs alternate.
      const handle in_front = has_no_bit(distance);
      const handle rising =
          run == extent ? constant(t, {element_kind::boolean, descending ? 0 : 1, 0}, flags, where)
                        : has_no_bit(run);
      const bool mirrored = run != extent && descending;
      const handle keeps_smaller =
          t.emit(mirrored ? "arith.cmpi ne, %0, %1 : $0" : "arith.cmpi eq, %0, %1 : $0",
                 {in_front, rising}, flags, where);
      const handle exchange = select(t, keeps_smaller, sorts_after(t, value, partner, where),
                                     sorts_after(t, partner, value, where), where);
      value = select(t, exchange, partner, value, where);
    }
  return value;
}

template <class X> struct sortable {
  static constexpr bool has_an_axis = X::rank > 0;
  static constexpr bool holds_numbers = !item<typename X::element_type>::is_pointer;
};

} // namespace impl

/// Options of sort, bitonic_merge and topk. topk is descending unless said otherwise.
struct sort_options {
  bool descending = false;
};
struct topk_options {
  bool descending = true;
};

/// The elements of the last axis in order, ascending unless the option says otherwise; NaN comes
/// after all numbers when ascending. Upstream: tl.sort.
///
///     auto sorted = tl::sort(x);
///     auto falling = tl::sort(x, {.descending = true});
template <tensor_like X>
auto sort(const X &x, sort_options options = {},
          impl::location where = std::source_location::current()) {
  static_assert(impl::sortable<X>::has_an_axis, "tl::sort takes a block, not a scalar");
  static_assert(impl::sortable<X>::holds_numbers, "tl::sort takes numbers");
  impl::tracer &t = impl::active(where, "tl::sort");
  t.checked(x.raw_handle(), where);
  return tensor<typename X::element_type, typename X::shape_type>(
      impl::sort_last_axis(t, x.raw_handle(), options.descending, false, where));
}

/// Sorts a last axis that is bitonic: first rising, then falling, or the other way round. Upstream:
/// tl.bitonic_merge.
template <tensor_like X>
auto bitonic_merge(const X &x, sort_options options = {},
                   impl::location where = std::source_location::current()) {
  static_assert(impl::sortable<X>::has_an_axis, "tl::bitonic_merge takes a block, not a scalar");
  static_assert(impl::sortable<X>::holds_numbers, "tl::bitonic_merge takes numbers");
  impl::tracer &t = impl::active(where, "tl::bitonic_merge");
  t.checked(x.raw_handle(), where);
  return tensor<typename X::element_type, typename X::shape_type>(
      impl::sort_last_axis(t, x.raw_handle(), options.descending, true, where));
}

namespace impl {
template <int K, class S> struct selection {
  static constexpr bool is_a_power_of_two_within_the_axis =
      S::rank > 0 && is_power_of_two(K) && K <= S::extents[S::rank > 0 ? S::rank - 1 : 0];
};
} // namespace impl

/// The K largest elements of the last axis in falling order (or the K smallest in rising order). K
/// is a power of two, at most the extent. Upstream: tl.topk.
///
///     auto best = tl::topk<4>(scores);               // <64, 256> gives <64, 4>
template <int K, tensor_like X>
auto topk(const X &x, topk_options options = {},
          impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using check = impl::selection<K, S>;
  static_assert(check::is_a_power_of_two_within_the_axis,
                "the K of tl::topk is a power of two and at most the extent of the last axis");
  static_assert(impl::sortable<X>::holds_numbers, "tl::topk takes numbers");
  if constexpr (check::is_a_power_of_two_within_the_axis) {
    impl::tracer &t = impl::active(where, "tl::topk");
    t.checked(x.raw_handle(), where);
    using R = impl::set_axis<S, S::rank - 1, K>;
    if constexpr (K == 1) {
      auto choose = [&](auto a, auto b) {
        const impl::handle left = a.raw_handle(), right = b.raw_handle();
        const impl::handle after = impl::sorts_after(t, left, right, where);
        return options.descending ? expression<T>(impl::select(t, after, left, right, where))
                                  : expression<T>(impl::select(t, after, right, left, where));
      };
      return impl::reduce<S::rank - 1, keep_dims>("tl::topk", x, choose, where);
    } else {
      const impl::handle sorted =
          impl::sort_last_axis(t, x.raw_handle(), options.descending, false, where);
      if constexpr (K == S::extents[S::rank - 1]) {
        return tensor<T, R>(sorted);
      } else {
        const impl::handle first =
            impl::positions(t, impl::type_of<std::int32_t, R>, S::rank - 1, where);
        return tensor<T, R>(impl::take(t, sorted, first, S::rank - 1, impl::type_of<T, R>, where));
      }
    }
  } else {
    return tensor<T, S>(impl::handle{});
  }
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
