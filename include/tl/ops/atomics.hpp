// SPDX-License-Identifier: MIT
#pragma once
// How do programs update memory that they share? With atomics, on pointers or blocks of pointers.
// Part of the memory group; descriptors have atomics of their own (descriptors.hpp).

#include "tl/ops/memory.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Memory ordering of an atomic.
enum class sem { relaxed, acquire, release, acq_rel };
/// The threads among which an atomic is ordered: those of the device, of the program, or all.
enum class scope { gpu, cta, sys };

/// Options of the atomics. Name the members in this order.
struct atomic_options {
  tl::sem sem = tl::sem::acq_rel;
  tl::scope scope = tl::scope::gpu;
};

namespace impl {

inline std::string atomic_attributes(sem order, scope threads) {
  constexpr const char *sems[] = {"relaxed", "acquire", "release", "acq_rel"};
  constexpr const char *scopes[] = {"gpu", "cta", "sys"};
  return std::string(sems[static_cast<int>(order)]) + ", " + scopes[static_cast<int>(threads)];
}

enum class rmw { add, logic, minmax, exchange };

/// Which element types an atomic takes.
template <class T, rmw Kind> struct atomic_element {
  static constexpr bool is_supported = [] {
    using e = element<T>;
    if (Kind == rmw::add && e::is_float && e::bits == 16)
      return true;
    if (e::bits != 32 && e::bits != 64)
      return false;
    return Kind != rmw::logic || !e::is_float;
  }();
};

inline handle true_of_shape(tracer &t, const value_type &like, location where) {
  return constant(t, {element_kind::boolean, 1, 0}, with_element(like, scalar_type<bool>), where);
}

inline handle emit_rmw(tracer &t, const char *operation, handle pointer, handle value, handle mask,
                       atomic_options options, location where) {
  return t.emit("tt.atomic_rmw @, %0, %1, %2 : ($0, $1, $2) -> =", {pointer, value, mask},
                t.type_of_value(value), where,
                std::string(operation) + ", " + atomic_attributes(options.sem, options.scope),
                false);
}

/// Float minimum and maximum by two integer atomics under complementary masks: floats of one sign
/// order as their encodings do, backwards for the negative ones. The sign is the bit, so that -0 is
/// right too.
inline handle emit_float_minmax(tracer &t, bool maximum, handle pointer, handle value, handle mask,
                                atomic_options options, location where) {
  const value_type type = t.type_of_value(value);
  const bool wide = type.bits == 64;
  const value_type &integer = wide ? scalar_type<std::int64_t> : scalar_type<std::int32_t>;
  const value_type &address = wide ? scalar_type<std::int64_t *> : scalar_type<std::int32_t *>;
  const handle bits = bitcast(t, value, integer, where);
  const handle at = bitcast(t, pointer, address, where);
  const value_type bits_type = t.type_of_value(bits);
  const value_type mask_type = t.type_of_value(mask);
  const handle negative =
      t.emit("arith.cmpi slt, %0, %1 : $0", {bits, integer_constant(t, 0, bits_type, where)},
             mask_type, where);
  const handle positive = t.emit(
      "arith.xori %0, %1 : =", {negative, true_of_shape(t, mask_type, where)}, mask_type, where);
  const handle up = t.emit("arith.andi %0, %1 : =", {mask, positive}, mask_type, where);
  const handle down = t.emit("arith.andi %0, %1 : =", {mask, negative}, mask_type, where);
  const handle a = emit_rmw(t, maximum ? "max" : "min", at, bits, up, options, where);
  const handle b = emit_rmw(t, maximum ? "umin" : "umax", at, bits, down, options, where);
  return bitcast(t, select(t, positive, a, b, where), type, where);
}

/// The answers to what an atomic asks of its operands: all but the first hold without a pointer.
template <rmw Kind, class P, class V, class M> struct atomic_operands {
  using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
  using S = typename P::shape_type;
  static constexpr bool has_a_pointer = pointer_operand<P>::is_a_pointer;
  static constexpr bool is_writable = !has_a_pointer || pointer_operand<P>::is_writable;
  static constexpr bool element_is_supported =
      !has_a_pointer || atomic_element<T, Kind>::is_supported;
  static constexpr bool value_fits =
      !has_a_pointer || repetition<typename argument<V>::shape_type, S>::fits;
  static constexpr bool mask_is_bool = mask_operand<M>::is_bool;
  static constexpr bool mask_fits =
      !has_a_pointer || repetition<typename argument<M>::shape_type, S>::fits;
};

template <rmw Kind, class P, class V, class M>
auto atomic(const char *function, const char *integer, const char *is_unsigned,
            const char *floating, const P &pointer, const V &value, const M &mask,
            atomic_options options, location where) {
  using operands = atomic_operands<Kind, P, V, M>;
  using T = typename operands::T;
  using S = typename operands::S;
  if constexpr (operands::has_a_pointer && operands::element_is_supported && operands::value_fits &&
                operands::mask_fits) {
    tracer &t = active(where, function);
    t.checked(pointer.raw_handle(), where);
    const handle v = coerce(t, argument<V>::get(value), type_of<T, S>, where);
    handle m;
    if constexpr (is_present<M>)
      m = coerce(t, argument<M>::get(mask), type_of<bool, S>, where);
    else
      m = true_of_shape(t, type_of<bool, S>, where);
    if (Kind == rmw::minmax && element<T>::is_float)
      return tensor<T, S>(
          emit_float_minmax(t, integer[1] == 'a', pointer.raw_handle(), v, m, options, where));
    return tensor<T, S>(emit_rmw(t,
                                 element<T>::is_float    ? floating
                                 : element<T>::is_signed ? integer
                                                         : is_unsigned,
                                 pointer.raw_handle(), v, m, options, where));
  } else {
    return tensor<T, S>(handle{});
  }
}

} // namespace impl

