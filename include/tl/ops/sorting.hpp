// SPDX-License-Identifier: MIT
#pragma once
// How are the elements of the last axis put in order? As unsigned integers in the same order, by a
// bitonic network, whose steps are exchanges between positions that differ in fixed bits. Part of
// the reduction group.

#include "tl/ops/reduction.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {
namespace impl {

inline handle take(tracer &t, handle source, handle indices, int axis, const value_type &result,
                   location where) {
  return t.emit("tt.gather %0[%1] {@} : ($0, $1) -> =", {source, indices}, result, where,
                "axis = " + std::to_string(axis) + " : i32");
}

/// The number of an integer type that has these low bits.
inline handle bits_of(tracer &t, std::uint64_t bits, const value_type &type, location where) {
  return constant(t, wrapped(static_cast<std::int64_t>(bits), type), type, where);
}

/// Elements as unsigned integers of 32 or 64 bits in the same order, of which the lowest `bits` are
/// used, and back. A float's bits are those of an integer with sign and magnitude; in two's
/// complement, and counted from minus infinity on, every number comes before all NaNs.
class sort_keys {
public:
  sort_keys(tracer &tracer, const value_type &of, location at) : t(tracer), where(at), element(of) {
    element.rank = 0;
    element.extents = nullptr;
    // Floats of 8 bits are exact in float16.
    taken = element.is_small_float() ? scalar_type<float16> : element;
    bits = taken.bits;
  }

  int bits;

  handle of(handle x) const {
    x = cast(t, x, taken, where);
    if (!taken.is_float()) {
      x = cast(t, x, wide(taken.is_signed()), where);
      return taken.is_signed() ? masked(add(x, top_bit())) : as_unsigned(x);
    }
    x = cast(t, bitcast(t, x, narrow(), where), wide(true), where);
    return masked(add(ordered(x), 0 - lowest()));
  }

  handle back(handle key) const {
    key = cast(t, key, wide(true), where);
    if (!taken.is_float()) {
      if (taken.is_signed())
        key = add(key, 0 - top_bit());
      else if (taken.is_bool())
        key = cast(t, key, scalar_type<std::uint32_t>, where);
      return cast(t, key, element, where);
    }
    // Of fewer bits the sum wraps around as they do.
    const handle sum = cast(t, cast(t, add(key, lowest()), narrow(), where), wide(true), where);
    return cast(t, bitcast(t, cast(t, ordered(sum), narrow(), where), taken, where), element,
                where);
  }

  /// One key for both zeros, and one for all NaNs: equal elements have equal keys.
  handle without_signs(handle key) const {
    if (!taken.is_float())
      return key;
    const value_type type = t.type_of_value(key);
    const handle minus_zero = bits_of(t, infinity(), type, where);
    const handle is_minus_zero = t.emit("arith.cmpi eq, %0, %1 : $0", {key, minus_zero},
                                        with_element(type, scalar_type<bool>), where);
    key = select(t, is_minus_zero, bits_of(t, infinity() + 1, type, where), key, where);
    const handle first_nan = bits_of(t, 2 * infinity() + 2, type, where);
    return t.emit("arith.minui %0, %1 : =", {key, first_nan}, type, where);
  }

  /// The keys in the opposite order.
  handle turned(handle key) const {
    return t.emit("arith.xori %0, %1 : =", {key, bits_of(t, all(), t.type_of_value(key), where)},
                  t.type_of_value(key), where);
  }

private:
  const value_type &wide(bool is_signed) const {
    if (is_signed)
      return bits > 32 ? scalar_type<std::int64_t> : scalar_type<std::int32_t>;
    return bits > 32 ? scalar_type<std::uint64_t> : scalar_type<std::uint32_t>;
  }
  const value_type &narrow() const {
    return bits == 16   ? scalar_type<std::int16_t>
           : bits == 32 ? scalar_type<std::int32_t>
                        : scalar_type<std::int64_t>;
  }
  std::uint64_t all() const { return ~std::uint64_t(0) >> (64 - bits); }
  /// The bits of plus infinity, and the place of minus infinity among integers with a sign.
  std::uint64_t infinity() const {
    const int mantissa = taken.name == "bf16" ? 7 : bits == 16 ? 10 : bits == 32 ? 23 : 52;
    return top_bit() - (std::uint64_t(1) << mantissa);
  }
  std::uint64_t lowest() const { return ~infinity(); }
  std::uint64_t top_bit() const { return std::uint64_t(1) << (bits - 1); }

