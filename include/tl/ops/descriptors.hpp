// SPDX-License-Identifier: MIT
#pragma once
// How does a kernel access a tensor by blocks and coordinates? With a tl::descriptor: it knows
// base, extents and strides, so that accesses need no pointers and no masks. Part of the memory
// group. A host makes descriptors for kernel parameters with tl::tensor_descriptor
// (tl/descriptor.hpp).

#include "tl/descriptor.hpp"
#include "tl/impl/parameter.hpp"
#include "tl/ops/memory.hpp"

#include <initializer_list>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

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

/// The operation that made a descriptor; null if that is no longer known, as of one that tl::if_
/// returns.
inline const operation *maker_of(handle descriptor) {
  const tracer *t = current_tracer();
  if (!t || descriptor.empty())
    return nullptr;
  const index made = t->program.values[t->program.resolve(descriptor.value)].operation;
  const operation *op = made == none ? nullptr : &t->program.operations[made];
  return op && std::string_view(op->attributes).starts_with("tt.make_tensor_descriptor") ? op
                                                                                         : nullptr;
}

/// What a descriptor was made of: base, extents, strides.
inline handle part_of(handle descriptor, std::size_t part) {
  const operation *op = maker_of(descriptor);
  return op ? current_tracer()->make_handle(op->operands[part]) : handle{};
}

/// Floats rounded to TF32, to nearest, ties away from zero; infinities and NaN stay.
inline handle round_to_tf32(tracer &t, handle value, location where) {
  const value_type type = t.type_of_value(value);
  const value_type word = with_element(type, scalar_type<std::int32_t>);
  const value_type flag = with_element(type, scalar_type<bool>);
  const auto op = [&](const char *format, handle a, std::int64_t b, const value_type &result) {
    return t.emit(format, {a, integer_constant(t, b, word, where)}, result, where);
  };
  const handle bits = bitcast(t, value, scalar_type<std::int32_t>, where);
  const handle up = op("arith.addi %0, %1 : =", bits, 0x1000, word);
  const handle cut = op("arith.andi %0, %1 : =", up, -0x2000, word);
  const handle exponent = op("arith.andi %0, %1 : =", bits, 0x7F800000, word);
  const handle is_number = op("arith.cmpi ne, %0, %1 : $0", exponent, 0x7F800000, flag);
  return select(t, is_number, bitcast(t, cut, scalar_type<float>, where), value, where);
}

} // namespace impl

