// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel access a tensor by blocks and coordinates? With a tl::descriptor: it knows
// base, extents and strides, so that accesses need no pointers and no masks. Part of the memory
// group. A host makes descriptors for kernel parameters with tl::tensor_descriptor
// (tl/descriptor.hpp).

#include "tl/impl/parameter.hpp"
#include "tl/ops/memory.hpp"

#include <initializer_list>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

/// What is read out of the bounds of a descriptor; nan for floats only.
enum class padding { zero, nan };

/// Options of make_tensor_descriptor.
struct descriptor_options {
  tl::padding padding = tl::padding::zero;
};

namespace impl {

/// An extent, stride or coordinate: a scalar integer tensor or a number.
struct index_operand {
  operand value;
  template <std::integral I> index_operand(I i) : value(argument<I>::get(i)) {}
  template <class T> index_operand(const tensor<T> &x) : value{.value = x.raw_handle()} {
    static_assert(!std::is_pointer_v<T> && !element<typename item<T>::element_t>::is_float,
                  "extents, strides and coordinates of a descriptor are integers");
  }
};

template <class T, int... Block> struct descriptor_block {
  static constexpr bool has_one_to_five_axes = sizeof...(Block) >= 1 && sizeof...(Block) <= 5;
  static constexpr bool spans_at_least_16_bytes = [] {
    int last = 0;
    ((last = Block), ...);
    return last * static_cast<int>(sizeof(T)) >= 16;
  }();
};

/// The scalars of a list; 64-bit coordinates are refused, narrower ones are widened.
inline void append_indices(tracer &t, sequence<handle> &to,
                           std::initializer_list<index_operand> list, const value_type &type,
                           const char *what, location where) {
  for (const index_operand &i : list) {
    if (!i.value.is_literal && t.type_of_value(i.value.value).bits > type.bits)
      fail(where, std::string(what) + " of a descriptor are 32-bit integers", "tl::cast them");
    to.push_back(coerce(t, i.value, type, where));
  }
}

inline std::string indexed(const char *head, int rank, const char *tail) {
  std::string text = head;
  for (int i = 0; i < rank; ++i) {
    text += i ? ", %" : "%";
    text += static_cast<char>('1' + i);
  }
  return text + tail;
}

template <class T> constexpr value_type make_descriptor_type(int rank, const int *extents) {
  value_type type = type_of<T, shape<>>;
  type.element = in_memory(type.element);
  type.form = value_form::descriptor;
  type.rank = rank;
  type.extents = extents;
  return type;
}

} // namespace impl