  handle as_unsigned(handle x) const { return cast(t, x, wide(false), where); }
  handle add(handle x, std::uint64_t number) const {
    const value_type type = t.type_of_value(x);
    return t.emit("arith.addi %0, %1 : =", {x, bits_of(t, number, type, where)}, type, where);
  }
  handle masked(handle x) const {
    x = as_unsigned(x);
    if (bits >= 32)
      return x;
    const value_type type = t.type_of_value(x);
    return t.emit("arith.andi %0, %1 : =", {x, bits_of(t, all(), type, where)}, type, where);
  }
  /// Between sign and magnitude, and two's complement, whose -1 is minus zero. Its own inverse.
  handle ordered(handle x) const {
    const value_type type = t.type_of_value(x);
    const int width = bits > 32 ? 64 : 32;
    const handle sign =
        t.emit("arith.shrsi %0, %1 : =", {x, bits_of(t, width - 1, type, where)}, type, where);
    const handle changed = t.emit(
        "arith.andi %0, %1 : =", {sign, bits_of(t, top_bit() - 1, type, where)}, type, where);
    return t.emit("arith.xori %0, %1 : =", {x, changed}, type, where);
  }

  tracer &t;
  location where;
  value_type element, taken;
};

/// Rows of unsigned numbers along the last axis on their way through the network. A number may have
/// two parts, in two tensors, the more significant first. Runs are 2^n positions that begin at a
/// multiple of that; a run's middle is where the bit of half its length changes.
class sort_network {
public:
  sort_network(tracer &tracer, sequence<handle> numbers, location at)
      : t(tracer), where(at), parts(std::move(numbers)) {
    look();
  }

  sequence<handle> numbers() const { return parts; }
  int extent() const { return type.extents[type.rank - 1]; }

  /// Gives rows another extent: the last number is repeated, or what is beyond it goes.
  void repeat_last(int to) {
    const int from = extent();
    if (from == to)
      return;
    const value_type count =
        with_element(with_last_axes(parts[0], {to}), scalar_type<std::int32_t>);
    const handle old = t.emit(
        "arith.minsi %0, %1 : =",
        {positions(t, count, type.rank - 1, where), integer_constant(t, from - 1, count, where)},
        count, where);
    for (handle &part : parts)
      part = take(t, part, old, type.rank - 1, with_last_axes(part, {to}), where);
    look();
  }
  /// Gives rows another extent: what is new are the largest numbers, what is beyond it goes.
  void resize(int to) {
    const int from = extent();
    repeat_last(to);
    if (from >= to)
      return;
    const value_type count = t.type_of_value(position);
    const handle is_new = t.emit("arith.cmpi sgt, %0, %1 : $0",
                                 {position, integer_constant(t, from - 1, count, where)},
                                 with_element(count, scalar_type<bool>), where);
    for (handle &part : parts)
      part = select(t, is_new, bits_of(t, ~std::uint64_t(0), t.type_of_value(part), where), part,
                    where);
  }

