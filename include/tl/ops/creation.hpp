// SPDX-License-Identifier: MIT
#pragma once
// Where do tensors come from? Program ids, ranges and constants. What comes from memory is in
// memory.hpp, random numbers are in elementwise.hpp.

#include "tl/tensor.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Index of the running program along an axis of the launch grid, 0, 1 or 2. An int32 scalar.
/// Throws tl::compile_error for another axis. Upstream: tl.program_id.
///
///     auto row = tl::program_id(0);
///     auto head = tl::program_id(1);
inline i32 program_id(int axis, impl::location where = std::source_location::current()) {
  impl::tracer &t = impl::active(where, "tl::program_id");
  if (axis < 0 || axis > 2)
    impl::fail(where, "axis " + std::to_string(axis) + " of tl::program_id is not 0, 1 or 2");
  return i32(t.emit("tt.get_program_id @ : =", {}, impl::scalar_type<std::int32_t>, where,
                    std::string(1, static_cast<char>('x' + axis))));
}

/// Number of programs along an axis of the launch grid, 0, 1 or 2. An int32 scalar, at least 1.
/// Throws tl::compile_error for another axis. Upstream: tl.num_programs.
///
///     for (auto row : tl::range(tl::program_id(0), rows, tl::num_programs(0)))
///       …
inline i32 num_programs(int axis, impl::location where = std::source_location::current()) {
  impl::tracer &t = impl::active(where, "tl::num_programs");
  if (axis < 0 || axis > 2)
    impl::fail(where, "axis " + std::to_string(axis) + " of tl::num_programs is not 0, 1 or 2");
  const impl::handle value =
      t.emit("tt.get_num_programs @ : =", {}, impl::scalar_type<std::int32_t>, where,
             std::string(1, static_cast<char>('x' + axis)));
  t.program.values[value.value].is_positive = true;
  return i32(value);
}

namespace impl {

template <int Start, int End> struct range_of {
  static constexpr long length = static_cast<long>(End) - Start;
  static constexpr bool is_not_empty = length > 0;
  static constexpr bool has_at_most_1048576_elements = length <= max_elements;
  static constexpr bool is_valid = is_not_empty && has_at_most_1048576_elements;
};

} // namespace impl

/// The integers from Start up to, not including, End, as an int32 block of shape <End - Start>, at
/// most 1048576. Upstream: tl.arange, which takes powers of two alone.
///
///     auto odd = tl::arange<0, 64>() * 2 + 1;
///     auto tail = tl::arange<16, 48>();
template <int Start, int End> auto arange(impl::location where = std::source_location::current()) {
  using r = impl::range_of<Start, End>;
  static_assert(r::is_not_empty, "tl::arange needs an end above its start");
  static_assert(r::has_at_most_1048576_elements, "tl::arange has at most 1048576 elements");
  using S = shape<r::is_valid ? static_cast<int>(r::length) : 1>;
  return expression<std::int32_t, S>(
      impl::active(where, "tl::arange")
          .emit("tt.make_range {@} : =", {}, impl::type_of<std::int32_t, S>, where,
                "end = " + std::to_string(End) + " : i32, start = " + std::to_string(Start) +
                    " : i32"));
}

/// The integers from 0 up to, not including, N.
///
///     auto offsets = tl::program_id(0) * 1024 + tl::arange<1024>();
template <int N> auto arange(impl::location where = std::source_location::current()) {
  return arange<0, N>(where);
}

/// Names what to write instead of tl::arange(0, N).
template <impl::operand_like A, impl::operand_like... B>
expression<std::int32_t, shape<1>> arange(const A &, const B &...) {
  static_assert(sizeof(A) == 0, "the bounds of tl::arange are template arguments: write "
                                "tl::arange<0, N>() instead of tl::arange(0, N)");
  return expression<std::int32_t, shape<1>>(impl::handle{});
}

/// A block whose elements all have one value: a number, or a scalar tensor that is cast to T.
/// Without extents, a scalar. Upstream: tl.full.
///
///     auto lowest = tl::full<float, 64, 64>(-tl::inf);
///     auto scale = tl::full<tl::float16, 64>(s);          // s is a tl::f32
template <class T, int... Extents, impl::operand_like V>
tensor<T, shape<Extents...>> full(const V &value,
                                  impl::location where = std::source_location::current()) {
  using S = shape<Extents...>;
  static_assert(impl::argument<V>::shape_type::size == 1,
                "tl::full repeats a number or a scalar tensor; use tl::broadcast_to for blocks");
  if constexpr (impl::number<V>) {
    static_assert(impl::number_for<T, V>::is_no_fraction,
                  "a float cannot fill an integer tensor; convert it in C++ first");
    static_assert(impl::number_for<T, V>::is_true_or_false,
                  "a bool tensor is filled by true or false; write x != 0 for a number");
  }
  impl::tracer &t = impl::active(where, "tl::full");
  return tensor<T, S>(impl::coerce(t, impl::argument<V>::get(value), impl::type_of<T, S>, where));
}

/// A block of zeros; without extents, a scalar. Upstream: tl.zeros.
///
///     tl::tensor acc = tl::zeros<float, 128, 128>();
template <class T, int... Extents>
tensor<T, shape<Extents...>> zeros(impl::location where = std::source_location::current()) {
  return full<T, Extents...>(T(0), where);
}

namespace impl {
template <class T, int... Extents, class V>
auto full_of_shape(shape<Extents...>, const V &value, impl::location where) {
  return full<T, Extents...>(value, where);
}
} // namespace impl

/// Zeros with the element type and shape of x.
///
///     tl::tensor acc = tl::zeros_like(x);
template <tensor_like X>
auto zeros_like(const X &, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  return impl::full_of_shape<T>(typename X::shape_type{}, T(0), where);
}

/// One value, repeated, with the element type and shape of x.
///
///     tl::tensor best = tl::full_like(x, -1);
template <tensor_like X, impl::operand_like V>
auto full_like(const X &, const V &value, impl::location where = std::source_location::current()) {
  return impl::full_of_shape<typename X::element_type>(typename X::shape_type{}, value, where);
}

/// Whether a pointer argument is known to be null: a C++ bool, so that a kernel can leave out what
/// an absent argument is for. Kernels are compiled apart for null and other pointers.
///
///     if (!tl::is_null(bias))
///       acc += tl::load(bias + cols);
template <class T>
bool is_null(const ptr<T> &pointer, std::source_location where = std::source_location::current()) {
  const impl::tracer &t = impl::active(where, "tl::is_null");
  return !pointer.raw_handle().empty() && t.program.values[pointer.raw_handle().value].is_null;
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