// Each atomic has the forms (pointer, value), (pointer, value, mask) and one with options at the
// end.
#define TL_IMPL_ATOMIC_CALL(name, kind, integer, is_unsigned, floating, M, mask, options)          \
  {                                                                                                \
    using operands = impl::atomic_operands<impl::rmw::kind, P, V, M>;                              \
    static_assert(operands::has_a_pointer,                                                         \
                  "tl::" #name " takes a pointer or a block of pointers: base + offsets");         \
    static_assert(operands::is_writable, "tl::" #name " cannot write through a pointer to const"); \
    static_assert(operands::element_is_supported,                                                  \
                  "tl::" #name " does not take the element type: add takes float16, bfloat16 and " \
                  "32 or 64 bits, and, or and xor take 32- or 64-bit integers, the others 32 or "  \
                  "64 bits");                                                                      \
    static_assert(operands::value_fits,                                                            \
                  "the value of tl::" #name " does not broadcast to the shape of the pointers");   \
    static_assert(operands::mask_is_bool, "the mask of tl::" #name " is a bool tensor");           \
    static_assert(operands::mask_fits,                                                             \
                  "the mask of tl::" #name " does not broadcast to the shape of the pointers");    \
    return impl::atomic<impl::rmw::kind>("tl::" #name, integer, is_unsigned, floating, pointer,    \
                                         value, mask, options, where);                             \
  }
#define TL_IMPL_ATOMIC(name, kind, ...)                                                            \
  template <tensor_like P, impl::operand_like V>                                                   \
  auto name(const P &pointer, const V &value,                                                      \
            impl::location where = std::source_location::current())                                \
      TL_IMPL_ATOMIC_CALL(name, kind, __VA_ARGS__, impl::no_operand, impl::no_operand{},           \
                          atomic_options{}) template <tensor_like P, impl::operand_like V>         \
      auto name(const P &pointer, const V &value, atomic_options options,                          \
                impl::location where = std::source_location::current())                            \
          TL_IMPL_ATOMIC_CALL(                                                                     \
              name, kind, __VA_ARGS__, impl::no_operand, impl::no_operand{},                       \
              options) template <tensor_like P, impl::operand_like V, impl::operand_like M>        \
          auto name(const P &pointer, const V &value, const M &mask, atomic_options options = {},  \
                    impl::location where = std::source_location::current())                        \
              TL_IMPL_ATOMIC_CALL(name, kind, __VA_ARGS__, M, mask, options)

/// Adds to memory and returns the old value, for each element; duplicate addresses are each
/// applied. Where the mask is false nothing happens and the result is undefined. 32- and 64-bit
/// elements, float16 and bfloat16. Upstream: tl.atomic_add.
///
///     tl::atomic_add(counts + bins, 1, mask);
///     auto ticket = tl::atomic_add(counter, 1, {.sem = tl::sem::relaxed});
TL_IMPL_ATOMIC(atomic_add, add, "add", "add", "fadd")
/// Bitwise and, or, exclusive or with memory; 32- and 64-bit integers. Otherwise as atomic_add.
///
///     tl::atomic_or(counts + offsets / 32, 1 << offsets % 32);
///     tl::atomic_and(flag, ~1);
///     tl::atomic_xor(flag, 1);
TL_IMPL_ATOMIC(atomic_and, logic, "and", "and", "and")
TL_IMPL_ATOMIC(atomic_or, logic, "or", "or", "or")
TL_IMPL_ATOMIC(atomic_xor, logic, "xor", "xor", "xor")
/// Minimum and maximum with memory; 32- and 64-bit integers and floats. A NaN counts as larger than
/// infinity, with its sign bit set as smaller than -infinity. Otherwise as atomic_add.
///
///     tl::atomic_min(out, tl::min<0>(x));
///     tl::atomic_max(out + 1, tl::max<0>(x));
TL_IMPL_ATOMIC(atomic_min, minmax, "min", "umin", "min")
TL_IMPL_ATOMIC(atomic_max, minmax, "max", "umax", "max")
/// Replaces the value in memory; 32 and 64 bits. Otherwise as atomic_add.
///
///     tl::atomic_xchg(lock, 0, {.sem = tl::sem::release});
TL_IMPL_ATOMIC(atomic_xchg, exchange, "exch", "exch", "exch")
#undef TL_IMPL_ATOMIC
#undef TL_IMPL_ATOMIC_CALL

namespace impl {

template <class T> struct compared_element {
  static constexpr bool has_16_32_or_64_bits =
      element<T>::bits == 16 || element<T>::bits == 32 || element<T>::bits == 64;
};

} // namespace impl

namespace impl {

template <class P, class C, class V, class M>
auto atomic_cas(const P &pointer, const C &expected, const V &value, const M &mask,
                atomic_options options, location where) {
  static_assert(pointer_operand<P>::is_a_pointer,
                "tl::atomic_cas takes a pointer or a block of pointers");
  static_assert(pointer_operand<P>::is_writable,
                "tl::atomic_cas cannot write through a pointer to const");
  using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
  using S = typename P::shape_type;
  static_assert(compared_element<T>::has_16_32_or_64_bits,
                "tl::atomic_cas takes elements of 16, 32 or 64 bits");
  static_assert(repetition<typename argument<C>::shape_type, S>::fits &&
                    repetition<typename argument<V>::shape_type, S>::fits,
                "the values of tl::atomic_cas do not broadcast to the shape of the pointers");
  static_assert(mask_operand<M>::is_bool, "the mask of tl::atomic_cas is a bool tensor");
  static_assert(repetition<typename argument<M>::shape_type, S>::fits,
                "the mask of tl::atomic_cas does not broadcast to the shape of the pointers");
  tracer &t = active(where, "tl::atomic_cas");
  const value_type &type = type_of<T, S>;
  t.checked(pointer.raw_handle(), where);
  const handle c = coerce(t, argument<C>::get(expected), type, where);
  const handle v = coerce(t, argument<V>::get(value), type, where);
  const std::string ordering = atomic_attributes(options.sem, options.scope);
  if constexpr (is_present<M>) {
    const handle m = coerce(t, argument<M>::get(mask), type_of<bool, S>, where);
    return tensor<T, S>(t.emit("tt.atomic_cas @, %0, %1, %2, %3 : ($0, $1, $2, $3) -> =",
                               {pointer.raw_handle(), c, v, m}, type, where, ordering, false));
  } else {
    return tensor<T, S>(t.emit("tt.atomic_cas @, %0, %1, %2 : ($0, $1, $2) -> =",
                               {pointer.raw_handle(), c, v}, type, where, ordering, false));
  }
}

} // namespace impl

/// Where memory holds `expected`, replaces it by `value`; returns what memory held. Where the mask
/// is false nothing happens and the result is undefined. Elements of 16, 32 or 64 bits, compared by
/// their encodings. Upstream: tl.atomic_cas, which has no mask.
///
///     tl::while_([&] { return tl::atomic_cas(lock, 0, 1) == 1; }, [] {});
///     auto owner = tl::atomic_cas(slots + at, -1, me, at < n);
template <tensor_like P, impl::operand_like C, impl::operand_like V>
auto atomic_cas(const P &pointer, const C &expected, const V &value, atomic_options options = {},
                impl::location where = std::source_location::current()) {
  return impl::atomic_cas(pointer, expected, value, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like C, impl::operand_like V, impl::operand_like M>
auto atomic_cas(const P &pointer, const C &expected, const V &value, const M &mask,
                atomic_options options = {},
                impl::location where = std::source_location::current()) {
  return impl::atomic_cas(pointer, expected, value, mask, options, where);
}

/// Options of tl::atomic_load. Name the members in this order.
struct atomic_load_options {
  tl::sem sem = tl::sem::acquire; ///< relaxed or acquire
  tl::scope scope = tl::scope::gpu;
};
/// Options of tl::atomic_store. Name the members in this order.
struct atomic_store_options {
  tl::sem sem = tl::sem::release; ///< relaxed or release
  tl::scope scope = tl::scope::gpu;
};

namespace impl {

template <class P, class M>
auto atomic_load(const P &pointer, const M &mask, atomic_load_options options, location where) {
  static_assert(pointer_operand<P>::is_a_pointer,
                "tl::atomic_load takes a pointer or a block of pointers");
  using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
  using S = typename P::shape_type;
  static_assert(mask_operand<M>::is_bool, "the mask of tl::atomic_load is a bool tensor");
  static_assert(repetition<typename argument<M>::shape_type, S>::fits,
                "the mask of tl::atomic_load does not broadcast to the shape of the pointers");
  tracer &t = active(where, "tl::atomic_load");
  if (options.sem != sem::acquire && options.sem != sem::relaxed)
    fail(where, "tl::atomic_load is ordered as relaxed or acquire");
  t.checked(pointer.raw_handle(), where);
  handle m;
  if constexpr (is_present<M>)
    m = coerce(t, argument<M>::get(mask), type_of<bool, S>, where);
  else
    m = true_of_shape(t, type_of<bool, S>, where);
  const handle value =
      t.emit("tt.atomic_load @, %0, %1 : ($0, $1) -> =", {pointer.raw_handle(), m},
             type_of<stored<T>, S>, where, atomic_attributes(options.sem, options.scope), false);
  return tensor<T, S>(cast(t, value, scalar_type<T>, where));
}

template <class P, class V, class M>
void atomic_store(const P &pointer, const V &value, const M &mask, atomic_store_options options,
                  location where) {
  static_assert(pointer_operand<P>::is_a_pointer,
                "tl::atomic_store takes a pointer or a block of pointers");
  static_assert(pointer_operand<P>::is_writable,
                "tl::atomic_store cannot write through a pointer to const");
  using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
  using S = typename P::shape_type;
  static_assert(mask_operand<M>::is_bool, "the mask of tl::atomic_store is a bool tensor");
  static_assert(repetition<typename argument<V>::shape_type, S>::fits &&
                    repetition<typename argument<M>::shape_type, S>::fits,
                "value and mask of tl::atomic_store broadcast to the shape of the pointers");
  tracer &t = active(where, "tl::atomic_store");
  if (options.sem != sem::release && options.sem != sem::relaxed)
    fail(where, "tl::atomic_store is ordered as relaxed or release");
  t.checked(pointer.raw_handle(), where);
  const handle v = cast(t, coerce(t, argument<V>::get(value), type_of<T, S>, where),
                        scalar_type<stored<T>>, where);
  handle m;
  if constexpr (is_present<M>)
    m = coerce(t, argument<M>::get(mask), type_of<bool, S>, where);
  else
    m = true_of_shape(t, type_of<bool, S>, where);
  t.emit_effect("tt.atomic_store @, %0, %1, %2 : $0", {pointer.raw_handle(), v, m}, where,
                atomic_attributes(options.sem, options.scope));
}

} // namespace impl

/// Reads with the ordering of an atomic, acquire by default. Upstream: tl.atomic_load.
///
///     auto ready = tl::atomic_load(flag);
template <tensor_like P>
auto atomic_load(const P &pointer, atomic_load_options options = {},
                 impl::location where = std::source_location::current()) {
  return impl::atomic_load(pointer, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like M>
auto atomic_load(const P &pointer, const M &mask, atomic_load_options options = {},
                 impl::location where = std::source_location::current()) {
  return impl::atomic_load(pointer, mask, options, where);
}

/// Writes with the ordering of an atomic, release by default. Upstream: tl.atomic_store.
///
///     tl::atomic_store(flag, 1);
template <tensor_like P, impl::operand_like V>
void atomic_store(const P &pointer, const V &value, atomic_store_options options = {},
                  impl::location where = std::source_location::current()) {
  impl::atomic_store(pointer, value, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like V, impl::operand_like M>
void atomic_store(const P &pointer, const V &value, const M &mask,
                  atomic_store_options options = {},
                  impl::location where = std::source_location::current()) {
  impl::atomic_store(pointer, value, mask, options, where);
}

/// Options of tl::atomic_poll. Name the members in this order.
struct atomic_poll_options {
  tl::sem sem = tl::sem::acquire; ///< relaxed or acquire
  tl::scope scope = tl::scope::gpu;
  std::int64_t timeout_ns = 0; ///< 0: waits for ever
};

/// Waits until the integer at a pointer equals `expected`; false if the time ran out before.
/// Scalars of 16, 32 or 64 bits. Upstream: tl.atomic_poll.
///
/// A program may wait, here or in a loop of its own, for programs of lower index (counted along x
/// first, then y): they have begun. One of higher index may begin only after this one has ended, so
/// that waiting for it without a timeout may never end; tl::grid_barrier is for that.
///
///     tl::device_assert(tl::atomic_poll(flag, 1, {.timeout_ns = 1000000}), "no answer");
template <tensor_like P, impl::operand_like E>
i1 atomic_poll(const P &pointer, const E &expected, atomic_poll_options options = {},
               impl::location where = std::source_location::current()) {
  static_assert(impl::pointer_operand<P>::is_a_pointer && P::rank == 0,
                "tl::atomic_poll takes one pointer");
  using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
  static_assert(impl::compared_element<T>::has_16_32_or_64_bits && !impl::element<T>::is_float,
                "tl::atomic_poll takes integers of 16, 32 or 64 bits");
  impl::tracer &t = impl::active(where, "tl::atomic_poll");
  if (options.sem != sem::acquire && options.sem != sem::relaxed)
    impl::fail(where, "tl::atomic_poll is ordered as relaxed or acquire");
  if (options.timeout_ns < 0)
    impl::fail(where, "the timeout of tl::atomic_poll is negative");
  t.checked(pointer.raw_handle(), where);
  const impl::handle e =
      impl::coerce(t, impl::argument<E>::get(expected), impl::scalar_type<T>, where);
  std::string attributes = impl::atomic_attributes(options.sem, options.scope);
  if (options.timeout_ns == 0)
    return i1(t.emit("tt.atomic_poll @, %0, %1 : $0, $1 -> =", {pointer.raw_handle(), e},
                     impl::scalar_type<bool>, where, std::move(attributes), false));
  const impl::handle timeout =
      impl::integer_constant(t, options.timeout_ns, impl::scalar_type<std::int64_t>, where);
  return i1(t.emit(
      "tt.atomic_poll @, %0, %1 timeout %2 : $0, $1 -> =", {pointer.raw_handle(), e, timeout},
      impl::scalar_type<bool>, where, std::move(attributes), false));
}

// Names what to write instead of an atomic on a buffer or a raw pointer.
#define TL_IMPL_REFUSE(name)                                                                       \
  template <class P, class... X>                                                                   \
    requires(!tensor_like<P>)                                                                      \
  auto name(const P &, const X &...) -> tensor<typename impl::no_pointer<P>::type> {               \
    return impl::refuse_memory<P>();                                                               \
  }
TL_IMPL_REFUSE(atomic_add)
TL_IMPL_REFUSE(atomic_and)
TL_IMPL_REFUSE(atomic_or)
TL_IMPL_REFUSE(atomic_xor)
TL_IMPL_REFUSE(atomic_min)
TL_IMPL_REFUSE(atomic_max)
TL_IMPL_REFUSE(atomic_xchg)
TL_IMPL_REFUSE(atomic_cas)
TL_IMPL_REFUSE(atomic_load)
TL_IMPL_REFUSE(atomic_store)
#undef TL_IMPL_REFUSE

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