  /// Sorts runs of that length. Each pair of sorted halves meets end to end first, after which both
  /// are bitonic.
  void sort(int length) {
    for (int run = 2; run <= length; run *= 2) {
      meet(run - 1, run / 2);
      merge(run / 2);
    }
  }
  /// Sorts runs that are bitonic.
  void merge(int length) {
    for (int distance = length / 2; distance > 0; distance /= 2)
      meet(distance, distance);
  }
  /// Sorts rows of single numbers that are bitonic, of any extent. They stay bitonic when the last
  /// number is repeated up to a power of two; as many of that number go again once they are sorted.
  void merge_rows() {
    const int from = extent(), to = static_cast<int>(padded_extent(from));
    const value_type count = t.type_of_value(position), row = type;
    const handle at = position;
    const auto number = [&](int value) { return integer_constant(t, value, count, where); };
    const auto taken = [&](handle indices) {
      return take(t, parts[0], indices, row.rank - 1, row, where);
    };
    const handle last = from == to ? handle{} : taken(number(from - 1));
    repeat_last(to);
    merge(to);
    if (from == to)
      return;
    const handle is_past = t.emit("arith.cmpi uge, %0, %1 : $0", {taken(at), last},
                                  with_element(count, scalar_type<bool>), where);
    const handle skipped = select(t, is_past, number(to - from), number(0), where);
    parts[0] = taken(t.emit("arith.addi %0, %1 : =", {at, skipped}, count, where));
    look();
  }
  /// Turns the order of every second run around.
  void turn(int length) {
    const handle is_first = has_no_bit(length);
    for (handle &part : parts) {
      const value_type one = t.type_of_value(part);
      const handle mask = select(t, is_first, integer_constant(t, 0, one, where),
                                 bits_of(t, ~std::uint64_t(0), one, where), where);
      part = t.emit("arith.xori %0, %1 : =", {part, mask}, one, where);
    }
  }
  /// Of each two neighbouring runs, a rising and a falling one, the smaller half: bitonic. Of
  /// single numbers the smallest of all.
  void keep_smaller(int length) {
    const int ways = length == 1 ? extent() : 2, kept = extent() / ways;
    sequence<handle> operands;
    sequence<value_type> results;
    for (const handle part : parts) {
      operands.push_back(
          reshape(t, part, with_last_axes(part, {kept / length, ways, length}), where));
      results.push_back(with_last_axes(part, {kept / length, length}));
    }
    const std::string axis = "axis = " + std::to_string(type.rank) + " : i32";
    sequence<handle> smallest;
    if (parts.size() == 1) {
      auto smaller = [&](auto a, auto b) {
        return smaller_of<decltype(a)>(a.raw_handle(), b.raw_handle());
      };
      smallest = type.bits == 32 ? combined<u32>(axis, operands, results, smaller)
                                 : combined<u64>(axis, operands, results, smaller);
    } else {
      auto smaller = [&](auto a, auto x, auto b, auto y) {
        const sequence<handle> left{a.raw_handle(), x.raw_handle()};
        const sequence<handle> right{b.raw_handle(), y.raw_handle()};
        const handle after = comes_after(left, right);
        return std::tuple(decltype(a)(select(t, after, right[0], left[0], where)),
                          decltype(x)(select(t, after, right[1], left[1], where)));
      };
      smallest = combined<std::tuple<u64, u32>>(axis, operands, results, smaller);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = reshape(t, smallest[i], with_last_axes(parts[i], {kept}), where);
    look();
  }

private:
  void look() {
    type = t.type_of_value(parts[0]);
    const value_type count = with_element(type, scalar_type<std::int32_t>);
    position = positions(t, count, type.rank - 1, where);
  }

  /// The type with other axes in place of the last.
  value_type with_last_axes(handle value, std::initializer_list<int> axes) const {
    value_type result = t.type_of_value(value);
    const int kept = result.rank - 1;
    result.rank = kept + static_cast<int>(axes.size());
    int *extents = t.keep_extents(result.rank);
    for (int i = 0; i < kept; ++i)
      extents[i] = result.extents[i];
    for (const int &axis : axes)
      extents[kept + (&axis - axes.begin())] = axis;
    result.extents = extents;
    return result;
  }

  template <class Operands, class F>
  sequence<handle> combined(const std::string &axis, const sequence<handle> &operands,
                            const sequence<value_type> &results, F &f) {
    return combine_region<Operands>(t, "tl::topk", "tt.reduce", "tt.reduce.return", axis, operands,
                                    results, f, where);
  }
  template <class E> E smaller_of(handle a, handle b) const {
    return E(t.emit("arith.minui %0, %1 : =", {a, b}, t.type_of_value(a), where));
  }

  handle has_no_bit(int bit) const {
    const value_type count = t.type_of_value(position);
    const handle one = t.emit(
        "arith.andi %0, %1 : =", {position, integer_constant(t, bit, count, where)}, count, where);
    return t.emit("arith.cmpi eq, %0, %1 : $0", {one, integer_constant(t, 0, count, where)},
                  with_element(count, scalar_type<bool>), where);
  }
  handle comes_after(const sequence<handle> &a, const sequence<handle> &b) const {
    const value_type flags = with_element(t.type_of_value(a[0]), scalar_type<bool>);
    const handle above = t.emit("arith.cmpi ugt, %0, %1 : $0", {a[0], b[0]}, flags, where);
    const handle equal = t.emit("arith.cmpi eq, %0, %1 : $0", {a[0], b[0]}, flags, where);
    const handle then = t.emit("arith.cmpi ugt, %0, %1 : $0", {a[1], b[1]}, flags, where);
    const handle both = t.emit("arith.andi %0, %1 : =", {equal, then}, flags, where);
    return t.emit("arith.ori %0, %1 : =", {above, both}, flags, where);
  }

  /// Every element meets the one whose position differs in `bits`; where `half` is not in the
  /// position stays the smaller one.
  void meet(int bits, int half) {
    const value_type count = t.type_of_value(position);
    const handle from = t.emit(
        "arith.xori %0, %1 : =", {position, integer_constant(t, bits, count, where)}, count, where);
    sequence<handle> others;
    for (const handle part : parts)
      others.push_back(take(t, part, from, type.rank - 1, t.type_of_value(part), where));
    const handle is_first = has_no_bit(half);
    if (parts.size() == 1) {
      const handle smaller = t.emit("arith.minui %0, %1 : =", {parts[0], others[0]}, type, where);
      const handle larger = t.emit("arith.maxui %0, %1 : =", {parts[0], others[0]}, type, where);
      parts[0] = select(t, is_first, smaller, larger, where);
      return;
    }
    const handle after = comes_after(parts, others);
    const handle exchange =
        t.emit("arith.cmpi eq, %0, %1 : $0", {after, is_first}, t.type_of_value(after), where);
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = select(t, exchange, others[i], parts[i], where);
  }

  tracer &t;
  location where;
  sequence<handle> parts;
  value_type type; // of the more significant part
  handle position;
};

/// The first `count` elements of each row in order: all of them for a sort.
inline sequence<handle> first_in_order(tracer &t, sequence<handle> numbers, int count,
                                       location where) {
  sort_network network(t, std::move(numbers), where);
  network.resize(static_cast<int>(padded_extent(network.extent())));
  const int kept = static_cast<int>(padded_extent(count));
  const bool keeps_all = kept == network.extent();
  if (!keeps_all)
    network.turn(kept);
  network.sort(kept);
  if (!keeps_all)
    network.turn(kept);
  while (network.extent() > kept) {
    network.keep_smaller(kept);
    const bool is_last = network.extent() == kept;
    if (!is_last)
      network.turn(kept);
    network.merge(kept);
    if (!is_last)
      network.turn(kept);
  }
  network.resize(count);
  return network.numbers();
}

/// The values of the first `count` elements of each row in order.
inline handle sorted_values(tracer &t, handle x, int count, bool descending, location where) {
  const sort_keys keys(t, t.type_of_value(x), where);
  const auto direction = [&](handle key) { return descending ? keys.turned(key) : key; };
  const auto numbers = first_in_order(t, {direction(keys.of(x))}, count, where);
  return keys.back(direction(numbers[0]));
}

/// Where in its row each of the first `count` elements stands; equal ones as they come. The place
/// is the less significant part of the number that is sorted.
inline handle sorted_indices(tracer &t, handle x, int count, bool descending, location where) {
  const value_type type = t.type_of_value(x);
  const sort_keys keys(t, type, where);
  handle key = keys.without_signs(keys.of(x));
  key = descending ? keys.turned(key) : key;
  const value_type &word = scalar_type<std::uint32_t>;
  const handle place =
      cast(t, positions(t, with_element(type, scalar_type<std::int32_t>), type.rank - 1, where),
           word, where);
  int place_bits = 0;
  while ((padded_extent(type.extents[type.rank - 1]) >> place_bits) > 1)
    ++place_bits;
  if (keys.bits > 32)
    return cast(t, first_in_order(t, {key, place}, count, where)[1], scalar_type<std::int32_t>,
                where);
  const bool fits = keys.bits + place_bits <= 32;
  const value_type number = with_element(type, fits ? word : scalar_type<std::uint64_t>);
  const auto joined = [&](const char *operation, handle a, std::int64_t b) {
    return t.emit(operation, {a, integer_constant(t, b, number, where)}, number, where);
  };
  const handle above = joined("arith.shli %0, %1 : =", cast(t, key, number, where), place_bits);
  const handle whole =
      t.emit("arith.ori %0, %1 : =", {above, cast(t, place, number, where)}, number, where);
  const handle first = first_in_order(t, {whole}, count, where)[0];
  const value_type kept = with_element(t.type_of_value(first), number);
  const handle mask = bits_of(t, (std::uint64_t(1) << place_bits) - 1, kept, where);
  return cast(t, t.emit("arith.andi %0, %1 : =", {first, mask}, kept, where),
              scalar_type<std::int32_t>, where);
}

template <class X> struct sortable {
  static constexpr bool has_an_axis = X::rank > 0;
  static constexpr bool holds_numbers = !item<typename X::element_type>::is_pointer;
};

template <int K, class S> struct selection {
  static constexpr bool is_within_the_axis =
      S::rank > 0 && K >= 1 && K <= S::extents[S::rank > 0 ? S::rank - 1 : 0];
};

template <int K, class X>
using selected_shape = set_axis<typename X::shape_type, X::shape_type::rank - 1, K>;

template <class X> auto along_rows(const X &x, handle indices, location where) {
  using T = typename X::element_type;
  const value_type type = with_element(current_tracer()->type_of_value(indices), scalar_type<T>);
  return take(*current_tracer(), x.raw_handle(), indices, X::rank - 1, type, where);
}

} // namespace impl

/// Options of sort, argsort, bitonic_merge and topk. topk is descending unless said otherwise.
struct sort_options {
  bool descending = false;
};
struct topk_options {
  bool descending = true;
};

/// The elements of the last axis in order, ascending unless the option says otherwise; NaN comes
/// after all numbers when ascending, and -0 before +0. Upstream: tl.sort.
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
  using S = typename X::shape_type;
  return tensor<typename X::element_type, S>(
      impl::sorted_values(t, x.raw_handle(), S::extents[S::rank - 1], options.descending, where));
}

