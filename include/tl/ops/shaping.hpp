// SPDX-License-Identifier: MIT
#pragma once
// How are blocks rearranged? Reshaping, permuting, joining and splitting, gathering. None of these
// changes an element; all shapes are known to the C++ compiler. x(tl::all, tl::newaxis) is in
// tensor.hpp.

#include "tl/tensor.hpp"

#include <utility>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// x with a new axis of extent 1 at Axis of the result, which may count from the back. A scalar
/// becomes a block of one element. Upstream: tl.expand_dims, tl.unsqueeze.
///
///     auto column = tl::expand_dims<1>(rows);        // <64> becomes <64, 1>
template <int Axis, tensor_like X>
auto expand_dims(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using axis = impl::axis_of<impl::append_axis<S, 1>, Axis>;
  static_assert(axis::is_in_range, "the axis of tl::expand_dims is between 0 and the rank");
  using R = impl::insert_axis<S, axis::safe>;
  impl::tracer &t = impl::active(where, "tl::expand_dims");
  t.checked(x.raw_handle(), where);
  if constexpr (S::rank == 0)
    return expression<T, R>(impl::broadcast(t, x.raw_handle(), impl::type_of<T, R>, where));
  else
    return expression<T, R>(impl::expand_dims(t, x.raw_handle(), axis::safe, where));
}

namespace impl {

/// S with an extent of 1 at each of the Axes, which are axes of the result.
template <class S, int... Axes> struct expansion {
  static constexpr int rank = S::rank + static_cast<int>(sizeof...(Axes));
  static constexpr bool is_new(int axis) { return ((normalized_axis(Axes, rank) == axis) || ...); }
  static constexpr bool names_different_axes = [] {
    int found = 0;
    for (int axis = 0; axis < rank; ++axis)
      found += is_new(axis);
    return found == static_cast<int>(sizeof...(Axes));
  }();
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0, from = 0; axis < rank && from <= S::rank; ++axis)
      list.append(is_new(axis) ? 1 : S::extents[from++]);
    return list;
  }();
};

} // namespace impl

/// x with a new axis of extent 1 at each of the axes, which are counted in the result.
///
///     auto corner = tl::expand_dims<0, 2>(rows);     // <64> becomes <1, 64, 1>
template <int First, int Second, int... More, tensor_like X>
auto expand_dims(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using e = impl::expansion<typename X::shape_type, First, Second, More...>;
  static_assert(e::names_different_axes,
                "the axes of tl::expand_dims are different ones of its result");
  if constexpr (e::names_different_axes) {
    using R = typename impl::shape_from<e>::type;
    impl::tracer &t = impl::active(where, "tl::expand_dims");
    impl::handle value = x.raw_handle();
    t.checked(value, where);
    if constexpr (X::rank == 0)
      value = impl::broadcast(t, value, impl::type_of<T, R>, where);
    else
      for (int axis = 0; axis < e::rank; ++axis)
        if (e::is_new(axis))
          value = impl::expand_dims(t, value, axis, where);
    return expression<T, R>(value);
  } else {
    return expression<T, typename X::shape_type>(impl::handle{});
  }
}
template <int... Axes, tensor_like X>
auto unsqueeze(const X &x, impl::location where = std::source_location::current()) {
  return expand_dims<Axes...>(x, where);
}

/// x repeated to the extents. An extent of 1 grows, others stay; missing axes are added in front.
/// Upstream: tl.broadcast_to.
///
///     auto tile = tl::broadcast_to<64, 32>(row);     // row is <1, 32>
template <int... Extents, impl::operand_like X>
auto broadcast_to(const X &x, impl::location where = std::source_location::current()) {
  using T = typename impl::argument<X>::element_type;
  using R = shape<Extents...>;
  using fit = impl::repetition<typename impl::argument<X>::shape_type, R>;
  static_assert(fit::fits,
                "tl::broadcast_to cannot repeat this shape to that one: only extents of 1 "
                "grow");
  if constexpr (fit::fits)
    return expression<T, R>(impl::coerce(impl::active(where, "tl::broadcast_to"),
                                         impl::argument<X>::get(x), impl::type_of<T, R>, where));
  else
    return expression<T, R>(impl::handle{});
}