/// A view of a tensor in memory that is read and written in blocks of the extents Block. A kernel
/// parameter, or made in the kernel by make_tensor_descriptor. Coordinates are int32 scalars and
/// count elements. Reads out of bounds give the padding, writes out of bounds are dropped.
///
/// A descriptor is a variable as a tl::tensor is: a copy is a snapshot, and what is assigned to it
/// in tl::if_, tl::while_ and loops over tl::range is carried on. It may be returned by tl::if_.
///
///     tl::descriptor<tl::float16, 64, 32> a,             // in the parameter list
///     auto tile = a.load({row, k});
///     out.store({row, 0}, tile * 2.0f);
template <class T, int... Block> class descriptor {
public:
  using element_type = T;
  using block_shape = shape<Block...>;
  using block_type = tensor<T, block_shape>;
  static constexpr int rank = sizeof...(Block);
  static constexpr impl::value_type descriptor_type =
      impl::make_descriptor_type<T>(rank, block_shape::extents);
  static_assert(impl::check_element_type<T>());
  static_assert(impl::descriptor_block<T, Block...>::has_one_to_five_axes,
                "a tl::descriptor has one to five axes");
  static_assert(impl::block<block_shape>::extents_are_powers_of_two,
                "the extents of a tl::descriptor's block are powers of two");
  static_assert(impl::descriptor_block<T, Block...>::spans_at_least_16_bytes,
                "the last axis of a tl::descriptor's block spans at least 16 bytes");

  /// Without a value yet: assign one before use, for instance in both branches of tl::if_.
  descriptor() = default;
  /// For the functions of tl.
  explicit descriptor(impl::handle value) : value_(value) {}

  /// The block at the coordinates. Upstream: desc.load.
  block_type load(std::initializer_list<impl::index_operand> at, load_options options = {},
                  impl::location where = std::source_location::current()) const {
    impl::tracer &t = impl::active(where, "descriptor.load");
    if (options.is_volatile)
      impl::fail(where, "a descriptor has no volatile loads");
    const auto operands = with_indices(t, at, where);
    std::string access = impl::access_attributes(options.cache, options.evict);
    for (char &c : access)
      c = c == '=' ? '~' : c; // it becomes a part of a format
    return block_type(emit(
        t, impl::indexed("tt.descriptor_load %0[", rank, ("]" + access + " : $0 -> =").c_str()),
        operands, impl::type_of<impl::stored<T>, block_shape>, where));
  }

  /// Writes a block, cast to T, at the coordinates. Upstream: desc.store.
  template <impl::operand_like V>
  void store(std::initializer_list<impl::index_operand> at, const V &value,
             impl::location where = std::source_location::current()) const {
    put("tt.descriptor_store %0[", at, value, where);
  }

  /// Combines a block with memory, element by element, without ordering. Upstream: desc.atomic_add
  /// and so on.
  template <impl::operand_like V>
  void atomic_add(std::initializer_list<impl::index_operand> at, const V &value,
                  impl::location where = std::source_location::current()) const {
    static_assert(
        !std::same_as<T, double> && sizeof(T) >= 2,
        "descriptor.atomic_add takes 32- and 64-bit integers, float, float16 and bfloat16");
    put("tt.descriptor_reduce add, %0[", at, value, where);
  }
  template <impl::operand_like V>
  void atomic_min(std::initializer_list<impl::index_operand> at, const V &value,
                  impl::location where = std::source_location::current()) const {
    put("tt.descriptor_reduce min, %0[", at, value, where);
  }
  template <impl::operand_like V>
  void atomic_max(std::initializer_list<impl::index_operand> at, const V &value,
                  impl::location where = std::source_location::current()) const {
    put("tt.descriptor_reduce max, %0[", at, value, where);
  }
  template <impl::operand_like V>
  void atomic_and(std::initializer_list<impl::index_operand> at, const V &value,
                  impl::location where = std::source_location::current()) const {
    check_logic();
    put("tt.descriptor_reduce and, %0[", at, value, where);
  }
  template <impl::operand_like V>
  void atomic_or(std::initializer_list<impl::index_operand> at, const V &value,
                 impl::location where = std::source_location::current()) const {
    check_logic();
    put("tt.descriptor_reduce or, %0[", at, value, where);
  }
  template <impl::operand_like V>
  void atomic_xor(std::initializer_list<impl::index_operand> at, const V &value,
                  impl::location where = std::source_location::current()) const {
    check_logic();
    put("tt.descriptor_reduce xor, %0[", at, value, where);
  }

  /// Rows picked by a block of row numbers, all beginning at column y. The descriptor's block is
  /// one row, and there are at least 8 row numbers, int16 or int32. Upstream: desc.gather.
  template <tensor_like X>
  auto gather(const X &rows, impl::index_operand y,
              impl::location where = std::source_location::current()) const {
    check_rows<X>();
    using R = shape<X::shape_type::extents[0], block_shape::extents[rank - 1]>;
    impl::tracer &t = impl::active(where, "descriptor.gather");
    impl::sequence<impl::handle> operands{raw_handle(), rows.raw_handle()};
    impl::append_indices(t, operands, {y}, impl::scalar_type<std::int32_t>, "coordinates", where);
    return tensor<T, R>(emit(t, "tt.descriptor_gather %0[%1, %2] : ($0, $1, $2) -> =", operands,
                             impl::type_of<T, R>, where));
  }

  /// Writes rows to the places that gather would read them from. Upstream: desc.scatter.
  template <tensor_like V, tensor_like X>
  void scatter(const V &value, const X &rows, impl::index_operand y,
               impl::location where = std::source_location::current()) const {
    check_rows<X>();
    using R = shape<X::shape_type::extents[0], block_shape::extents[rank - 1]>;
    static_assert(std::same_as<typename V::shape_type, R>,
                  "descriptor.scatter takes a row of the block's width for each row number");
    impl::tracer &t = impl::active(where, "descriptor.scatter");
    impl::sequence<impl::handle> operands{raw_handle(), rows.raw_handle()};
    impl::append_indices(t, operands, {y}, impl::scalar_type<std::int32_t>, "coordinates", where);
    operands.push_back(impl::coerce(t, {.value = value.raw_handle()}, impl::type_of<T, R>, where));
    t.append("tt.descriptor_scatter %0[%1, %2], %3 : $0, $1, $2, $3", operands.data(),
             operands.size(), where, {}, false);
  }

  impl::handle raw_handle() const { return value_.raw_handle(); }

private:
  static void check_logic() {
    static_assert(!impl::element<T>::is_float,
                  "atomic_and, atomic_or and atomic_xor of a descriptor take integers");
  }
  template <class X> static constexpr void check_rows() {
    static_assert(rank == 2 && block_shape::extents[0] == 1,
                  "gather and scatter need a descriptor whose block is one row: <T, 1, columns>");
    static_assert(X::rank == 1 && (std::same_as<typename X::element_type, std::int16_t> ||
                                   std::same_as<typename X::element_type, std::int32_t>),
                  "the row numbers of gather and scatter are a block of int16 or int32");
    static_assert(sizeof(T) <= 4, "gather and scatter of a descriptor move elements of at most 32 "
                                  "bits; tl::load and tl::store move any");
    static_assert(sizeof(T) > 4 || block_shape::extents[rank - 1] * int(sizeof(T)) >= 32,
                  "gather and scatter of a descriptor move rows of at least 32 bytes");
    static_assert(X::size >= 8, "gather and scatter take at least 8 row numbers");
  }
  impl::sequence<impl::handle> with_indices(impl::tracer &t,
                                            std::initializer_list<impl::index_operand> at,
                                            impl::location where) const {
    if (at.size() != static_cast<std::size_t>(rank))
      impl::fail(where, "a descriptor of " + std::to_string(rank) +
                            " axes takes as many coordinates, not " + std::to_string(at.size()));
    impl::sequence<impl::handle> operands{raw_handle()};
    impl::append_indices(t, operands, at, impl::scalar_type<std::int32_t>, "coordinates", where);
    return operands;
  }
  static impl::handle emit(impl::tracer &t, std::string format,
                           const impl::sequence<impl::handle> &operands,
                           const impl::value_type &type, impl::location where) {
    const impl::index op =
        t.append("@@", operands.data(), operands.size(), where, std::move(format), true);
    return t.add_result(op, type);
  }
  template <class V>
  void put(const char *head, std::initializer_list<impl::index_operand> at, const V &value,
           impl::location where) const {
    using SV = typename impl::argument<V>::shape_type;
    static_assert(std::same_as<SV, block_shape> || impl::number<V>,
                  "a descriptor is written in blocks of its own shape");
    impl::tracer &t = impl::active(where, "descriptor.store");
    auto operands = with_indices(t, at, where);
    operands.push_back(impl::coerce(t, impl::argument<V>::get(value),
                                    impl::type_of<impl::stored<T>, block_shape>, where));
    std::string format = impl::indexed(head, rank, "], %");
    const char last = static_cast<char>('1' + rank);
    format = format + last + " : $0, $" + last;
    t.append("@@", operands.data(), operands.size(), where, std::move(format), false);
  }

  impl::variable value_;
};

