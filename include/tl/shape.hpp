// SPDX-License-Identifier: MIT
#pragma once
// What is the shape of a block, and which shape does an operation give? Shapes are types, so every
// question is answered while the C++ compiler runs: broadcasting, reshaping, permuting, reducing.
// The tensors that have these shapes are in tensor.hpp.

#include "tl/impl/compiler.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tl {

/// The extents of a block, outermost first. `shape<>` is the shape of a scalar. Code is generated
/// for powers of two: other extents are padded to the next one, which costs the time of the padding
/// and nothing else. With it a block has at most 1048576 elements; tensors check that, shapes do
/// not, so that a wrong one can be named in a message.
///
///     using tile = tl::shape<128, 64>;
///     static_assert(tile::rank == 2 && tile::size == 8192);
///     tl::tensor<float, tile> x = tl::zeros<float, 128, 64>();
template <int... Extents> struct shape {
  static constexpr int rank = sizeof...(Extents);
  static constexpr long size = (1L * ... * Extents);
  /// One more entry than there are axes, so that a scalar has an array too.
  static constexpr int extents[rank + 1] = {Extents..., 0};
};

/// The largest number of elements of a block.
inline constexpr long max_elements = 1048576;

namespace impl {

/// The highest rank that is computed with: a sort of 2^20 elements sees them as 2x2x...x2.
inline constexpr int max_rank = 24;

/// A shape as a value, while it is computed.
struct extent_list {
  int rank = 0;
  int extents[max_rank] = {};
  constexpr void append(int extent) { extents[rank++] = extent; }
  constexpr int operator[](int axis) const { return extents[axis]; }
};

template <class S> constexpr extent_list list_of() {
  extent_list list;
  for (int axis = 0; axis < S::rank; ++axis)
    list.append(S::extents[axis]);
  return list;
}

template <class Computation, class = std::make_index_sequence<Computation::value.rank>>
struct shape_from;
template <class Computation, std::size_t... I>
struct shape_from<Computation, std::index_sequence<I...>> {
  using type = shape<Computation::value.extents[I]...>;
};

constexpr bool is_power_of_two(long value) { return value > 0 && (value & (value - 1)) == 0; }

/// The power of two that an extent grows to.
constexpr long padded_extent(long extent) {
  long padded = 1;
  while (padded < extent)
    padded *= 2;
  return padded;
}

/// What a tensor demands of its shape. One named member per demand: compilers print it with the
/// extents when it fails.
template <class S> struct block {
  static constexpr bool extents_are_at_least_1 = [] {
    for (int axis = 0; axis < S::rank; ++axis)
      if (S::extents[axis] < 1)
        return false;
    return true;
  }();
  static constexpr bool has_at_most_1048576_padded_elements = [] {
    long elements = 1;
    for (int axis = 0; axis < S::rank && elements <= max_elements; ++axis)
      elements *= padded_extent(S::extents[axis]);
    return elements <= max_elements;
  }();
};

/// Broadcasting of two shapes: the shorter one gets extents of 1 in front, then extents are equal
/// or one of them is 1.
template <class A, class B> struct operands {
private:
  static constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
  static constexpr int extent_a(int axis) {
    return axis < rank - A::rank ? 1 : A::extents[axis - (rank - A::rank)];
  }
  static constexpr int extent_b(int axis) {
    return axis < rank - B::rank ? 1 : B::extents[axis - (rank - B::rank)];
  }

public:
  static constexpr bool broadcast_together = [] {
    for (int axis = 0; axis < rank; ++axis)
      if (extent_a(axis) != extent_b(axis) && extent_a(axis) != 1 && extent_b(axis) != 1)
        return false;
    return true;
  }();
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0; axis < rank; ++axis)
      list.append(extent_a(axis) == 1 ? extent_b(axis) : extent_a(axis));
    return list;
  }();
};

template <class A, class B> struct broadcast_shape {
  using type = typename shape_from<operands<A, B>>::type;
};
template <class A> struct broadcast_shape<A, A> {
  using type = A;
};
template <class A, class B> using broadcast_t = typename broadcast_shape<A, B>::type;

/// Whether From can be repeated to become To.
template <class From, class To> struct repetition {
  static constexpr bool fits = [] {
    if (From::rank == 0)
      return true;
    if (From::rank > To::rank)
      return false;
    for (int axis = 0; axis < From::rank; ++axis)
      if (From::extents[axis] != 1 &&
          From::extents[axis] != To::extents[axis + To::rank - From::rank])
        return false;
    return true;
  }();
};

/// An axis counted from the back when negative.
constexpr int normalized_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

template <class S, int Axis> struct axis_of {
  static constexpr int value = normalized_axis(Axis, S::rank);
  static constexpr bool is_in_range = value >= 0 && value < S::rank;
  /// Clamped, so that the computation goes on after a failed check.
  static constexpr int safe = is_in_range ? value : 0;
};

/// S with an extent of 1 inserted before Axis of the result.
template <class S, int Axis> struct insert_axis_of {
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0, from = 0; axis <= S::rank; ++axis)
      list.append(axis == Axis ? 1 : S::extents[from++]);
    return list;
  }();
};
template <class S, int Axis> using insert_axis = typename shape_from<insert_axis_of<S, Axis>>::type;

/// S without Axis.
template <class S, int Axis> struct drop_axis_of {
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0; axis < S::rank; ++axis)
      if (axis != Axis)
        list.append(S::extents[axis]);
    return list;
  }();
};
template <class S, int Axis> using drop_axis = typename shape_from<drop_axis_of<S, Axis>>::type;

/// S with Axis set to Extent.
template <class S, int Axis, int Extent> struct set_axis_of {
  static constexpr extent_list value = [] {
    extent_list list;
    for (int axis = 0; axis < S::rank; ++axis)
      list.append(axis == Axis ? Extent : S::extents[axis]);
    return list;
  }();
};
template <class S, int Axis, int Extent>
using set_axis = typename shape_from<set_axis_of<S, Axis, Extent>>::type;

/// S with its axes in another order; Order is a permutation.
template <class S, int... Order> struct permutation {
  static constexpr bool is_valid = [] {
    if (sizeof...(Order) != S::rank)
      return false;
    bool seen[S::rank + 1] = {};
    for (int axis : {normalized_axis(Order, S::rank)..., -1}) {
      if (axis == -1)
        break;
      if (axis < 0 || axis >= S::rank || seen[axis])
        return false;
      seen[axis] = true;
    }
    return true;
  }();
  using type = shape<S::extents[normalized_axis(Order, S::rank)]...>;
};

/// S with one more axis of extent Extent at the end.
template <class S, int Extent> struct append_axis_to;
template <int... E, int Extent> struct append_axis_to<shape<E...>, Extent> {
  using type = shape<E..., Extent>;
};
template <class S, int Extent> using append_axis = typename append_axis_to<S, Extent>::type;

/// Whether two shapes hold equally many elements.
template <class From, class To> struct reshaping {
  static constexpr bool keeps_the_number_of_elements = From::size == To::size;
};

} // namespace impl
} // namespace tl