/// Both repeated to their common shape, as a pair. Upstream: tl.broadcast.
///
///     auto [a, b] = tl::broadcast(column, row);
template <tensor_like A, tensor_like B>
auto broadcast(const A &a, const B &b, impl::location where = std::source_location::current()) {
  using SA = typename A::shape_type;
  using SB = typename B::shape_type;
  static_assert(impl::operands<SA, SB>::broadcast_together,
                "the operands' shapes of tl::broadcast do not broadcast together");
  using S = impl::broadcast_t<SA, SB>;
  impl::tracer &t = impl::active(where, "tl::broadcast");
  t.checked(a.raw_handle(), where);
  t.checked(b.raw_handle(), where);
  using TA = typename A::element_type;
  using TB = typename B::element_type;
  return std::pair(
      expression<TA, S>(impl::broadcast(t, a.raw_handle(), impl::type_of<TA, S>, where)),
      expression<TB, S>(impl::broadcast(t, b.raw_handle(), impl::type_of<TB, S>, where)));
}

namespace impl {

/// Row-major reshaping, to and from scalars too.
inline handle reshape(tracer &t, handle value, const value_type &result, location where) {
  value_type from = t.type_of_value(value);
  if (from.same_shape(result))
    return value;
  if (from.rank == 0)
    return t.emit("tt.splat %0 : $0 -> =", {value}, result, where);
  if (result.rank == 0) {
    if (from.rank != 1) {
      from.rank = 1;
      from.extents = shape<1>::extents;
      value = t.emit("tt.reshape %0 : $0 -> =", {value}, from, where);
    }
    return t.emit("tt.unsplat %0 : $0", {value}, result, where);
  }
  return t.emit("tt.reshape %0 : $0 -> =", {value}, result, where);
}

/// The axes in the given order.
inline handle permute(tracer &t, handle value, const int *order, const value_type &result,
                      location where) {
  bool identity = true;
  std::string text = "order = array<i32: ";
  for (int axis = 0; axis < result.rank; ++axis) {
    identity &= order[axis] == axis;
    text += (axis ? ", " : "") + std::to_string(order[axis]);
  }
  if (identity)
    return value;
  return t.emit("tt.trans %0 {@} : $0 -> =", {value}, result, where, text + ">");
}

} // namespace impl

/// x with other extents and the same elements, in row-major order. Without extents, the scalar of a
/// block of one element. Upstream: tl.reshape.
///
///     auto tiles = tl::reshape<4, 32>(x);            // x is <128>
template <int... Extents, tensor_like X>
auto reshape(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using R = shape<Extents...>;
  using check = impl::reshaping<typename X::shape_type, R>;
  static_assert(check::keeps_the_number_of_elements, "tl::reshape keeps the number of elements");
  impl::tracer &t = impl::active(where, "tl::reshape");
  t.checked(x.raw_handle(), where);
  if constexpr (check::keeps_the_number_of_elements)
    return expression<T, R>(impl::reshape(t, x.raw_handle(), impl::type_of<T, R>, where));
  else
    return expression<T, R>(impl::handle{});
}

/// Options of reshape and ravel.
struct reshape_options {
  bool can_reorder = false; ///< the elements may come in any order, which may save an exchange
};

template <int... Extents, tensor_like X>
auto reshape(const X &x, reshape_options options,
             impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using R = shape<Extents...>;
  if constexpr (S::rank > 0 && R::rank > 0 && !std::same_as<S, R> &&
                impl::reshaping<S, R>::keeps_the_number_of_elements)
    if (options.can_reorder)
      return expression<T, R>(impl::active(where, "tl::reshape")
                                  .emit("tt.reshape %0 allow_reorder : $0 -> =", {x.raw_handle()},
                                        impl::type_of<T, R>, where));
  return reshape<Extents...>(x, where);
}

/// x with other extents and the same elements, in any order: for what does not depend on it.
/// Upstream: tl.view.
///
///     auto total = tl::sum<0>(tl::view<128>(tile));  // tile is <4, 32>
template <int... Extents, tensor_like X>
auto view(const X &x, impl::location where = std::source_location::current()) {
  return reshape<Extents...>(x, reshape_options{.can_reorder = true}, where);
}

/// The elements in row-major order, or any with the option, as a block of one axis. Upstream:
/// tl.ravel.
///
///     auto flat = tl::ravel(tl::join(a, b));         // <64, 2> gives <128>
template <tensor_like X>
auto ravel(const X &x, impl::location where = std::source_location::current()) {
  return reshape<static_cast<int>(X::size)>(x, where);
}
template <tensor_like X>
auto ravel(const X &x, reshape_options options,
           impl::location where = std::source_location::current()) {
  return reshape<static_cast<int>(X::size)>(x, options, where);
}

