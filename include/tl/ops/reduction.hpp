// SPDX-License-Identifier: MIT
#pragma once
// How are the elements along an axis combined? Reductions give one value, scans give all the
// partial ones. The named ones are written with tl::reduce and tl::associative_scan. Sorting is in
// sorting.hpp.

#include "tl/impl/control.hpp"
#include "tl/impl/structure.hpp"
#include "tl/ops/elementwise.hpp"
#include "tl/ops/shaping.hpp"

#include <tuple>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Whether a reduction keeps its axis with extent 1: sum<1, tl::keep_dims>(x).
enum class kept_dims { no, yes };
inline constexpr kept_dims keep_dims = kept_dims::yes;

namespace impl {

/// The operands of a reduction: one block, or a structure of blocks of one shape.
template <class Leaves> struct blocks_of {
  static constexpr bool are_blocks = false, have_one_shape = true;
  using shape_type = shape<1>;
};
template <tensor_like X, tensor_like... R> struct blocks_of<type_list<X, R...>> {
  static constexpr bool are_blocks = true;
  static constexpr bool have_one_shape =
      (std::same_as<typename X::shape_type, typename R::shape_type> && ...);
  using shape_type = typename X::shape_type;
};
template <class X> struct reduced : blocks_of<typename structure<X>::leaves> {
  static constexpr bool is_valid =
      blocks_of<typename structure<X>::leaves>::are_blocks && can_change<X, as_scalars>();
};

/// Whether a function returns what a reduction or scan needs: for each of the leaves T a scalar of
/// its element type, or a number.
template <class T, class V> constexpr bool check_combined() {
  using E = typename argument<V>::element_type;
  static_assert(argument<V>::shape_type::rank == 0,
                "the function given to a reduction or scan returns scalars");
  static_assert(
      number<V> || std::same_as<E, typename T::element_type>,
      "the function given to a reduction or scan returns the element type it takes; tl::cast "
      "the result, or choose with tl::where where it is a comparison");
  return true;
}
template <class... T, class... V> constexpr bool check_combined(type_list<T...>, type_list<V...>) {
  static_assert(sizeof...(T) == sizeof...(V),
                "the function given to a reduction or scan returns one scalar for each block");
  if constexpr (sizeof...(T) == sizeof...(V))
    return (check_combined<T, V>() && ...);
  return false;
}

/// What a combining function returns, as handles cast to the types of the operands.
template <class X, class V>
sequence<handle> combined_values(tracer &t, const V &value, const sequence<handle> &operands,
                                 location where) {
  static_assert(
      structure<V>::is_valid,
      "the function given to a reduction or scan returns a scalar, or of several blocks a "
      "structure of as many scalars, such as a std::tuple");
  sequence<handle> yields;
  if constexpr (structure<V>::is_valid) {
    if constexpr (check_combined(typename structure<X>::leaves(),
                                 typename structure<V>::leaves())) {
      const auto add = [&]<class L>(const L &leaf) {
        value_type type = t.type_of_value(operands[yields.size()]);
        type.rank = 0;
        yields.push_back(coerce(t, argument<L>::get(leaf), type, where));
      };
      structure<V>::visit(value, add);
    }
  }
  return yields;
}

/// Whether F takes twice as many scalars, not two structures.
template <class X, class F, class... L> constexpr bool takes_scalars(type_list<L...>) {
  if constexpr (sizeof...(L) == 1)
    return tensor_like<X> || requires { std::tuple_size<X>::value; };
  else
    return std::invocable<F &, typename as_scalars::leaf<L>..., typename as_scalars::leaf<L>...>;
}
/// Calls f, if it takes as many scalars. Named, so that a failed static_assert shows what they are.
template <class F, class... Scalars> struct combining_function {
  static constexpr bool takes_all = std::invocable<F &, Scalars...>;
  static auto call(F &f, Scalars... scalars) {
    static_assert(takes_all, "the function given to a reduction or scan takes two scalars, or of "
                             "several blocks two of each, the left ones first, or two structures "
                             "of scalars: combining_function<function, scalars>");
    if constexpr (takes_all)
      return f(std::move(scalars)...);
    else
      return std::get<0>(std::tuple(scalars...));
  }
};
template <class... L, std::size_t... I, class F>
auto call_with_scalars(type_list<L...>, std::index_sequence<I...>, F &f,
                       const sequence<handle> &arguments) {
  using scalars = std::tuple<typename as_scalars::leaf<L>...>;
  constexpr std::size_t n = sizeof...(L);
  return combining_function<F, std::tuple_element_t<I % n, scalars>...>::call(
      f, std::tuple_element_t<I % n, scalars>(arguments[I])...);
}
/// Calls f on scalars made of handles, the left ones, then the right ones; or on two structures of
/// them.
template <class X, class F> auto call_combine(F &f, const sequence<handle> &arguments) {
  using leaves = typename structure<X>::leaves;
  if constexpr (takes_scalars<X, F>(leaves())) {
    return call_with_scalars(leaves(), std::make_index_sequence<2 * leaves::size>(), f, arguments);
  } else {
    using scalars = structure_with<X, as_scalars>;
    const handle *next = arguments.data();
    scalars left = structure<scalars>::make(next);
    return combining_function<F, scalars, scalars>::call(f, std::move(left),
                                                         structure<scalars>::make(next));
  }
}

/// The region of tt.reduce and tt.scan around f.
template <class X, class F>
sequence<handle> combine_region(tracer &t, const char *function, const char *operation,
                                const char *terminator, std::string attributes,
                                const sequence<handle> &operands,
                                const sequence<value_type> &results, F &f, location where) {
  sequence<value_type> arguments;
  for (int side = 0; side < 2; ++side)
    for (const handle operand : operands) {
      value_type type = t.type_of_value(operand);
      type.rank = 0;
      arguments.push_back(type);
    }
  frame_watch watch(t, "the function given to ", function, where);
  const auto values = begin_combine(t, function, arguments, where);
  const auto yields = combined_values<X>(t, call_combine<X>(f, values), operands, where);
  auto combined =
      end_combine(t, operation, terminator, std::move(attributes), operands, yields, results);
  watch.end();
  return combined;
}

template <class S, int Axis, kept_dims Keep>
using reduced_shape =
    std::conditional_t<Keep == keep_dims, set_axis<S, Axis, 1>, drop_axis<S, Axis>>;

template <int Axis, kept_dims Keep, class X, class F>
auto reduce(const char *function, const X &x, F &f, location where) {
  using r = reduced<X>;
  using S = typename r::shape_type;
  using axis = axis_of<S, Axis>;
  static_assert(axis::is_in_range, "the axis of a reduction is not one of the tensor's");
  static_assert(r::have_one_shape, "a reduction of several blocks needs equal shapes");
  tracer &t = active(where, function);
  const auto operands = handles_of(x);
  using D = drop_axis<S, axis::safe>;
  using R = reduced_shape<S, axis::safe, Keep>;
  sequence<value_type> results;
  for (const handle operand : operands) {
    t.checked(operand, where);
    results.push_back(with_element(type_of<float, D>, t.type_of_value(operand)));
  }
  auto values = combine_region<X>(t, function, "tt.reduce", "tt.reduce.return",
                                  "axis = " + std::to_string(axis::safe) + " : i32", operands,
                                  results, f, where);
  if constexpr (Keep == keep_dims)
    for (handle &value : values) {
      if constexpr (D::rank == 0)
        value = broadcast(t, value, with_element(type_of<float, R>, t.type_of_value(value)), where);
      else
        value = expand_dims(t, value, axis::safe, where);
    }
  return made_of<structure_with<X, as_blocks<R>>>(values);
}

/// Blocks as one axis, for reductions over everything.
template <class X> auto flat(const X &x, location where) {
  using R = shape<static_cast<int>(reduced<X>::shape_type::size)>;
  tracer &t = active(where, "a reduction");
  auto values = handles_of(x);
  for (handle &value : values) {
    t.checked(value, where);
    value = reshape(t, value, with_element(type_of<float, R>, t.type_of_value(value)), where);
  }
  return made_of<structure_with<X, as_blocks<R>>>(values);
}

/// The shape of one element with the rank of S.
template <class S> struct one_element_of {
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0; axis < S::rank; ++axis)
      list.append(1);
    return list;
  }();
};