namespace impl {
template <class T, int... Block>
struct parameter<descriptor<T, Block...>> : descriptor_parameter<T, Block...> {};
} // namespace impl

/// Describes a tensor in memory, to be accessed in blocks of the extents Block.
///
/// `extents` are int32, `strides` int64 scalars in elements, outermost first; the last stride is
/// the number 1. The other strides are not negative. Where base, strides, columns and the end of
/// what is written are known to be multiples of 16 bytes, hardware that copies boxes may be used.
/// Throws tl::compile_error for a wrong number of extents or strides or a last stride other than 1.
/// Upstream: tl.make_tensor_descriptor.
///
///     auto a = tl::make_tensor_descriptor<64, 32>(base, {M, K}, {K, 1});
///     auto tile = a.load({row, k});
template <int... Block, class T>
auto make_tensor_descriptor(const tensor<T> &base,
                            std::initializer_list<impl::index_operand> extents,
                            std::initializer_list<impl::index_operand> strides,
                            descriptor_options options = {},
                            impl::location where = std::source_location::current()) {
  static_assert(std::is_pointer_v<T>, "tl::make_tensor_descriptor takes a pointer to the tensor");
  using E = std::remove_const_t<std::remove_pointer_t<T>>;
  using D = descriptor<E, Block...>;
  impl::tracer &t = impl::active(where, "tl::make_tensor_descriptor");
  if (extents.size() != sizeof...(Block) || strides.size() != sizeof...(Block))
    impl::fail(where, "tl::make_tensor_descriptor of " + std::to_string(sizeof...(Block)) +
                          " axes got " + std::to_string(extents.size()) + " extents and " +
                          std::to_string(strides.size()) + " strides");
  const impl::operand &last = (strides.end() - 1)->value;
  if (!last.is_literal || last.number.integer != 1)
    impl::fail(where, "the last stride of tl::make_tensor_descriptor is the number 1");
  if (options.padding == padding::nan && !impl::element<E>::is_float)
    impl::fail(where, "a descriptor of integers has no NaN to pad with");
  impl::sequence<impl::handle> parts{base.raw_handle()};
  impl::append_indices(t, parts, extents, impl::scalar_type<std::int32_t>, "extents", where);
  impl::append_indices(t, parts, strides, impl::scalar_type<std::int64_t>, "strides", where);
  return D(impl::make_descriptor(t, parts, D::descriptor_type,
                                 options.padding == padding::nan ? " {padding ~ 2 : i32}" : "",
                                 where));
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