namespace impl {
template <class S, int Axis> struct squeezed {
  static constexpr bool has_extent_1 = S::extents[axis_of<S, Axis>::safe] == 1;
};
template <class T, int... Extents, class X>
auto reshape_to(shape<Extents...>, const X &x, impl::location where) {
  return tl::reshape<Extents...>(x, where);
}
} // namespace impl

/// x without Axis, whose extent is 1. Upstream: tl.squeeze.
///
///     auto row = tl::squeeze<0>(tile);               // <1, 64> becomes <64>
template <int Axis, tensor_like X>
auto squeeze(const X &x, impl::location where = std::source_location::current()) {
  using S = typename X::shape_type;
  using axis = impl::axis_of<S, Axis>;
  static_assert(axis::is_in_range, "the axis of tl::squeeze is not one of the tensor's");
  static_assert(!axis::is_in_range || impl::squeezed<S, Axis>::has_extent_1,
                "tl::squeeze drops only an axis of extent 1");
  if constexpr (axis::is_in_range && impl::squeezed<S, Axis>::has_extent_1)
    return impl::reshape_to<typename X::element_type>(impl::drop_axis<S, axis::safe>{}, x, where);
  else
    return expression<typename X::element_type, S>(impl::handle{});
}

/// x with its axes in another order: axis i of the result is axis Order[i] of x. Upstream:
/// tl.permute.
///
///     auto y = tl::permute<2, 0, 1>(x);              // <2, 4, 8> becomes <8, 2, 4>
template <int... Order, tensor_like X>
auto permute(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using p = impl::permutation<typename X::shape_type, Order...>;
  static_assert(p::is_valid, "tl::permute names each axis of the tensor once");
  if constexpr (p::is_valid) {
    using R = typename p::type;
    const int order[] = {impl::normalized_axis(Order, R::rank)..., 0};
    impl::tracer &t = impl::active(where, "tl::permute");
    t.checked(x.raw_handle(), where);
    return expression<T, R>(impl::permute(t, x.raw_handle(), order, impl::type_of<T, R>, where));
  } else {
    return expression<T, typename X::shape_type>(impl::handle{});
  }
}

namespace impl {
template <std::size_t... I, class X>
auto transpose(std::index_sequence<I...>, const X &x, impl::location where) {
  constexpr int rank = sizeof...(I);
  return tl::permute<(I < rank - 2 ? int(I) : 2 * rank - 3 - int(I))...>(x, where);
}
template <class S> struct transposed {
  static constexpr bool has_two_axes = S::rank >= 2;
};
} // namespace impl

/// x with its last two axes exchanged. Upstream: tl.trans.
///
///     auto c = tl::dot(a, tl::trans(b));
template <tensor_like X>
auto trans(const X &x, impl::location where = std::source_location::current()) {
  using check = impl::transposed<typename X::shape_type>;
  static_assert(check::has_two_axes, "tl::trans needs at least two axes");
  if constexpr (check::has_two_axes)
    return impl::transpose(std::make_index_sequence<X::rank>{}, x, where);
  else
    return expression<typename X::element_type, typename X::shape_type>(impl::handle{});
}
/// x with its axes in another order; the same as permute.
template <int First, int... Order, tensor_like X>
auto trans(const X &x, impl::location where = std::source_location::current()) {
  return permute<First, Order...>(x, where);
}

/// a and b, broadcast together, side by side along a new last axis of extent 2. Joins of joins
/// therefore interleave. Two scalars give <2>. Upstream: tl.join.
///
///     auto pairs = tl::join(re, im);                 // <64> and <64> become <64, 2>
template <tensor_like A, tensor_like B>
auto join(const A &a, const B &b, impl::location where = std::source_location::current()) {
  using SA = typename A::shape_type;
  using SB = typename B::shape_type;
  static_assert(impl::operands<SA, SB>::broadcast_together,
                "the operands' shapes of tl::join do not broadcast together");
  static_assert(std::same_as<typename A::element_type, typename B::element_type>,
                "tl::join takes two blocks of one element type; tl::cast one of them");
  using T = typename A::element_type;
  using S = impl::broadcast_t<SA, SB>;
  using R = impl::append_axis<S, 2>;
  impl::tracer &t = impl::active(where, "tl::join");
  const impl::operand x{.value = a.raw_handle()}, y{.value = b.raw_handle()};
  if constexpr (S::rank == 0) {
    const impl::value_type &one = impl::type_of<T, shape<1>>;
    const impl::handle pair =
        t.emit("tt.join %0, %1 : $0 -> =",
               {impl::coerce(t, x, one, where), impl::coerce(t, y, one, where)},
               impl::type_of<T, shape<1, 2>>, where);
    return tensor<T, R>(impl::reshape(t, pair, impl::type_of<T, R>, where));
  } else {
    const impl::value_type &both = impl::type_of<T, S>;
    return tensor<T, R>(t.emit("tt.join %0, %1 : $0 -> =",
                               {impl::coerce(t, x, both, where), impl::coerce(t, y, both, where)},
                               impl::type_of<T, R>, where));
  }
}

