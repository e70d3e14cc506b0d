// SPDX-License-Identifier: MIT
#pragma once
// How are numbers added, subtracted and multiplied where the result may not fit? As by the
// operators; the functions say for a single operation that it may wrap. Part of the elementwise
// group; what is asserted in debug builds of a kernel is in impl/overflow.hpp.

#include "tl/tensor.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Options of add, sub and mul.
struct overflow_options {
  bool sanitize_overflow = true; ///< false: the operation may wrap, and nothing is asserted
};

namespace impl {

template <class T> struct added_element {
  static constexpr bool is_a_number = !item<T>::is_pointer;
};

template <binary_kind K, class X, class Y>
auto arithmetic(const char *function, const X &x, const Y &y, overflow_options options,
                location where) {
  static_assert(added_element<typename argument<X>::element_type>::is_a_number &&
                    added_element<typename argument<Y>::element_type>::is_a_number,
                "tl::add, tl::sub and tl::mul take numbers; a pointer is moved by + and -");
  tracer &t = active(where, function);
  const bool before = t.environment.checks_overflow;
  t.environment.checks_overflow = before && options.sanitize_overflow;
  const auto result = binary_expression<K>(x, y, where);
  t.environment.checks_overflow = before;
  return result;
}

} // namespace impl

/// The sum, the difference, the product of two, as by the operators; they broadcast together.
///
/// In a kernel run with `.debug = true`, operators and these functions assert that the result of
/// signed integers fits its type, unless `.sanitize_overflow` of the launch or of the operation is
/// false. Unsigned integers wrap, and so do all where nothing is asserted. Functions given to
/// reductions and scans assert nothing. Upstream: tl.add, tl.sub, tl.mul.
///
///     auto hash = tl::mul(offsets, 40503, {.sanitize_overflow = false});
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto add(const X &x, const Y &y, overflow_options options = {},
         impl::location where = std::source_location::current()) {
  return impl::arithmetic<impl::binary_kind::add>("tl::add", x, y, options, where);
}
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto sub(const X &x, const Y &y, overflow_options options = {},
         impl::location where = std::source_location::current()) {
  return impl::arithmetic<impl::binary_kind::sub>("tl::sub", x, y, options, where);
}
template <impl::operand_like X, impl::operand_like Y>
  requires(tensor_like<X> || tensor_like<Y>)
auto mul(const X &x, const Y &y, overflow_options options = {},
         impl::location where = std::source_location::current()) {
  return impl::arithmetic<impl::binary_kind::mul>("tl::mul", x, y, options, where);
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
