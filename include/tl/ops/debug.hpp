// SPDX-License-Identifier: MIT
#pragma once
// How does one look into a kernel? Printing and asserting while it runs, printing while it is
// traced, and what may be assumed. C++'s own static_assert works in kernels.

#include "tl/ops/elementwise.hpp"

#include <cstdio>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

namespace impl {

/// A string literal together with its source location.
struct located_text {
  std::string_view text;
  location where;
  located_text(const char *s, impl::location at = std::source_location::current())
      : text(s), where(at) {}
};

/// A string as MLIR writes it.
inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte > 0x7E) {
      char code[4];
      std::snprintf(code, sizeof code, "\\%02X", byte);
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

inline void emit_print(std::string_view prefix, const sequence<operand> &operands,
                       const sequence<value_type> &types, bool hex, location where) {
  tracer &t = active(where, "tl::device_print");
  sequence<handle> values;
  std::string is_signed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    values.push_back(operands[i].is_literal ? constant(t, operands[i].number, types[i], where)
                                            : operands[i].value);
    t.checked(values.back(), where);
    const value_type &type = types[i];
    const bool integer = type.is_data() && type.kind == element_kind::signed_integer;
    is_signed += (i ? ", " : ": ") + std::string(integer ? "1" : "0");
  }
  std::string attributes = impl::quoted(" " + std::string(prefix) + ": ") +
                           (hex ? " {hex = true" : " {hex = false") + ", isSigned = array<i32" +
                           is_signed + ">}";
  t.append(values.empty() ? "tt.print @" : "tt.print @ : %* : $*", values.data(), values.size(),
           where, std::move(attributes), false);
}

} // namespace impl

/// Prints the elements of its arguments when the kernel runs, each with its program and index.
/// Upstream: tl.device_print.
///
///     tl::device_print("x", x, offsets);
template <impl::operand_like... X>
void device_print(impl::located_text prefix, const X &...values) {
  impl::emit_print(prefix.text, {impl::argument<X>::get(values)...},
                   {impl::type_of<typename impl::argument<X>::element_type,
                                  typename impl::argument<X>::shape_type>...},
                   false, prefix.where);
}
/// Prints as tl::device_print does, in hexadecimal. Upstream: tl.device_print(…, hex=True).
///
///     tl::device_print_hex("bits ", tl::bitcast<std::int32_t>(x));
template <impl::operand_like... X>
void device_print_hex(impl::located_text prefix, const X &...values) {
  impl::emit_print(prefix.text, {impl::argument<X>::get(values)...},
                   {impl::type_of<typename impl::argument<X>::element_type,
                                  typename impl::argument<X>::shape_type>...},
                   true, prefix.where);
}

/// Stops the run with an error if an element of the condition is false, where the mask (if any) is
/// true. Only for kernels run with `.debug = true`; otherwise it does nothing. Upstream:
/// tl.device_assert.
///
///     tl::device_assert(index < n, "index out of range");
///     tl::device_assert(x == 8, "not eight", offsets < n);
template <impl::operand_like C>
void device_assert(const C &condition, const char *message = "",
                   impl::location where = std::source_location::current()) {
  using S = typename impl::argument<C>::shape_type;
  impl::tracer &t = impl::active(where, "tl::device_assert");
  const impl::handle c =
      impl::coerce(t, impl::argument<C>::get(condition), impl::type_of<bool, S>, where);
  t.emit_effect("tt.assert %0, @ : $0", {c}, where, impl::quoted(message));
}
template <impl::operand_like C, impl::operand_like M>
void device_assert(const C &condition, const char *message, const M &mask,
                   impl::location where = std::source_location::current()) {
  using S = impl::computed_shape<C, M>;
  static_assert(std::same_as<typename impl::argument<M>::element_type, bool>,
                "the mask of tl::device_assert is a bool tensor");
  impl::tracer &t = impl::active(where, "tl::device_assert");
  const impl::value_type &type = impl::type_of<bool, S>;
  const impl::handle c = impl::coerce(t, impl::argument<C>::get(condition), type, where);
  const impl::handle m = impl::coerce(t, impl::argument<M>::get(mask), type, where);
  const impl::handle ones = impl::constant(t, {impl::element_kind::boolean, 1, 0}, type, where);
  const impl::handle unmasked = t.emit("arith.xori %0, %1 : =", {m, ones}, type, where);
  const impl::handle holds = t.emit("arith.ori %0, %1 : =", {c, unmasked}, type, where);
  t.emit_effect("tt.assert %0, @ : $0", {holds}, where, impl::quoted(message));
}

namespace impl {

template <class X> std::string text_of(const X &x) {
  if constexpr (tensor_like<X>)
    return describe(type_of<typename X::element_type, typename X::shape_type>);
  else if constexpr (std::same_as<X, bool>)
    return x ? "true" : "false";
  else if constexpr (std::integral<X>)
    return std::to_string(x);
  else if constexpr (number<X>)
    return number_text(static_cast<double>(x));
  else
    return std::string(x);
}

} // namespace impl

/// Prints numbers, strings and the types of tensors, once, while the kernel is traced. Upstream:
/// tl.static_print.
///
///     tl::static_print("block", Block, "sum", acc);   // prints: block 64 sum fp32 of 64x64
template <class... X> void static_print(const X &...values) {
  std::string line;
  ((line += (line.empty() ? "" : " ") + impl::text_of(values)), ...);
  std::puts(line.c_str());
}

/// Promises that a scalar condition holds; trusted, never checked. Upstream: tl.assume.
///
///     tl::assume(n > 0);
template <impl::operand_like C>
void assume(const C &condition, impl::location where = std::source_location::current()) {
  static_assert(impl::argument<C>::shape_type::rank == 0, "tl::assume takes a scalar condition");
  impl::tracer &t = impl::active(where, "tl::assume");
  const impl::handle c =
      impl::coerce(t, impl::argument<C>::get(condition), impl::scalar_type<bool>, where);
  t.emit_effect("llvm.intr.assume %0 : $0", {c}, where);
}

/// Waits until all threads of the program have come here and their memory accesses can be seen by
/// each other. Upstream: tl.debug_barrier.
///
///     tl::store(scratch + offsets, x);
///     tl::debug_barrier();
inline void debug_barrier(impl::location where = std::source_location::current()) {
  impl::active(where, "tl::debug_barrier").emit_effect("ttg.barrier all", {}, where);
}

/// x, and with `.debug = true` an assertion that x is 0 where the mask is true. Upstream:
/// tl.expect_zero.
///
///     auto padding = tl::expect_zero(x, offsets >= n);
template <tensor_like X, impl::operand_like M>
auto expect_zero(const X &x, const M &mask,
                 impl::location where = std::source_location::current()) {
  constexpr const char *message = "an element that should be zero is not";
  if constexpr (std::same_as<typename X::element_type, bool>)
    device_assert(!x, message, mask, where);
  else
    device_assert(x == 0, message, mask, where);
  return x;
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