namespace impl {
template <class S> struct splittable {
  static constexpr bool has_a_last_extent_of_2 =
      S::rank > 0 && S::extents[S::rank - 1 < 0 ? 0 : S::rank - 1] == 2;
};
} // namespace impl

/// Undoes join: the elements 0 and 1 of the last axis, as a pair. <2> gives two scalars. Upstream:
/// tl.split.
///
///     auto [even, odd] = tl::split(tl::reshape<32, 2>(x));
template <tensor_like X>
auto split(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using check = impl::splittable<S>;
  static_assert(check::has_a_last_extent_of_2,
                "tl::split takes a block whose last axis has extent 2; tl::reshape it first");
  if constexpr (check::has_a_last_extent_of_2) {
    using R = impl::drop_axis<S, S::rank - 1>;
    using B = std::conditional_t<S::rank == 1, shape<1>, R>;
    impl::tracer &t = impl::active(where, "tl::split");
    t.checked(x.raw_handle(), where);
    impl::handle source = x.raw_handle();
    if constexpr (S::rank == 1)
      source = impl::reshape(t, source, impl::type_of<T, shape<1, 2>>, where);
    const impl::index op = t.append("tt.split %0 : $0 -> $r", &source, 1, where, {}, true);
    const impl::handle low = t.add_result(op, impl::type_of<T, B>);
    const impl::handle high = t.add_result(op, impl::type_of<T, B>);
    return std::pair(tensor<T, R>(impl::reshape(t, low, impl::type_of<T, R>, where)),
                     tensor<T, R>(impl::reshape(t, high, impl::type_of<T, R>, where)));
  } else {
    return std::pair(tensor<T, S>(impl::handle{}), tensor<T, S>(impl::handle{}));
  }
}

namespace impl {
template <class S> struct merged_pair_of {
  static constexpr extent_list value = [] {
    extent_list list = list_of<S>();
    --list.rank;
    list.extents[list.rank - 1] *= 2;
    return list;
  }();
};
template <class S, int Axis> struct doubled_axis_of {
  static constexpr extent_list value = [] {
    extent_list list = list_of<S>();
    list.extents[Axis] *= 2;
    return list;
  }();
};
template <int Axis, std::size_t... I, class X>
auto last_axis_before(std::index_sequence<I...>, const X &x, impl::location where) {
  constexpr int last = X::rank - 1;
  return tl::permute<(int(I) < Axis ? int(I) : int(I) == Axis ? last : int(I) - 1)...>(x, where);
}
} // namespace impl

/// The elements of a and b in turns along the last axis, which doubles. Upstream: tl.interleave.
///
///     auto both = tl::interleave(even, odd);         // <32> and <32> become <64>
template <tensor_like A, tensor_like B>
auto interleave(const A &a, const B &b, impl::location where = std::source_location::current()) {
  auto pairs = join(a, b, where);
  using P = typename decltype(pairs)::shape_type;
  if constexpr (P::rank == 1)
    return pairs;
  else
    return impl::reshape_to<typename A::element_type>(
        typename impl::shape_from<impl::merged_pair_of<P>>::type{}, pairs, where);
}

namespace impl {
template <class A, class B> struct concatenation {
  static constexpr bool has_equal_shapes =
      std::same_as<typename A::shape_type, typename B::shape_type> && A::rank > 0;
};
} // namespace impl