/// x rounded to TF32, the 10 bits of mantissa that matrix units keep of a float, to nearest, ties
/// away from zero. Infinities and NaN stay. Upstream: round_f32_to_tf32 of a host's tensor
/// descriptor.
///
///     auto y = tl::round_to_tf32(x);
template <tensor_like X>
auto round_to_tf32(const X &x, impl::location where = std::source_location::current()) {
  static_assert(std::same_as<typename X::element_type, float>, "tl::round_to_tf32 takes float");
  impl::tracer &t = impl::active(where, "tl::round_to_tf32");
  t.checked(x.raw_handle(), where);
  return expression<float, typename X::shape_type>(impl::round_to_tf32(t, x.raw_handle(), where));
}

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
  using block_shape = tl::shape<Block...>;
  using block_type = tensor<T, block_shape>;
  static constexpr int rank = sizeof...(Block);
  static constexpr impl::value_type descriptor_type =
      impl::make_descriptor_type<T>(rank, block_shape::extents);
  static_assert(impl::check_element_type<T>());
  static_assert(impl::descriptor_block<T, Block...>::has_one_to_five_axes,
                "a tl::descriptor has one to five axes");
  static_assert(impl::block<block_shape>::extents_are_at_least_1,
                "every extent of a tl::descriptor's block is at least 1");
  static_assert(impl::descriptor_block<T, Block...>::spans_at_least_16_bytes,
                "the last axis of a tl::descriptor's block spans at least 16 bytes");

  /// Without a value yet: assign one before use, for instance in both branches of tl::if_.
  descriptor() = default;
  /// For the functions of tl.
  explicit descriptor(impl::handle value)
      : descriptor(value, std::make_index_sequence<2 * rank + 1>{}) {}
  descriptor(const descriptor &) = default;
  descriptor &operator=(const descriptor &other) {
    if (was_assigned_ && rounds_reads_ != other.rounds_reads_)
      impl::fail({}, "a descriptor whose reads are rounded to TF32 and one whose reads are not "
                     "cannot be assigned to each other");
    pads_alike_ = other.pads_alike_ && (!was_assigned_ || pads_with_nan_ == other.pads_with_nan_);
    was_assigned_ = true; // also where a branch has made it forget its value
    rounds_reads_ = other.rounds_reads_;
    pads_with_nan_ = other.pads_with_nan_;
    value_ = other.value_;
    impl::tracer &t = impl::active({}, "assignment to a descriptor");
    for (int part = 0; part < 2 * rank + 1; ++part)
      if (t.value_of(other.parts_[part]) == impl::none)
        t.set(parts_[part], impl::none);
      else
        parts_[part] = other.parts_[part];
    return *this;
  }

  /// How many elements the tensor has along an axis. Upstream: desc.shape.
  i32 shape(int axis, impl::location where = std::source_location::current()) const {
    return i32(part(1 + checked_axis(axis, where), where));
  }
  /// From an element to the next along an axis, in elements. Upstream: desc.strides.
  i64 stride(int axis, impl::location where = std::source_location::current()) const {
    return i64(part(1 + rank + checked_axis(axis, where), where));
  }

  /// The part of the tensor that begins at `first` along an axis and is `count` long, or shorter
  /// where the tensor ends, and without elements where it begins beyond or `count` is negative:
  /// reads past the part give the padding, writes are dropped. For rows of sequences that lie one
  /// after another in one tensor. Upstream: triton.tools.ragged_tma.
  ///
  ///     auto rows = a.slice(row, n);                       // n rows from there on
  ///     auto tile = rows.load({0, k});
  template <int Axis = 0>
  descriptor slice(impl::index_operand first, impl::index_operand count,
                   impl::location where = std::source_location::current()) const {
    using axis = impl::axis_of<block_shape, Axis>;
    static_assert(axis::is_in_range, "the axis of descriptor.slice is not one of the tensor's");
    impl::tracer &t = impl::active(where, "descriptor.slice");
    if (!pads_alike_)
      impl::fail(where, "a descriptor that may pad with zeros or with NaN has no slices");
    impl::sequence<impl::handle> parts;
    for (int i = 0; i < 2 * rank + 1; ++i)
      parts.push_back(part(i, where));
    const impl::value_type &narrow = impl::scalar_type<std::int32_t>;
    const impl::value_type &wide = impl::scalar_type<std::int64_t>;
    impl::sequence<impl::handle> ends;
    impl::append_indices(t, ends, {first, count}, narrow, "coordinates", where);
    const impl::handle distance =
        impl::binary(t, impl::binary_kind::mul, {.value = ends[0]},
                     {.value = parts[1 + rank + axis::safe]}, wide, wide, where);
    const impl::handle rest =
        impl::binary(t, impl::binary_kind::sub, {.value = parts[1 + axis::safe]},
                     {.value = ends[0]}, narrow, narrow, where);
    parts[0] = impl::add_to_pointer(t, {.value = parts[0]}, {.value = distance}, false,
                                    t.type_of_value(parts[0]), where);
    const impl::handle extent = impl::binary(t, impl::binary_kind::minimum, {.value = rest},
                                             {.value = ends[1]}, narrow, narrow, where);
    const impl::handle none = impl::integer_constant(t, 0, narrow, where);
    parts[1 + axis::safe] = impl::binary(t, impl::binary_kind::maximum, {.value = extent},
                                         {.value = none}, narrow, narrow, where);
    return descriptor(
        impl::make_descriptor(t, parts, descriptor_type, pads_with_nan_, rounds_reads_, where));
  }

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
    const impl::handle value = emit(
        t, impl::indexed("tt.descriptor_load %0[", rank, ("]" + access + " : $0 -> =").c_str()),
        operands, impl::type_of<impl::stored<T>, block_shape>, where);
    return block_type(rounded(t, value, where));
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
    using R = tl::shape<X::shape_type::extents[0], block_shape::extents[rank - 1]>;
    impl::tracer &t = impl::active(where, "descriptor.gather");
    impl::sequence<impl::handle> operands{held(t, value_, where), rows.raw_handle()};
    impl::append_indices(t, operands, {y}, impl::scalar_type<std::int32_t>, "coordinates", where);
    const impl::handle value =
        emit(t, "tt.descriptor_gather %0[%1, %2] : ($0, $1, $2) -> =", operands,
             impl::type_of<T, R>, where);
    return tensor<T, R>(rounded(t, value, where));
  }

  /// Writes rows to the places that gather would read them from. Upstream: desc.scatter.
  template <tensor_like V, tensor_like X>
  void scatter(const V &value, const X &rows, impl::index_operand y,
               impl::location where = std::source_location::current()) const {
    check_rows<X>();
    using R = tl::shape<X::shape_type::extents[0], block_shape::extents[rank - 1]>;
    static_assert(std::same_as<typename V::shape_type, R>,
                  "descriptor.scatter takes a row of the block's width for each row number");
    impl::tracer &t = impl::active(where, "descriptor.scatter");
    impl::sequence<impl::handle> operands{held(t, value_, where), rows.raw_handle()};
    impl::append_indices(t, operands, {y}, impl::scalar_type<std::int32_t>, "coordinates", where);
    operands.push_back(impl::coerce(t, {.value = value.raw_handle()}, impl::type_of<T, R>, where));
    t.append("tt.descriptor_scatter %0[%1, %2], %3 : $0, $1, $2, $3", operands.data(),
             operands.size(), where, {}, false);
  }

  impl::handle raw_handle() const { return value_.raw_handle(); }