/// What is left of blocks of shape S, as scalars, or as blocks of one element if the axes are kept.
template <kept_dims Keep, class S, class X> auto with_kept_dims(const X &x, location where) {
  if constexpr (Keep == keep_dims) {
    using R = typename shape_from<one_element_of<S>>::type;
    tracer &t = active(where, "a reduction");
    auto values = handles_of(x);
    for (handle &value : values)
      value = broadcast(t, value, with_element(type_of<float, R>, t.type_of_value(value)), where);
    return made_of<structure_with<X, as_blocks<R>>>(values);
  } else {
    return x;
  }
}

} // namespace impl

/// Combines the elements along Axis, or all, with a function of two scalars, which must be
/// associative and commutative: the order is not fixed. Of a structure of blocks of one shape
/// (std::tuple, std::pair, std::array, a struct that is a template of its members' types), the
/// function takes two structures of scalars, or the left scalars, then the right ones; it returns a
/// structure of scalars, and so does the reduction. The function is traced once and uses its
/// arguments and numbers only. The result lacks the axis, or has 1 there with tl::keep_dims.
/// Upstream: tl.reduce.
///
///     auto product = tl::reduce<1>(x, [](auto a, auto b) { return a * b; });
///     auto column = tl::reduce<1, tl::keep_dims>(x, [](auto a, auto b) { return a + b; });
template <int Axis, kept_dims Keep = kept_dims::no, class X, class F>
auto reduce(const X &x, F f, impl::location where = std::source_location::current()) {
  static_assert(impl::reduced<X>::is_valid,
                "tl::reduce takes a block, or a structure of blocks: std::tuple, std::pair, "
                "std::array or a struct that is a template of its members' types");
  if constexpr (impl::reduced<X>::is_valid)
    return impl::reduce<Axis, Keep>("tl::reduce", x, f, where);
  else
    return x;
}
template <kept_dims Keep = kept_dims::no, class X, class F>
auto reduce(const X &x, F f, impl::location where = std::source_location::current()) {
  static_assert(impl::reduced<X>::is_valid,
                "tl::reduce takes a block, or a structure of blocks: std::tuple, std::pair, "
                "std::array or a struct that is a template of its members' types");
  if constexpr (impl::reduced<X>::is_valid)
    return impl::with_kept_dims<Keep, typename impl::reduced<X>::shape_type>(
        reduce<0>(impl::flat(x, where), f, where), where);
  else
    return x;
}