/// a, then b, along an axis, by default the first, which doubles; the order is kept. Upstream:
/// tl.cat.
///
///     auto all = tl::cat(low, high);                 // <64> and <64> become <128>
///     auto wide = tl::cat<1>(tile, tile);            // <4, 32> and <4, 32> become <4, 64>
template <int Axis = 0, tensor_like A, tensor_like B>
auto cat(const A &a, const B &b, impl::location where = std::source_location::current()) {
  using S = typename A::shape_type;
  using axis = impl::axis_of<S, Axis>;
  using check = impl::concatenation<A, B>;
  static_assert(check::has_equal_shapes, "tl::cat takes two blocks of one shape");
  static_assert(!check::has_equal_shapes || axis::is_in_range,
                "the axis of tl::cat is not one of the tensors'");
  if constexpr (check::has_equal_shapes && axis::is_in_range) {
    auto pairs = join(a, b, where);
    auto turned =
        impl::last_axis_before<axis::safe>(std::make_index_sequence<A::rank + 1>{}, pairs, where);
    return impl::reshape_to<typename A::element_type>(
        typename impl::shape_from<impl::doubled_axis_of<S, axis::safe>>::type{}, turned, where);
  } else {
    return expression<typename A::element_type, S>(impl::handle{});
  }
}

namespace impl {
template <class S, class I, int Axis> struct gathering {
  static constexpr bool has_equal_ranks = S::rank == I::rank;
  static constexpr bool fits = [] {
    if (S::rank != I::rank)
      return false;
    for (int axis = 0; axis < S::rank; ++axis)
      if (axis != Axis && S::extents[axis] != I::extents[axis])
        return false;
    return true;
  }();
};
} // namespace impl

/// Elements picked along Axis: the result has the indices' shape, and element i is x with
/// coordinate Axis replaced by indices[i]. The other extents are equal. Indices are integers,
/// counted from 0; one out of range picks an undefined value. Upstream: tl.gather.
///
///     auto reversed = tl::gather<0>(x, 63 - tl::arange<64>());
template <int Axis, tensor_like X, tensor_like I>
auto gather(const X &x, const I &indices, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using axis = impl::axis_of<typename X::shape_type, Axis>;
  using check = impl::gathering<typename X::shape_type, typename I::shape_type, axis::safe>;
  static_assert(axis::is_in_range, "the axis of tl::gather is not one of the tensor's");
  static_assert(check::fits,
                "tl::gather takes indices whose extents are those of the source on the other axes");
  static_assert(
      !impl::element<typename impl::item<typename I::element_type>::element_t>::is_float &&
          !impl::item<typename I::element_type>::is_pointer,
      "the indices of tl::gather are integers");
  if constexpr (axis::is_in_range && check::fits) {
    impl::tracer &t = impl::active(where, "tl::gather");
    return tensor<T, typename I::shape_type>(
        t.emit("tt.gather %0[%1] {@} : ($0, $1) -> =", {x.raw_handle(), indices.raw_handle()},
               impl::type_of<T, typename I::shape_type>, where,
               "axis = " + std::to_string(axis::safe) + " : i32"));
  } else {
    return tensor<T, typename I::shape_type>(impl::handle{});
  }
}

namespace impl {

/// 0, 1, … along one axis of the shape of `like`, as int32.
inline handle positions(tracer &t, const value_type &like, int axis, location where) {
  value_type line = scalar_type<std::int32_t>;
  line.rank = 1;
  line.extents = like.extents + axis;
  handle value = t.emit("tt.make_range {@} : =", {}, line, where,
                        "end = " + std::to_string(like.extents[axis]) + " : i32, start = 0 : i32");
  for (int at = axis + 1; at < like.rank; ++at)
    value = expand_dims(t, value, at - axis, where);
  return broadcast(t, value, with_element(like, scalar_type<std::int32_t>), where);
}

} // namespace impl

/// x reversed along an axis, by default the last. Upstream: tl.flip.
///
///     auto y = tl::flip<0>(x);
template <int Axis = -1, tensor_like X>
auto flip(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using axis = impl::axis_of<S, Axis>;
  static_assert(axis::is_in_range, "the axis of tl::flip is not one of the tensor's");
  if constexpr (axis::is_in_range) {
    impl::tracer &t = impl::active(where, "tl::flip");
    const impl::value_type &index = impl::type_of<std::int32_t, S>;
    const impl::handle last = impl::integer_constant(t, S::extents[axis::safe] - 1, index, where);
    const impl::handle from =
        t.emit("arith.subi %0, %1 : =", {last, impl::positions(t, index, axis::safe, where)}, index,
               where);
    return tensor<T, S>(t.emit("tt.gather %0[%1] {@} : ($0, $1) -> =", {x.raw_handle(), from},
                               impl::type_of<T, S>, where,
                               "axis = " + std::to_string(axis::safe) + " : i32"));
  } else {
    return tensor<T, S>(impl::handle{});
  }
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
