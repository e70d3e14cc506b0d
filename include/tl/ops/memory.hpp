// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel read and write memory? Here: through pointers and blocks of pointers, with
// masks. Pointers are moved by + and - (tensor.hpp). Tensor descriptors are in descriptors.hpp,
// atomics in atomics.hpp.
//
// Order
// -----
// The memory operations of one program take effect in the order in which they are written, whatever
// pointers they use, on every device: a load sees what the same program stored before it, in any of
// its lanes, and not what it stores after. If lanes of one store share an address, one of their
// values remains, it is not said which, and every later load sees that one. What other programs
// see, and when, is for atomics to say (atomics.hpp).
//
//     tl::store(y + at, at * 3);
//     auto v = tl::load(x + (1023 - at));     // sees the 3s if x and y are one buffer
//
// On a GPU a program is many threads, so that order costs a barrier wherever another thread might
// have made the earlier access. There is none where that is excluded:
//   - the launch compares the memory of its arguments, and nothing overlaps. Of tl::buffer and
//     tl::tensor_descriptor it knows where they end;
//   - the parameter is tl::ptr<const T>, which promises that the kernel does not read through it
//     what it has written through another. Where the launch sees overlapping buffers, or equal
//     pointers, the order holds all the same; other pointers are trusted, and the interpreter
//     reports a promise that is broken;
//   - two pointers without a known end, both to memory that is written, may alias, unless the
//     kernel says tl::restrict of one of them.

#include "tl/tensor.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// Which caches an access may use; `automatic` leaves it to the device.
enum class cache { automatic, ca, cg, wb, cs, wt, cv };
/// How long a cache should keep the data.
enum class evict { normal, first, last };

/// Options of tl::load. Name the members in this order.
struct load_options {
  tl::cache cache = tl::cache::automatic; ///< automatic, ca, cg, cs or cv
  tl::evict evict = tl::evict::normal;
  bool is_volatile = false; ///< never removed, merged or moved
};

/// Options of tl::store. Name the members in this order.
struct store_options {
  tl::cache cache = tl::cache::automatic; ///< automatic, wb, cg, cs or wt
  tl::evict evict = tl::evict::normal;
};

namespace impl {

inline const char *spelling_of(cache c) {
  constexpr const char *names[] = {"", "ca", "cg", "wb", "cs", "wt", "cv"};
  return names[static_cast<int>(c)];
}
inline std::string access_attributes(cache c, evict e, bool is_volatile = false) {
  std::string text;
  if (c != cache::automatic || e != evict::normal) {
    text = "cachePolicy = #tt.cache_policy<cache_modifier = ";
    text += c == cache::automatic ? "none" : spelling_of(c);
    text += ", eviction_policy = ";
    text += e == evict::first ? "evict_first" : e == evict::last ? "evict_last" : "evict_normal";
    text += '>';
  }
  if (is_volatile)
    text += text.empty() ? "isVolatile = true" : ", isVolatile = true";
  return text.empty() ? text : " {" + text + "}";
}

/// What a memory access demands of its pointer operand: pointers, and writable ones for a store.
/// Named members, so that a failed static_assert shows the operand's type.
template <class P> struct pointer_operand {
  static constexpr bool is_a_pointer = item<typename P::element_type>::is_pointer;
  static constexpr bool is_writable =
      !std::is_const_v<std::remove_pointer_t<typename P::element_type>>;
};

/// Stands for a mask or `other` that was not given.
struct no_operand {
  using element_type = bool;
  using shape_type = shape<>;
};
template <class X> inline constexpr bool is_present = !std::same_as<X, no_operand>;
template <> struct argument<no_operand> {
  using element_type = bool;
  using shape_type = shape<>;
  static operand get(no_operand) { return {}; }
};

template <class M> struct mask_operand {
  static constexpr bool is_bool = std::same_as<typename argument<M>::element_type, bool>;
};

/// The type of an element in memory: a bool is a byte.
template <class T> using stored = std::conditional_t<std::same_as<T, bool>, std::int8_t, T>;

inline handle emit_load(tracer &t, handle pointer, const operand *mask, const operand *other,
                        const value_type &pointer_type, const value_type &result,
                        load_options options, location where) {
  if (options.cache == cache::wb || options.cache == cache::wt)
    fail(t.seen(where), std::string("tl::load has no cache modifier ") + spelling_of(options.cache),
         "use ca, cg, cs or cv");
  t.checked(pointer, where);
  const handle at = broadcast(t, pointer, pointer_type, where);
  std::string attributes = access_attributes(options.cache, options.evict, options.is_volatile);
  const bool pure = !options.is_volatile;
  if (!mask)
    return t.emit("tt.load %0@ : $0", {at}, result, where, std::move(attributes), pure);
  const handle m = coerce(t, *mask, with_element(result, scalar_type<bool>), where);
  if (!other)
    return t.emit("tt.load %0, %1@ : $0", {at, m}, result, where, std::move(attributes), pure);
  const handle filler = coerce(t, *other, result, where);
  return t.emit("tt.load %0, %1, %2@ : $0", {at, m, filler}, result, where, std::move(attributes),
                pure);
}

template <class P, class M, class O>
auto load(const P &pointer, const M &mask, const O &other, load_options options, location where) {
  if constexpr (!pointer_operand<P>::is_a_pointer) {
    static_assert(pointer_operand<P>::is_a_pointer,
                  "tl::load takes a pointer or a block of pointers: base + offsets");
    return tensor<float>(handle{});
  } else {
    using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
    using SP = typename P::shape_type;
    using SM = typename argument<M>::shape_type;
    using SO = typename argument<O>::shape_type;
    static_assert(mask_operand<M>::is_bool, "the mask of tl::load is a bool tensor");
    if constexpr (!operands<SP, SM>::broadcast_together) {
      static_assert(operands<SP, SM>::broadcast_together,
                    "the shapes of the pointer and the mask of tl::load do not broadcast together");
      return tensor<T, SP>(handle{});
    } else {
      using S = broadcast_t<SP, SM>;
      static_assert(repetition<SO, S>::fits,
                    "the third argument of tl::load does not broadcast to the shape of the access");
      tracer &t = active(where, "tl::load");
      const operand m = argument<M>::get(mask), o = argument<O>::get(other);
      const handle value = emit_load(
          t, pointer.raw_handle(), is_present<M> ? &m : nullptr, is_present<O> ? &o : nullptr,
          type_of<typename P::element_type, S>, type_of<stored<T>, S>, options, where);
      return tensor<T, S>(cast(t, value, scalar_type<T>, where));
    }
  }
}

} // namespace impl