namespace impl {

/// The type that sum and cumsum add in by default: at least 32 bits for integers.
template <class T>
using sum_element =
    std::conditional_t<element<T>::is_float || element<T>::bits >= 32, T,
                       std::conditional_t<element<T>::is_signed, std::int32_t, std::uint32_t>>;
/// The type that maximum and minimum compare in.
template <class T>
using extremum_element =
    std::conditional_t<element<T>::is_float, std::conditional_t<sizeof(T) < 4, float, T>,
                       std::conditional_t<(element<T>::bits < 32), std::int32_t, T>>;
/// Partial sums of small floats are kept in float.
template <class T>
using partial_element = std::conditional_t<element<T>::is_float && sizeof(T) < 4, float, T>;

template <class D, int Axis, kept_dims Keep, class X> auto sum(const X &x, location where) {
  static_assert(!item<typename X::element_type>::is_pointer, "tl::sum takes numbers");
  auto add = [](auto a, auto b) { return a + b; };
  using P = partial_element<D>;
  tracer &t = active(where, "tl::sum");
  t.checked(x.raw_handle(), where);
  using S = typename X::shape_type;
  const expression<P, S> wide(cast(t, x.raw_handle(), scalar_type<P>, where));
  auto total = reduce<Axis, Keep>("tl::sum", wide, add, where);
  if constexpr (std::same_as<P, D>)
    return total;
  else
    return tensor<D, typename decltype(total)::shape_type>(
        cast(t, total.raw_handle(), scalar_type<D>, where));
}

template <binary_kind K, int Axis, kept_dims Keep, class X>
auto extreme(const char *function, const X &x, location where) {
  static_assert(!item<typename X::element_type>::is_pointer, "tl::max and tl::min take numbers");
  using D = extremum_element<typename X::element_type>;
  tracer &t = active(where, function);
  t.checked(x.raw_handle(), where);
  const expression<D, typename X::shape_type> wide(cast(t, x.raw_handle(), scalar_type<D>, where));
  auto choose = [](auto a, auto b) {
    return expression<D>(binary(*current_tracer(), K, {.value = a.raw_handle()},
                                {.value = b.raw_handle()}, scalar_type<D>, scalar_type<D>, {}));
  };
  return reduce<Axis, Keep>(function, wide, choose, where);
}

template <class X> struct integer_block {
  static constexpr bool holds_integers =
      !item<typename X::element_type>::is_pointer &&
      !element<typename item<typename X::element_type>::element_t>::is_float;
};

} // namespace impl