/// The indices, int32, that bring each row along the last axis in order: stable, so equal elements,
/// which zeros of both signs and all NaNs are, stay in the order that they have.
///
///     auto order = tl::argsort(x);
///     auto sorted = tl::gather<1>(x, order);
template <tensor_like X>
auto argsort(const X &x, sort_options options = {},
             impl::location where = std::source_location::current()) {
  static_assert(impl::sortable<X>::has_an_axis, "tl::argsort takes a block, not a scalar");
  static_assert(impl::sortable<X>::holds_numbers, "tl::argsort takes numbers");
  impl::tracer &t = impl::active(where, "tl::argsort");
  t.checked(x.raw_handle(), where);
  using S = typename X::shape_type;
  return tensor<std::int32_t, S>(
      impl::sorted_indices(t, x.raw_handle(), S::extents[S::rank - 1], options.descending, where));
}

/// The elements of the last axis in order, and where each one stood: a std::tuple of values and
/// int32 indices, stable as tl::argsort is.
///
///     auto [values, indices] = tl::sort_with_indices(x, {.descending = true});
template <tensor_like X>
auto sort_with_indices(const X &x, sort_options options = {},
                       impl::location where = std::source_location::current()) {
  static_assert(impl::sortable<X>::has_an_axis,
                "tl::sort_with_indices takes a block, not a scalar");
  static_assert(impl::sortable<X>::holds_numbers, "tl::sort_with_indices takes numbers");
  auto indices = tl::argsort(x, options, where);
  return std::tuple(tensor<typename X::element_type, typename X::shape_type>(
                        impl::along_rows(x, indices.raw_handle(), where)),
                    indices);
}