/// Reads the elements that a block of pointers (or one pointer) points to.
///
/// Where a mask is false nothing is read, and the element is `other`, or undefined if no `other` is
/// given. Pointer, mask and other broadcast together; other is cast to the element type. The result
/// has the pointers' shape. Upstream: tl.load.
///
///     auto v = tl::load(x + offsets, offsets < n, 0.0f);
///     auto w = tl::load(x + offsets, offsets < n, 0.0f, {.cache = tl::cache::cg});
template <tensor_like P>
auto load(const P &pointer, impl::location where = std::source_location::current()) {
  return impl::load(pointer, impl::no_operand{}, impl::no_operand{}, {}, where);
}
template <tensor_like P>
auto load(const P &pointer, load_options options,
          impl::location where = std::source_location::current()) {
  return impl::load(pointer, impl::no_operand{}, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like M>
auto load(const P &pointer, const M &mask, impl::location where = std::source_location::current()) {
  return impl::load(pointer, mask, impl::no_operand{}, {}, where);
}
template <tensor_like P, impl::operand_like M>
auto load(const P &pointer, const M &mask, load_options options,
          impl::location where = std::source_location::current()) {
  return impl::load(pointer, mask, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like M, impl::operand_like O>
auto load(const P &pointer, const M &mask, const O &other,
          impl::location where = std::source_location::current()) {
  return impl::load(pointer, mask, other, {}, where);
}
template <tensor_like P, impl::operand_like M, impl::operand_like O>
auto load(const P &pointer, const M &mask, const O &other, load_options options,
          impl::location where = std::source_location::current()) {
  return impl::load(pointer, mask, other, options, where);
}

namespace impl {

/// What a memory function of the language makes of anything but tensors of pointers. A raw pointer
/// is refused as refuse_raw_pointer() in tensor.hpp says.
template <class P> struct no_pointer {
  using type = std::int32_t;
};
template <element_type T> struct no_pointer<T *> {
  using type = T;
};
template <element_type T> struct no_pointer<const T *> {
  using type = T;
};
template <class P> tensor<typename no_pointer<P>::type> refuse_memory() {
  static_assert(
      std::is_pointer_v<P>,
      "memory is a tl::ptr parameter of the kernel, or a block of pointers made of one: a "
      "tl::buffer is given to the launch");
  if constexpr (std::is_pointer_v<P>)
    fail_raw_pointer();
  return tensor<typename no_pointer<P>::type>(handle{});
}

} // namespace impl

/// Names what to write instead of a load from a buffer or a raw pointer.
template <class P, class... X>
  requires(!tensor_like<P>)
auto load(const P &, const X &...) -> tensor<typename impl::no_pointer<P>::type> {
  return impl::refuse_memory<P>();
}

namespace impl {

template <class P, class V, class M>
void store(const P &pointer, const V &value, const M &mask, store_options options, location where) {
  if constexpr (!pointer_operand<P>::is_a_pointer) {
    static_assert(pointer_operand<P>::is_a_pointer,
                  "tl::store takes a pointer or a block of pointers: base + offsets");
  } else {
    static_assert(pointer_operand<P>::is_writable,
                  "tl::store cannot write through a pointer to const");
    using T = std::remove_const_t<std::remove_pointer_t<typename P::element_type>>;
    using S = typename P::shape_type;
    using SV = typename argument<V>::shape_type;
    using SM = typename argument<M>::shape_type;
    static_assert(mask_operand<M>::is_bool, "the mask of tl::store is a bool tensor");
    static_assert(repetition<SV, S>::fits,
                  "the value of tl::store does not broadcast to the shape of the pointers");
    static_assert(repetition<SM, S>::fits,
                  "the mask of tl::store does not broadcast to the shape of the pointers");
    if constexpr (number<V>) {
      static_assert(number_for<T, V>::is_no_fraction,
                    "a float number cannot be stored as an integer; convert it in C++ first");
      static_assert(number_for<T, V>::is_true_or_false,
                    "true or false is stored as a bool; write x != 0 for a number");
    }
    if constexpr (repetition<SV, S>::fits && repetition<SM, S>::fits) {
      tracer &t = active(where, "tl::store");
      if (options.cache == cache::ca || options.cache == cache::cv)
        fail(t.seen(where),
             std::string("tl::store has no cache modifier ") + spelling_of(options.cache),
             "use wb, cg, cs or wt");
      t.checked(pointer.raw_handle(), where);
      const handle v = cast(t, coerce(t, argument<V>::get(value), type_of<T, S>, where),
                            scalar_type<stored<T>>, where);
      std::string attributes = access_attributes(options.cache, options.evict);
      if constexpr (is_present<M>) {
        const handle m = coerce(t, argument<M>::get(mask), type_of<bool, S>, where);
        t.emit_effect("tt.store %0, %1, %2@ : $0", {pointer.raw_handle(), v, m}, where,
                      std::move(attributes));
      } else {
        t.emit_effect("tt.store %0, %1@ : $0", {pointer.raw_handle(), v}, where,
                      std::move(attributes));
      }
    }
  }
}

} // namespace impl

/// Writes the elements of a block to where a block of pointers points (or a scalar to one pointer).
///
/// Where the mask is false nothing is written. The value is cast to the element type; value and
/// mask broadcast to the pointers' shape. If two elements go to one address, one of them wins.
/// Upstream: tl.store.
///
///     tl::store(out + offsets, x + y, offsets < n);
///     tl::store(out + offsets, x, offsets < n, {.evict = tl::evict::first});
template <tensor_like P, impl::operand_like V>
void store(const P &pointer, const V &value,
           impl::location where = std::source_location::current()) {
  impl::store(pointer, value, impl::no_operand{}, {}, where);
}
template <tensor_like P, impl::operand_like V>
void store(const P &pointer, const V &value, store_options options,
           impl::location where = std::source_location::current()) {
  impl::store(pointer, value, impl::no_operand{}, options, where);
}
template <tensor_like P, impl::operand_like V, impl::operand_like M>
void store(const P &pointer, const V &value, const M &mask,
           impl::location where = std::source_location::current()) {
  impl::store(pointer, value, mask, {}, where);
}
template <tensor_like P, impl::operand_like V, impl::operand_like M>
void store(const P &pointer, const V &value, const M &mask, store_options options,
           impl::location where = std::source_location::current()) {
  impl::store(pointer, value, mask, options, where);
}

namespace impl {
/// Gives the parameter that `pointer` is the attribute of tl::restrict. Throws tl::compile_error if
/// it is no parameter.
inline void note_restrict(handle pointer, location where) {
  tracer &t = active(where, "tl::restrict");
  index value = t.program.resolve(t.checked(pointer, where));
  // Within a loop a variable holds an argument of it: what it held before counts.
  for (std::size_t i = t.frames.size(); i-- > 0;)
    for (const candidate &c : t.frames[i].candidates)
      if (c.argument == value && c.entry != none) {
        value = t.program.resolve(c.entry);
        break;
      }
  value_info &info = t.program.values[value];
  if (info.region != 0 || info.operation != none)
    fail(t.seen(where), "tl::restrict takes a pointer parameter of the kernel, this pointer is "
                        "computed from one");
  info.is_restrict = true;
}
} // namespace impl

/// Promises that what the launch reads or writes through a pointer parameter is not reached through
/// another parameter. Needed only for device pointers of which the launch cannot know where their
/// memory ends; see above. Returns the pointer. A promise that does not hold makes results
/// undefined; the interpreter reports it. Throws tl::compile_error for a pointer that is no
/// parameter.
///
///     tl::kernel{[](tl::ptr<float> mean, tl::ptr<float> out) {
///       tl::restrict(mean);
///       …
///     }};
template <class T>
ptr<T> restrict(const ptr<T> &pointer, impl::location where = std::source_location::current()) {
  impl::note_restrict(pointer.raw_handle(), where);
  return pointer;
}

/// Names what to write instead of a store to a buffer or a raw pointer.
template <class P, class... X>
  requires(!tensor_like<P>)
void store(const P &, const X &...) {
  impl::refuse_memory<P>();
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