/// The sum along Axis, or of all elements. Integers below 32 bits are added as int32 or uint32,
/// small floats in float and rounded once at the end; or say the type: sum<1, double>(x). Upstream:
/// tl.sum.
///
///     auto rows = tl::sum<1>(x);                         // <64, 32> gives <64>
///     auto column = tl::sum<1, tl::keep_dims>(x);        // <64, 1>
///     auto exact = tl::sum<double, tl::keep_dims>(x);    // of all, <1, 1>
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto sum(const X &x, impl::location where = std::source_location::current()) {
  return impl::sum<impl::sum_element<typename X::element_type>, Axis, Keep>(x, where);
}
template <int Axis, element_type D, kept_dims Keep = kept_dims::no, tensor_like X>
auto sum(const X &x, impl::location where = std::source_location::current()) {
  return impl::sum<D, Axis, Keep>(x, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto sum(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(sum<0>(impl::flat(x, where), where),
                                                            where);
}
template <element_type D, kept_dims Keep = kept_dims::no, tensor_like X>
auto sum(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(sum<0, D>(impl::flat(x, where), where),
                                                            where);
}

/// The largest and smallest element along Axis, or of all. NaN is ignored, unless all are. The sign
/// of a zero that is found among zeros of both signs is unspecified. Small floats give float,
/// integers below 32 bits int32. Upstream: tl.max, tl.min.
///
///     auto top = tl::max<1>(x);
///     auto low = tl::min(x);
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto max(const X &x, impl::location where = std::source_location::current()) {
  return impl::extreme<impl::binary_kind::maximum, Axis, Keep>("tl::max", x, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto max(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(max<0>(impl::flat(x, where), where),
                                                            where);
}
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto min(const X &x, impl::location where = std::source_location::current()) {
  return impl::extreme<impl::binary_kind::minimum, Axis, Keep>("tl::min", x, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto min(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(min<0>(impl::flat(x, where), where),
                                                            where);
}

/// Options of max_with_index, argmax and their opposites.
struct index_options {
  bool tie_break_left = true; ///< of equal elements, the lowest index; false: any of them, faster
};

namespace impl {

/// Whether a comes before b: larger (or smaller), a number before NaN.
template <bool Largest, class A, class B> auto precedes(const A &a, const B &b) {
  using T = typename A::element_type;
  auto before = [&] {
    if constexpr (std::same_as<T, bool>)
      return Largest ? a & !b : b & !a;
    else if constexpr (Largest)
      return a > b;
    else
      return a < b;
  }();
  if constexpr (element<T>::is_float)
    return before | ((b != b) & (a == a));
  else
    return before;
}

template <bool Largest, int Axis, kept_dims Keep, class X>
auto indexed_extreme(const char *function, const X &x, index_options options, location where) {
  using T = widened<typename X::element_type>;
  using S = typename X::shape_type;
  using axis = axis_of<S, Axis>;
  static_assert(axis::is_in_range, "the axis of a reduction is not one of the tensor's");
  tracer &t = active(where, function);
  t.checked(x.raw_handle(), where);
  const expression<T, S> values(cast(t, x.raw_handle(), scalar_type<T>, where));
  const expression<std::int32_t, S> at(positions(t, type_of<std::int32_t, S>, axis::safe, where));
  auto choose = [&](auto a, auto i, auto b, auto j) {
    auto first = [&] {
      if (!options.tie_break_left)
        return precedes<Largest>(a, b);
      auto ties = !(precedes<Largest>(a, b) | precedes<Largest>(b, a));
      return precedes<Largest>(a, b) | (ties & (i < j));
    }();
    return std::tuple(tl::where(first, a, b), tl::where(first, i, j));
  };
  std::tuple<expression<T, S>, expression<std::int32_t, S>> both(values, at);
  return reduce<Axis, Keep>(function, both, choose, where);
}

} // namespace impl

/// The largest (smallest) element along Axis, or of all, and its int32 index, as a tuple; of all,
/// the index counts row by row. A NaN loses to any number; of equal elements the lowest index wins
/// unless the option says any. Upstream: tl.max and tl.min with return_indices=True.
///
///     auto [top, where] = tl::max_with_index<1>(x);
///     auto [bottom, at] = tl::min_with_index<1>(x);
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto max_with_index(const X &x, index_options options = {},
                    impl::location where = std::source_location::current()) {
  return impl::indexed_extreme<true, Axis, Keep>("tl::max_with_index", x, options, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto max_with_index(const X &x, index_options options = {},
                    impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(
      max_with_index<0>(impl::flat(x, where), options, where), where);
}
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto min_with_index(const X &x, index_options options = {},
                    impl::location where = std::source_location::current()) {
  return impl::indexed_extreme<false, Axis, Keep>("tl::min_with_index", x, options, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto min_with_index(const X &x, index_options options = {},
                    impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(
      min_with_index<0>(impl::flat(x, where), options, where), where);
}

/// The int32 index of the largest (smallest) element along Axis, or of all; see max_with_index.
/// Upstream: tl.argmax, tl.argmin.
///
///     auto best = tl::argmax<0>(x);
///     auto worst = tl::argmin<0>(x);
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto argmax(const X &x, index_options options = {},
            impl::location where = std::source_location::current()) {
  return std::get<1>(impl::indexed_extreme<true, Axis, Keep>("tl::argmax", x, options, where));
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto argmax(const X &x, index_options options = {},
            impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(
      argmax<0>(impl::flat(x, where), options, where), where);
}
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto argmin(const X &x, index_options options = {},
            impl::location where = std::source_location::current()) {
  return std::get<1>(impl::indexed_extreme<false, Axis, Keep>("tl::argmin", x, options, where));
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto argmin(const X &x, index_options options = {},
            impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(
      argmin<0>(impl::flat(x, where), options, where), where);
}

/// The exclusive or, and the or, of integers along Axis or of all. Upstream: tl.xor_sum,
/// tl.reduce_or.
///
///     auto checksum = tl::xor_sum(bins);
///     auto used = tl::reduce_or<0>(bins & 255);
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto xor_sum(const X &x, impl::location where = std::source_location::current()) {
  static_assert(impl::integer_block<X>::holds_integers, "tl::xor_sum takes integers");
  auto combine = [](auto a, auto b) { return a ^ b; };
  return impl::reduce<Axis, Keep>("tl::xor_sum", x, combine, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto xor_sum(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(xor_sum<0>(impl::flat(x, where), where),
                                                            where);
}
template <int Axis, kept_dims Keep = kept_dims::no, tensor_like X>
auto reduce_or(const X &x, impl::location where = std::source_location::current()) {
  static_assert(impl::integer_block<X>::holds_integers, "tl::reduce_or takes integers");
  auto combine = [](auto a, auto b) { return a | b; };
  return impl::reduce<Axis, Keep>("tl::reduce_or", x, combine, where);
}
template <kept_dims Keep = kept_dims::no, tensor_like X>
auto reduce_or(const X &x, impl::location where = std::source_location::current()) {
  return impl::with_kept_dims<Keep, typename X::shape_type>(
      reduce_or<0>(impl::flat(x, where), where), where);
}

/// Softmax along Axis, of float and double. Upstream: tl.softmax.
///
///     auto weights = tl::softmax<1>(scores);
template <int Axis = 0, tensor_like X>
auto softmax(const X &x, division_options options = {},
             impl::location where = std::source_location::current()) {
  auto e = tl::exp(x - tl::max<Axis, keep_dims>(x, where), where);
  return fdiv(e, sum<Axis, keep_dims>(e, where), options, where);
}

// ---- Scans

/// Options of the scans.
struct scan_options {
  bool reverse = false; ///< from the last element to the first
};

namespace impl {

template <int Axis, class X, class F>
auto scan(const char *function, const X &x, F &f, scan_options options, location where) {
  using r = reduced<X>;
  using S = typename r::shape_type;
  using axis = axis_of<S, Axis>;
  static_assert(axis::is_in_range, "the axis of a scan is not one of the tensor's");
  static_assert(r::have_one_shape, "a scan of several blocks needs equal shapes");
  tracer &t = active(where, function);
  const auto operands = handles_of(x);
  sequence<value_type> results;
  for (const handle operand : operands) {
    t.checked(operand, where);
    results.push_back(t.type_of_value(operand));
  }
  const auto values = combine_region<X>(
      t, function, "tt.scan", "tt.scan.return",
      "axis = " + std::to_string(axis::safe) +
          (options.reverse ? " : i32, reverse = true" : " : i32, reverse = false"),
      operands, results, f, where);
  return made_of<structure_with<X, as_blocks<S>>>(values);
}

} // namespace impl

/// Combines each element with all before it along Axis (with reverse: all after it), by an
/// associative function of two scalars; see tl::reduce for functions and structures. The result has
/// the shape and types of x. Upstream: tl.associative_scan.
///
///     auto peaks = tl::associative_scan<0>(x, [](auto a, auto b) { return tl::maximum(a, b); });
template <int Axis, class X, class F>
auto associative_scan(const X &x, F f, scan_options options = {},
                      impl::location where = std::source_location::current()) {
  static_assert(impl::reduced<X>::is_valid,
                "tl::associative_scan takes a block, or a structure of blocks: std::tuple, "
                "std::pair, std::array or a struct that is a template of its members' types");
  if constexpr (impl::reduced<X>::is_valid)
    return impl::scan<Axis>("tl::associative_scan", x, f, options, where);
  else
    return x;
}

namespace impl {
template <class D, int Axis, class X>
auto cumulative_sum(const X &x, scan_options options, location where) {
  auto add = [](auto a, auto b) { return a + b; };
  tracer &t = active(where, "tl::cumsum");
  t.checked(x.raw_handle(), where);
  const expression<D, typename X::shape_type> wide(cast(t, x.raw_handle(), scalar_type<D>, where));
  return scan<Axis>("tl::cumsum", wide, add, options, where);
}
} // namespace impl

/// The running sum along Axis, by default the first. Integers below 32 bits are added as int32 or
/// uint32, bfloat16 as float; or say the type: cumsum<0, double>(x). Of floats that are not
/// negative no sum is below the one before it, on any device, though rounded: it can be searched
/// in. Upstream: tl.cumsum.
///
///     auto ends = tl::cumsum(lengths);
///     auto rest = tl::cumsum<0>(lengths, {.reverse = true});
template <int Axis = 0, tensor_like X>
auto cumsum(const X &x, scan_options options = {},
            impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using D = std::conditional_t<std::same_as<T, bfloat16>, float, impl::sum_element<T>>;
  return impl::cumulative_sum<D, Axis>(x, options, where);
}
template <int Axis, element_type D, tensor_like X>
auto cumsum(const X &x, scan_options options = {},
            impl::location where = std::source_location::current()) {
  return impl::cumulative_sum<D, Axis>(x, options, where);
}

/// The running product along Axis, by default the first; bfloat16 gives float, integers wrap.
/// Upstream: tl.cumprod.
///
///     auto light = tl::cumprod<0>(1 - x);
template <int Axis = 0, tensor_like X>
auto cumprod(const X &x, scan_options options = {},
             impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using D = std::conditional_t<std::same_as<T, bfloat16>, float, T>;
  auto multiply = [](auto a, auto b) { return a * b; };
  impl::tracer &t = impl::active(where, "tl::cumprod");
  t.checked(x.raw_handle(), where);
  const expression<D, typename X::shape_type> wide(
      impl::cast(t, x.raw_handle(), impl::scalar_type<D>, where));
  return impl::scan<Axis>("tl::cumprod", wide, multiply, options, where);
}

// ---- Counting

namespace impl {
template <int Bins> struct bins {
  static constexpr bool are_at_least_1 = Bins >= 1;
};
template <int Bins, class X, class M> auto histogram(const X &x, const M &mask, location where) {
  static_assert(integer_block<X>::holds_integers, "tl::histogram counts integers");
  static_assert(X::rank == 1, "tl::histogram takes a block of one axis; tl::ravel it first");
  static_assert(bins<Bins>::are_at_least_1, "tl::histogram counts into at least 1 bin");
  static_assert(std::same_as<typename argument<M>::element_type, bool>,
                "the mask of tl::histogram is a bool tensor");
  using S = shape<bins<Bins>::are_at_least_1 ? Bins : 1>;
  tracer &t = active(where, "tl::histogram");
  t.checked(x.raw_handle(), where);
  // A bin's number is signed: so wide that a value which is no number of a bin stays none.
  using wide =
      std::conditional_t<(sizeof(typename X::element_type) > 4), std::int64_t, std::int32_t>;
  handle value = cast(t, x.raw_handle(), scalar_type<wide>, where);
  const value_type &counts = type_of<std::int32_t, S>;
  if constexpr (std::same_as<M, bool>)
    return tensor<std::int32_t, S>(t.emit("tt.histogram %0 : $0 -> =", {value}, counts, where));
  else
    return tensor<std::int32_t, S>(t.emit(
        "tt.histogram %0, %1 : $0 -> =",
        {value, coerce(t, argument<M>::get(mask), type_of<bool, typename X::shape_type>, where)},
        counts, where));
}
} // namespace impl

/// How often each of 0, 1, … Bins - 1 occurs in a block of one axis, as int32. Other values, and
/// elements whose mask is false, are not counted. Upstream: tl.histogram.
///
///     auto counts = tl::histogram<256>(bytes, offsets < n);
template <int Bins, tensor_like X>
auto histogram(const X &x, impl::location where = std::source_location::current()) {
  return impl::histogram<Bins>(x, true, where);
}
template <int Bins, tensor_like X, tensor_like M>
auto histogram(const X &x, const M &mask, impl::location where = std::source_location::current()) {
  return impl::histogram<Bins>(x, mask, where);
}

// ---- Wrong spellings

namespace impl {
template <class X> tensor<typename X::element_type> nothing_reduced() {
  return tensor<typename X::element_type>(handle{});
}
} // namespace impl

// The axis among the arguments, as upstream has it.
#define TL_IMPL_AXIS_FIRST(name, hint)                                                             \
  template <tensor_like X, impl::operand_like A, class... R>                                       \
  tensor<typename X::element_type> name(const X &, const A &, const R &...) {                      \
    static_assert(sizeof(A) == 0, "the axis of a reduction or scan is a template argument: write " \
                                  "tl::" #name "<0>(x) instead of tl::" #name "(x, 0)" hint);      \
    return impl::nothing_reduced<X>();                                                             \
  }
TL_IMPL_AXIS_FIRST(sum, "")
TL_IMPL_AXIS_FIRST(max, "; the larger of two is tl::maximum")
TL_IMPL_AXIS_FIRST(min, "; the smaller of two is tl::minimum")
TL_IMPL_AXIS_FIRST(argmax, "")
TL_IMPL_AXIS_FIRST(argmin, "")
TL_IMPL_AXIS_FIRST(xor_sum, "")
TL_IMPL_AXIS_FIRST(cumsum, "")
TL_IMPL_AXIS_FIRST(cumprod, "")
TL_IMPL_AXIS_FIRST(reduce, "")
TL_IMPL_AXIS_FIRST(associative_scan, "")
#undef TL_IMPL_AXIS_FIRST

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
