// SPDX-License-Identifier: MIT
#pragma once
// What is a tensor in a kernel, and what can be done with operators? tl::tensor is a variable that
// holds a value yet to be computed; tl::expression is what operators return. The functions on them
// are in ops/, one file a group; how tracing works is explained in impl/tracer.hpp.

#include "tl/impl/overflow.hpp"
#include "tl/impl/promotion.hpp"
#include "tl/impl/unoptimized.hpp"

#include <bit>
#include <iosfwd>
#include <source_location>

namespace tl {

template <class T, class S = shape<>> class tensor;
template <class T, class S = shape<>> class expression;

/// A pointer to elements of T in device memory; a kernel parameter. `ptr<const T>` cannot be stored
/// through. Adding integers moves it by elements and gives blocks of pointers:
///
/// Offsets are computed in their own type: an int32 product above 2^31 wraps. Make it 64 bits wide,
/// `tl::cast<std::int64_t>(row) * stride`, where a buffer can be larger than that. Neighbours of
/// one access, offsets that grow by 1, may not wrap, even where a mask leaves out one side: the
/// `cpu` device takes them for neighbours in memory.
///
///     tl::ptr<const float> x;                         // in the parameter list
///     auto pointers = x + row * stride + tl::arange<64>();   // tensor<const float *, shape<64>>
template <class T> using ptr = tensor<T *>;

// Scalars, the names for parameter lists.
using i1 = tensor<bool>;
using i8 = tensor<std::int8_t>;
using i16 = tensor<std::int16_t>;
using i32 = tensor<std::int32_t>;
using i64 = tensor<std::int64_t>;
using u8 = tensor<std::uint8_t>;
using u16 = tensor<std::uint16_t>;
using u32 = tensor<std::uint32_t>;
using u64 = tensor<std::uint64_t>;
using f16 = tensor<float16>;
using bf16 = tensor<bfloat16>;
using f32 = tensor<float>;
using f64 = tensor<double>;

// As encodings, which they are under -ffinite-math-only, too.
inline constexpr float inf = std::bit_cast<float>(0x7F800000u);
inline constexpr float nan = std::bit_cast<float>(0x7FC00000u);

/// Stands for an axis in x(tl::all, tl::newaxis).
struct all_t {};
/// Stands for a new axis of extent 1.
struct newaxis_t {};
inline constexpr all_t all;
inline constexpr newaxis_t newaxis;

/// Any tensor or expression.
template <class X>
concept tensor_like = std::derived_from<X, impl::variable> && requires {
  typename X::element_type;
  typename X::shape_type;
};

namespace impl {

/// An operand together with its source location. Conversion to it is what captures the
/// location of an operator.
template <class T, class S> struct located {
  using element_type = T;
  using shape_type = S;
  const variable *of;
  location where;
  TL_IMPL_INLINE located(const tensor<T, S> &x, impl::location at = std::source_location::current())
      : of(&x), where(at) {}
  handle raw_handle() const { return of->raw_handle(); }
};

/// A number together with its source location.
struct located_number {
  literal value;
  location where;
  template <number A>
  TL_IMPL_INLINE located_number(const A &number,
                                impl::location at = std::source_location::current())
      : value(to_literal(number)), where(at) {}
};

/// How an argument of an operator or function takes part in it.
template <class X> struct argument {
  using element_type = typename X::element_type;
  using shape_type = typename X::shape_type;
  static constexpr bool is_number = false;
  static operand get(const X &x) { return {.value = x.raw_handle()}; }
};
template <number A> struct argument<A> {
  using element_type = number_element<A>;
  using shape_type = shape<>;
  static constexpr bool is_number = true;
  static operand get(const A &x) { return {.number = to_literal(x), .is_literal = true}; }
};

template <class X>
concept operand_like = number<X> || tensor_like<X>;

template <class A, class B, bool Divides> constexpr auto computation_of() {
  using a = argument<A>;
  using b = argument<B>;
  using x = typename a::element_type;
  using y = typename b::element_type;
  if constexpr (a::is_number && !b::is_number)
    return typename computation_with_number<y, A, Divides>::type{};
  else if constexpr (b::is_number && !a::is_number)
    return typename computation_with_number<x, B, Divides>::type{};
  else
    return typename computation<x, y, Divides>::type{};
}

/// The element type of an operator, and the shape.
template <class A, class B, bool Divides = false>
using computed_element = decltype(computation_of<A, B, Divides>());
template <class A, class B>
using computed_shape =
    broadcast_t<typename argument<A>::shape_type, typename argument<B>::shape_type>;

constexpr bool is_comparison(binary_kind kind) {
  return kind >= binary_kind::lt && kind <= binary_kind::ne;
}
constexpr bool is_bitwise(binary_kind kind) {
  return kind >= binary_kind::bit_and && kind <= binary_kind::shr;
}
constexpr bool is_division(binary_kind kind) {
  return kind == binary_kind::div || kind == binary_kind::rem;
}

constexpr bool is_equality(binary_kind kind) {
  return kind == binary_kind::eq || kind == binary_kind::ne;
}

/// What a comparison demands: bools are equal or not, and have no order. So a <= x < b, which would
/// compare the truth of a <= x with b, does not compile.
template <binary_kind K, class A, class B> struct compared {
  static constexpr bool left = std::same_as<typename argument<A>::element_type, bool>;
  static constexpr bool right = std::same_as<typename argument<B>::element_type, bool>;
  static constexpr bool numbers_or_bools =
      !is_comparison(K) || (is_equality(K) ? left == right : !left && !right);
};

TL_IMPL_UNOPTIMIZED_BEGIN

template <class T, class S> expression<T, S> make_expression(handle value) {
  return expression<T, S>(value);
}

/// pointer ± integer.
template <bool Negate, class P, class I>
auto move_pointer(const P &pointer, const I &offset, location where) {
  using T = typename argument<P>::element_type;
  using O = typename argument<I>::element_type;
  using SP = typename argument<P>::shape_type;
  using SO = typename argument<I>::shape_type;
  if constexpr (item<O>::is_pointer) {
    static_assert(!item<O>::is_pointer, "two pointers cannot be added or subtracted; a pointer "
                                        "takes an integer offset, counted in elements");
    return make_expression<T, SP>({});
  } else if constexpr (element<O>::is_float) {
    static_assert(!element<O>::is_float,
                  "a pointer takes an integer offset, counted in elements, not a float");
    return make_expression<T, SP>({});
  } else if constexpr (!operands<SP, SO>::broadcast_together) {
    static_assert(operands<SP, SO>::broadcast_together,
                  "the shapes of a pointer and its offset do not broadcast together: extents must "
                  "be equal or 1");
    return make_expression<T, SP>({});
  } else {
    using S = broadcast_t<SP, SO>;
    return make_expression<T, S>(add_to_pointer(active(where, "a tensor"),
                                                argument<P>::get(pointer), argument<I>::get(offset),
                                                Negate, type_of<T, S>, where));
  }
}

/// An operator on two operands, of which at least one is a tensor.
template <binary_kind K, class A, class B>
auto binary_expression(const A &a, const B &b, location where) {
  using TA = typename argument<A>::element_type;
  using TB = typename argument<B>::element_type;
  using SA = typename argument<A>::shape_type;
  using SB = typename argument<B>::shape_type;
  if constexpr (item<TA>::is_pointer || item<TB>::is_pointer) {
    if constexpr (K == binary_kind::add && item<TA>::is_pointer)
      return move_pointer<false>(a, b, where);
    else if constexpr (K == binary_kind::add)
      return move_pointer<false>(b, a, where);
    else if constexpr (K == binary_kind::sub && item<TA>::is_pointer)
      return move_pointer<true>(a, b, where);
    else {
      static_assert(!item<TA>::is_pointer && !item<TB>::is_pointer,
                    "pointers can only be moved by + and -; to compare or combine addresses, "
                    "tl::cast<std::int64_t> them first");
      return make_expression<bool, SA>({});
    }
  } else if constexpr (!operands<SA, SB>::broadcast_together) {
    static_assert(operands<SA, SB>::broadcast_together,
                  "the operands' shapes do not broadcast together: extents must be equal or 1");
    return make_expression<TA, SA>({});
  } else if constexpr (is_bitwise(K) && !elements<TA, TB>::are_integers) {
    static_assert(elements<TA, TB>::are_integers,
                  "& | ^ << >> take integers; tl::bitcast a float first");
    return make_expression<TA, broadcast_t<SA, SB>>({});
  } else if constexpr (!elements<TA, TB>::combine) {
    static_assert(elements<TA, TB>::combine,
                  "an 8-bit float and an integer do not combine; tl::cast one of them first");
    return make_expression<TA, broadcast_t<SA, SB>>({});
  } else if constexpr (!compared<K, A, B>::numbers_or_bools) {
    static_assert(is_equality(K) || compared<K, A, B>::numbers_or_bools,
                  "< <= > >= compare numbers, not bools, and comparisons do not chain: write "
                  "(a <= x) & (x < b) instead of a <= x < b");
    static_assert(!is_equality(K) || compared<K, A, B>::numbers_or_bools,
                  "== and != do not compare a bool with a number, and comparisons do not chain: "
                  "write (a == x) & (x == b) instead of a == x == b, !mask instead of mask == 0");
    return make_expression<bool, broadcast_t<SA, SB>>({});
  } else if constexpr (is_division(K) && !argument<A>::is_number && !argument<B>::is_number &&
                       !elements<TA, TB>::have_one_signedness) {
    static_assert(elements<TA, TB>::have_one_signedness,
                  "/ and % of a signed and an unsigned integer are ambiguous; tl::cast one of them "
                  "first");
    return make_expression<TA, broadcast_t<SA, SB>>({});
  } else {
    using C = computed_element<A, B, is_division(K)>;
    using S = broadcast_t<SA, SB>;
    using T = std::conditional_t<is_comparison(K), bool, C>;
    tracer &t = active(where, "a tensor");
    if constexpr (is_fp8<C> && !is_comparison(K)) {
      const handle wide = binary(t, K, argument<A>::get(a), argument<B>::get(b), type_of<float, S>,
                                 type_of<float, S>, where);
      return make_expression<T, S>(cast(t, wide, scalar_type<C>, where));
    } else if constexpr (K <= binary_kind::mul && !element<C>::is_float && element<C>::is_signed) {
      return make_expression<T, S>(
          binary_that_fits(t, K, argument<A>::get(a), argument<B>::get(b), type_of<C, S>, where));
    } else {
      using W = std::conditional_t<is_fp8<C>, float, C>;
      return make_expression<T, S>(binary(t, K, argument<A>::get(a), argument<B>::get(b),
                                          type_of<W, S>, type_of<T, S>, where));
    }
  }
}

enum class unary_kind { negate, invert, logical_not };

template <unary_kind K, class T, class S>
expression<T, S> unary_expression(const located<T, S> &x) {
  static_assert(!item<T>::is_pointer, "a pointer has no unary operators");
  static_assert(item<T>::is_pointer || K == unary_kind::negate || !element<T>::is_float,
                "~ and ! take integers and bools");
  static_assert(item<T>::is_pointer || K != unary_kind::logical_not || element<T>::is_bool,
                "! takes a bool tensor; write x == 0");
  tracer &t = active(x.where, "a tensor");
  t.checked(x.raw_handle(), x.where);
  const value_type &type = type_of<T, S>;
  if (K == unary_kind::negate && has_negative_zero<T> && type.is_small_float())
    return make_expression<T, S>(
        change_sign(t, x.raw_handle(), "arith.xori %0, %1 : =", -128, x.where));
  if (K == unary_kind::negate && type.is_small_float())
    return make_expression<T, S>(
        cast(t,
             t.emit("arith.negf %0 : =", {cast(t, x.raw_handle(), scalar_type<float>, x.where)},
                    type_of<float, S>, x.where),
             type, x.where));
  if (K == unary_kind::negate && type.is_float())
    return make_expression<T, S>(t.emit("arith.negf %0 : =", {x.raw_handle()}, type, x.where));
  const literal number{element_kind::boolean, 1, 0};
  const literal all_ones{element_kind::signed_integer, -1, 0};
  const literal zero{};
  if (K == unary_kind::negate)
    return make_expression<T, S>(binary(t, binary_kind::sub, {.number = zero, .is_literal = true},
                                        {.value = x.raw_handle()}, type, type, x.where));
  value_type bits = type; // all ones is -1 whatever the sign
  if (!type.is_bool())
    bits.kind = element_kind::signed_integer;
  const handle ones = constant(t, type.is_bool() ? number : all_ones, bits, x.where);
  return make_expression<T, S>(
      t.emit("arith.xori %0, %1 : =", {x.raw_handle(), ones}, type, x.where));
}

/// The shape of x(tl::all, tl::newaxis, …).
template <class S, class... Tags> struct subscript {
  static constexpr bool names_every_axis_once =
      (0 + ... + int(std::same_as<Tags, all_t>)) == S::rank;
  static constexpr extent_list value = [] {
    extent_list list;
    int axis = 0;
    for (bool is_new : {std::same_as<Tags, newaxis_t>...})
      list.append(is_new ? 1 : S::extents[axis < S::rank ? axis++ : S::rank]);
    return list;
  }();
};

template <class T, class S, class... Tags>
auto subscripted(const tensor<T, S> &x, location where, Tags...) {
  static_assert(((std::same_as<Tags, all_t> || std::same_as<Tags, newaxis_t>) && ...),
                "a tensor is indexed by tl::all and tl::newaxis only; to pick elements use "
                "tl::gather, or load them through pointers");
  if constexpr (!((std::same_as<Tags, all_t> || std::same_as<Tags, newaxis_t>) && ...)) {
    return expression<T, S>(handle{});
  } else if constexpr (!subscript<S, Tags...>::names_every_axis_once) {
    static_assert(subscript<S, Tags...>::names_every_axis_once,
                  "an index of a tensor has one tl::all for each of its axes");
    return expression<T, S>(handle{});
  } else {
    using R = typename shape_from<subscript<S, Tags...>>::type;
    tracer &t = active(where, "a tensor");
    handle value = x.raw_handle();
    t.checked(value, where);
    if constexpr (S::rank == 0) {
      value = broadcast(t, value, type_of<T, R>, where);
    } else {
      int axis = 0;
      for (bool is_new : {std::same_as<Tags, newaxis_t>...}) {
        if (is_new)
          value = expand_dims(t, value, axis, where);
        ++axis;
      }
    }
    return expression<T, R>(value);
  }
}

TL_IMPL_UNOPTIMIZED_END

/// What assignment demands.
template <class To, class From> struct assignment {
  static constexpr bool keeps_the_shape =
      std::same_as<typename To::shape_type, typename From::shape_type>;
  static constexpr bool keeps_the_element_type =
      std::same_as<typename To::element_type, typename From::element_type>;
  // A pointer becomes one to const.
  static constexpr bool adds_const =
      item<typename To::element_type>::is_pointer &&
      std::same_as<typename To::element_type,
                   const std::remove_pointer_t<typename From::element_type> *>;
  static constexpr bool is_possible = keeps_the_shape && (keeps_the_element_type || adds_const);
};

/// Stands in the message of compilers that give no reason for what is deleted.
struct takes_its_own_shape_and_element_type {};

/// Says once for a type, not once for each tensor of it, that it is none for elements.
template <class E> constexpr bool check_element_name() {
  static_assert(!std::derived_from<E, variable>,
                "an element type is expected here: write float instead of tl::f32, std::int32_t "
                "instead of tl::i32, and so on");
  return true;
}

/// What the template arguments of a tensor must be.
template <class T, class S> constexpr bool check_tensor() {
  using E = typename item<T>::element_t;
  (void)check_element_name<E>();
  if constexpr (!std::derived_from<E, variable>)
    (void)check_element_type<E>();
  static_assert(block<S>::extents_are_at_least_1, "every extent of a tl::tensor is at least 1");
  static_assert(block<S>::has_at_most_1048576_padded_elements,
                "a tl::tensor has at most 1048576 elements, each extent padded to a power of two");
  return true;
}

} // namespace impl

/// A variable in a kernel: a scalar, or a block of elements of type T with the extents of S, yet to
/// be computed. Copying takes a snapshot of the value. Assigning gives a new value of the same
/// type, also inside tl::if_, tl::while_ and loops over tl::range, which carry it on. Declare with
/// tl::tensor what you assign to; `auto` is fine for everything else.
///
/// A C++ number beside a tensor takes the tensor's element type. One that stands alone is an int32
/// (of a 64-bit C++ type an int64, of an unsigned one unsigned), a bool, or a float, also where its
/// C++ type is double: write `tl::f64 c = 0.1;` for a double.
///
///     tl::tensor v = tl::cast<float>(tl::load(pointers, mask));   // the type is deduced
///     for (auto k : tl::range(0, n))
///       v = v * 0.5f;
template <class T, class S> class tensor : public impl::variable {
public:
  using element_type = T;
  using shape_type = S;
  static constexpr int rank = S::rank;
  static constexpr long size = S::size;
  static_assert(impl::check_tensor<T, S>());

  /// Without a value yet: assign one before use, for instance in both branches of tl::if_.
  tensor() = default;
  tensor(const tensor &) = default;

  /// A number, repeated to the shape. Integers must fit T.
  template <impl::number A>
    requires(!std::is_pointer_v<T>)
  TL_IMPL_UNOPTIMIZED tensor(const A &value, impl::location where = std::source_location::current())
      : variable(from_number(impl::to_literal(value), where)) {
    static_assert(impl::number_for<T, A>::is_no_fraction,
                  "a float cannot initialise an integer tensor; convert it in C++ first");
    static_assert(impl::number_for<T, A>::is_true_or_false,
                  "a bool tensor is initialised by true or false; write x != 0 for a number");
  }

  /// A pointer to const from a pointer.
  template <class U>
    requires(std::is_pointer_v<T> && std::same_as<const U *, T> && !std::is_const_v<U>)
  tensor(const tensor<U *, S> &other) : variable(other.raw_handle()) {}

  /// Names what to write instead. Deleted, so that such types do not convert for overloads either.
  template <tensor_like U>
    requires(!impl::assignment<tensor, U>::is_possible)
  tensor(const U &, impl::takes_its_own_shape_and_element_type = {})
#if defined(__cpp_deleted_function)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wc++26-extensions"
      = delete (
          "a tl::tensor is initialised by a value of its own shape and element type; tl::cast "
          "the value, tl::broadcast_to the block, or tl::full the scalar");
#pragma GCC diagnostic pop
#else
      = delete;
#endif

  /// For the functions of tl.
  explicit tensor(impl::handle value) : variable(value) {}

  tensor &operator=(const tensor &other) {
    variable::operator=(other);
    return *this;
  }

  /// Assigns a value of the same element type and shape, or a number.
  template <class U> TL_IMPL_UNOPTIMIZED tensor &operator=(const U &value) {
    if constexpr (impl::number<U>) {
      static_assert(std::is_pointer_v<T> || impl::number_for<T, U>::is_no_fraction,
                    "a float cannot be assigned to an integer tensor; convert it in C++ first");
      static_assert(std::is_pointer_v<T> || impl::number_for<T, U>::is_true_or_false,
                    "a bool tensor is assigned true or false; write x != 0 for a number");
      variable::operator=(variable(from_number(impl::to_literal(value), {}), unregistered{}));
    } else if constexpr (tensor_like<U>) {
      static_assert(impl::assignment<tensor, U>::keeps_the_shape,
                    "assignment to a tl::tensor keeps its shape; declare another tensor, or "
                    "tl::broadcast_to the value");
      static_assert(impl::assignment<tensor, U>::keeps_the_element_type,
                    "assignment to a tl::tensor keeps its element type; tl::cast the value");
      if constexpr (impl::assignment<tensor, U>::keeps_the_shape &&
                    impl::assignment<tensor, U>::keeps_the_element_type)
        variable::operator=(value);
    } else {
      static_assert(tensor_like<U>, "only a tensor or a number can be assigned to a tl::tensor");
    }
    return *this;
  }

  /// x(tl::all, tl::newaxis) is a column, x(tl::newaxis, tl::all) a row: each tl::newaxis adds an
  /// axis of extent 1, each tl::all keeps one. Upstream's x[:, None] and x[None, :].
  template <class A>
  auto operator()(A a, impl::location where = std::source_location::current()) const {
    return impl::subscripted(*this, where, a);
  }
  template <class A, class B>
  auto operator()(A a, B b, impl::location where = std::source_location::current()) const {
    return impl::subscripted(*this, where, a, b);
  }
  template <class A, class B, class C>
  auto operator()(A a, B b, C c, impl::location where = std::source_location::current()) const {
    return impl::subscripted(*this, where, a, b, c);
  }
  template <class A, class B, class C, class D>
  auto operator()(A a, B b, C c, D d,
                  impl::location where = std::source_location::current()) const {
    return impl::subscripted(*this, where, a, b, c, d);
  }

  /// Names what to write instead.
  template <class I> tensor<typename impl::item<T>::element_t, S> operator[](const I &) const {
    static_assert(sizeof(I) == 0, "a tensor has no []: write tl::load(x + i) and tl::store(x + i, "
                                  "v) for memory, x(tl::all, tl::newaxis) for another axis");
    return tensor<typename impl::item<T>::element_t, S>(impl::handle{});
  }

  /// Nothing about a tensor is known while the kernel is traced.
  template <class B>
    requires std::same_as<B, bool>
  explicit operator B() const {
    static_assert(!std::same_as<B, bool>,
                  "a tensor has no value while the kernel is traced: write tl::if_ or tl::where "
                  "instead of if and ?:, tl::range instead of a plain for over a run-time bound, "
                  "tl::while_ instead of while, tl::minimum and tl::maximum instead of std::min "
                  "and std::max, and & | instead of && ||");
    return false;
  }

// Operators. The right operand, or the left one beside a number, is converted to impl::located,
// which captures the line. Few macros are worth their price; this one saves four hundred lines.
#define TL_IMPL_BINARY(symbol, kind)                                                               \
  template <impl::operand_like L>                                                                  \
  TL_IMPL_UNOPTIMIZED friend auto operator symbol(const L &l, impl::located<T, S> r) {             \
    return impl::binary_expression<impl::binary_kind::kind>(l, r, r.where);                        \
  }                                                                                                \
  template <impl::number R>                                                                        \
  TL_IMPL_UNOPTIMIZED friend auto operator symbol(impl::located<T, S> l, const R &r) {             \
    return impl::binary_expression<impl::binary_kind::kind>(l, r, l.where);                        \
  }
  TL_IMPL_BINARY(+, add)
  TL_IMPL_BINARY(-, sub)
  TL_IMPL_BINARY(*, mul)
  TL_IMPL_BINARY(/, div)
  TL_IMPL_BINARY(%, rem)
  TL_IMPL_BINARY(&, bit_and)
  TL_IMPL_BINARY(|, bit_or)
  TL_IMPL_BINARY(^, bit_xor)
  TL_IMPL_BINARY(<<, shl)
  TL_IMPL_BINARY(>>, shr)
  TL_IMPL_BINARY(<, lt)
  TL_IMPL_BINARY(<=, le)
  TL_IMPL_BINARY(>, gt)
  TL_IMPL_BINARY(>=, ge)
#undef TL_IMPL_BINARY

  // Return types are spelled out: with `auto`, Clang does not show the user's line beside an error.
  TL_IMPL_UNOPTIMIZED friend expression<T, S> operator-(impl::located<T, S> x) {
    return impl::unary_expression<impl::unary_kind::negate>(x);
  }
  TL_IMPL_UNOPTIMIZED friend expression<T, S> operator~(impl::located<T, S> x) {
    return impl::unary_expression<impl::unary_kind::invert>(x);
  }
  TL_IMPL_UNOPTIMIZED friend expression<T, S> operator+(impl::located<T, S> x) {
    return impl::make_expression<T, S>(x.raw_handle());
  }

#define TL_IMPL_COMPOUND(symbol, kind)                                                             \
  TL_IMPL_UNOPTIMIZED tensor &operator symbol(impl::located<T, S> x) {                             \
    return update(impl::binary_expression<impl::binary_kind::kind>(*this, x, x.where));            \
  }                                                                                                \
  template <impl::operand_like U> TL_IMPL_UNOPTIMIZED tensor &operator symbol(const U &x) {        \
    return update(impl::binary_expression<impl::binary_kind::kind>(*this, x, impl::location()));   \
  }
  TL_IMPL_COMPOUND(+=, add)
  TL_IMPL_COMPOUND(-=, sub)
  TL_IMPL_COMPOUND(*=, mul)
  TL_IMPL_COMPOUND(/=, div)
  TL_IMPL_COMPOUND(%=, rem)
  TL_IMPL_COMPOUND(&=, bit_and)
  TL_IMPL_COMPOUND(|=, bit_or)
  TL_IMPL_COMPOUND(^=, bit_xor)
  TL_IMPL_COMPOUND(<<=, shl)
  TL_IMPL_COMPOUND(>>=, shr)
#undef TL_IMPL_COMPOUND

protected:
  tensor(impl::handle value, unregistered tag) : variable(value, tag) {}

private:
  TL_IMPL_UNOPTIMIZED static impl::handle from_number(const impl::literal &value,
                                                      impl::location where) {
    return impl::constant(impl::active(where, "a tensor"), value, impl::type_of<T, S>, where);
  }
  template <class U> TL_IMPL_UNOPTIMIZED tensor &update(const U &value) { return *this = value; }
};

/// What operators and elementwise functions return: the type of a tensor, and the value computed
/// where the expression was written, once, however often it is used. Expressions are held by value,
/// so `auto` is safe. They are not variables: they cannot be assigned to, and loops need not look
/// at them.
///
/// An expression is one number for each element, the same bits wherever the kernel uses them and in
/// however many loops a device computes them: `tl::max<0>(x) - x` is never below 0, and 0 in each
/// row. A product that only sums and differences use is not rounded before them (`fp_fusion`, see
/// launch_options); one that is stored, compared or passed to a function is rounded for all its
/// uses. Only which NaN a NaN is may differ.
///
///     auto mask = offsets < n;                  // expression<bool, shape<1024>>
///     tl::tensor sum = a + b;                   // a variable of type tensor<float, shape<1024>>
template <class T, class S> class expression : public tensor<T, S> {
public:
  explicit expression(impl::handle value) : tensor<T, S>(value, impl::variable::unregistered{}) {}
  expression(const expression &other)
      : tensor<T, S>(other.raw_handle(), impl::variable::unregistered{}) {}

  template <class U> expression &operator=(const U &) {
    static_assert(sizeof(U) == 0,
                  "an expression that was declared with auto cannot be assigned to; "
                  "declare it as tl::tensor");
    return *this;
  }
  expression &operator=(const expression &) {
    static_assert(sizeof(S) == 0,
                  "an expression that was declared with auto cannot be assigned to; "
                  "declare it as tl::tensor");
    return *this;
  }

#define TL_IMPL_COMPOUND(symbol)                                                                   \
  template <class U> expression &operator symbol(const U &) {                                      \
    static_assert(sizeof(U) == 0, "an expression that was declared with auto cannot be assigned "  \
                                  "to; declare it as tl::tensor");                                 \
    return *this;                                                                                  \
  }
  TL_IMPL_COMPOUND(+=)
  TL_IMPL_COMPOUND(-=)
  TL_IMPL_COMPOUND(*=)
  TL_IMPL_COMPOUND(/=)
  TL_IMPL_COMPOUND(%=)
  TL_IMPL_COMPOUND(&=)
  TL_IMPL_COMPOUND(|=)
  TL_IMPL_COMPOUND(^=)
  TL_IMPL_COMPOUND(<<=)
  TL_IMPL_COMPOUND(>>=)
#undef TL_IMPL_COMPOUND
};

template <class T, class S> tensor(const expression<T, S> &) -> tensor<T, S>;
template <impl::number A> tensor(A) -> tensor<impl::number_element<A>>;

/// The type of the variable that holds X, which `tl::tensor v = x;` deduces: a tl::tensor, also of
/// an expression or a number. With it the deduction guide of a struct makes variables of its
/// members:
///
///     template <class T> struct pair_of { T a, b; };
///     template <class A, class B> pair_of(A, B) -> pair_of<tl::tensor_of<A>>;
template <impl::operand_like X>
using tensor_of =
    tensor<typename impl::argument<X>::element_type, typename impl::argument<X>::shape_type>;

TL_IMPL_UNOPTIMIZED_BEGIN

// Neither is ! located: the conversion would compete with that to bool.
template <tensor_like X> expression<bool, typename X::shape_type> operator!(const X &x) {
  using T = typename X::element_type;
  using S = typename X::shape_type;
  impl::located<T, S> operand(x);
  operand.where = {};
  return expression<bool, S>(
      impl::unary_expression<impl::unary_kind::logical_not>(operand).raw_handle());
}

// Equality is not located: with a located operand its reversed form would be ambiguous.
template <impl::operand_like L, impl::operand_like R>
  requires(tensor_like<L> || tensor_like<R>)
auto operator==(const L &l, const R &r) {
  return impl::binary_expression<impl::binary_kind::eq>(l, r, impl::location());
}
template <impl::operand_like L, impl::operand_like R>
  requires(tensor_like<L> || tensor_like<R>)
auto operator!=(const L &l, const R &r) {
  return impl::binary_expression<impl::binary_kind::ne>(l, r, impl::location());
}

/// Names what to write instead of printing a tensor.
template <class C, class Traits, tensor_like X>
std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &out, const X &) {
  static_assert(sizeof(X) == 0,
                "a tensor has no value while the kernel is traced: tl::device_print "
                "prints it when the kernel runs");
  return out;
}

namespace impl {

/// Raw pointers compile in arithmetic and accesses, so that a kernel whose parameter is one gives
/// the one error that says so (kernel.hpp); any other is refused while the kernel is traced.
[[noreturn]] inline void fail_raw_pointer() {
  fail(current_trace ? current_trace->last : location(), "a raw pointer cannot be used in a kernel",
       "give it to the launch, and declare a tl::ptr parameter");
}

} // namespace impl

template <class P, class T, class S> expression<P *, S> operator+(P *, const tensor<T, S> &) {
  impl::fail_raw_pointer();
}
template <class P, class T, class S> expression<P *, S> operator+(const tensor<T, S> &, P *) {
  impl::fail_raw_pointer();
}
template <class P, class T, class S> expression<P *, S> operator-(P *, const tensor<T, S> &) {
  impl::fail_raw_pointer();
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