private:
  template <std::size_t... I>
  descriptor(impl::handle value, std::index_sequence<I...>)
      : value_(value), parts_{impl::variable(impl::part_of(value, I))...} {
    was_assigned_ = !value.empty();
    if (const impl::operation *op = impl::maker_of(value)) {
      const impl::tracer &t = *impl::current_tracer();
      rounds_reads_ = t.program.values[t.program.resolve(value.value)].rounds_reads;
      pads_with_nan_ = op->attributes.find("padding") != std::string::npos;
    }
  }
  static int checked_axis(int axis, impl::location where) {
    const int from_front = impl::normalized_axis(axis, rank);
    if (from_front < 0 || from_front >= rank)
      impl::fail(where, "axis " + std::to_string(axis) + " is not one of a descriptor of " +
                            std::to_string(rank) + " axes");
    return from_front;
  }
  impl::handle part(int number, impl::location where) const {
    impl::tracer &t = impl::active(where, "a descriptor");
    const impl::handle value = held(t, parts_[number], where);
    t.checked(value, where);
    return value;
  }
  /// What a variable of a descriptor holds. Throws tl::compile_error if it was given nothing yet.
  static impl::handle held(impl::tracer &t, const impl::variable &variable, impl::location where) {
    const impl::handle value = variable.raw_handle();
    if (value.empty())
      impl::fail(t.seen(where), "the descriptor is used before it has a value",
                 "initialise it, or assign to it in both branches of tl::if_");
    return value;
  }
  impl::handle rounded(impl::tracer &t, impl::handle value, impl::location where) const {
    return rounds_reads_ ? impl::round_to_tf32(t, value, where) : value;
  }
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
    impl::sequence<impl::handle> operands{held(t, value_, where)};
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
  impl::variable parts_[2 * rank + 1]; // base, extents, strides: they go where it goes
  bool was_assigned_ = false, rounds_reads_ = false, pads_with_nan_ = false;
  bool pads_alike_ = true; // whatever was assigned to it
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
  if (options.round_f32_to_tf32 && !std::same_as<E, float>)
    impl::fail(where, "only a descriptor of float is read as TF32");
  return D(impl::make_descriptor(t, parts, D::descriptor_type, options.padding == padding::nan,
                                 options.round_f32_to_tf32, where));
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