/// Sorts a last axis that is bitonic: first rising, then falling, or the other way round. Upstream:
/// tl.bitonic_merge.
///
///     auto merged = tl::bitonic_merge(tl::cat(low, tl::flip(high)));     // of two that rise
template <tensor_like X>
auto bitonic_merge(const X &x, sort_options options = {},
                   impl::location where = std::source_location::current()) {
  static_assert(impl::sortable<X>::has_an_axis, "tl::bitonic_merge takes a block, not a scalar");
  static_assert(impl::sortable<X>::holds_numbers, "tl::bitonic_merge takes numbers");
  impl::tracer &t = impl::active(where, "tl::bitonic_merge");
  t.checked(x.raw_handle(), where);
  const impl::sort_keys keys(t, t.type_of_value(x.raw_handle()), where);
  const auto direction = [&](impl::handle key) {
    return options.descending ? keys.turned(key) : key;
  };
  impl::sort_network network(t, {direction(keys.of(x.raw_handle()))}, where);
  network.merge_rows();
  return tensor<typename X::element_type, typename X::shape_type>(
      keys.back(direction(network.numbers()[0])));
}

/// The K largest elements of the last axis in falling order (or the K smallest in rising order). K
/// is at most the extent. Upstream: tl.topk, whose K is a power of two.
///
///     auto best = tl::topk<4>(scores);               // <64, 256> gives <64, 4>
template <int K, tensor_like X>
auto topk(const X &x, topk_options options = {},
          impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using check = impl::selection<K, S>;
  static_assert(check::is_within_the_axis,
                "the K of tl::topk is at least 1 and at most the extent of the last axis");
  static_assert(impl::sortable<X>::holds_numbers, "tl::topk takes numbers");
  if constexpr (check::is_within_the_axis) {
    impl::tracer &t = impl::active(where, "tl::topk");
    t.checked(x.raw_handle(), where);
    return tensor<T, impl::selected_shape<K, X>>(
        impl::sorted_values(t, x.raw_handle(), K, options.descending, where));
  } else {
    return tensor<T, S>(impl::handle{});
  }
}

/// The K largest elements of the last axis in falling order (or the K smallest in rising order),
/// and where each one stands: a std::tuple of values and int32 indices. Of equal elements those
/// that come first are taken, in their order.
///
///     auto [values, indices] = tl::topk_with_indices<4>(scores);
template <int K, tensor_like X>
auto topk_with_indices(const X &x, topk_options options = {},
                       impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  using check = impl::selection<K, S>;
  static_assert(
      check::is_within_the_axis,
      "the K of tl::topk_with_indices is at least 1 and at most the extent of the last axis");
  static_assert(impl::sortable<X>::holds_numbers, "tl::topk_with_indices takes numbers");
  if constexpr (check::is_within_the_axis) {
    using R = impl::selected_shape<K, X>;
    impl::tracer &t = impl::active(where, "tl::topk_with_indices");
    t.checked(x.raw_handle(), where);
    const impl::handle indices =
        impl::sorted_indices(t, x.raw_handle(), K, options.descending, where);
    return std::tuple(tensor<T, R>(impl::along_rows(x, indices, where)),
                      tensor<std::int32_t, R>(indices));
  } else {
    return std::tuple(tensor<T, S>(impl::handle{}), tensor<std::int32_t, S>(impl::handle{}));
  }
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
