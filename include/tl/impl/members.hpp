// SPDX-License-Identifier: MIT
#pragma once
// How is a C++ value taken apart into its members, and made of them? std::tuple, std::pair,
// std::array and aggregates of up to 16 members, in plain C++: initialising an aggregate by more
// and more values tells how many members it has, a structured binding names them. What Boost.Hana
// describes is added in tl/structures.hpp. structure.hpp makes tensors of it, argument.hpp
// arguments.

#include "tl/impl/compiler.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tl::impl {

template <class... T> struct type_list {
  static constexpr std::size_t size = sizeof...(T);
};

template <class... L> struct joined_lists {
  using type = type_list<>;
};
template <class... T> struct joined_lists<type_list<T...>> {
  using type = type_list<T...>;
};
template <class... T, class... U, class... L>
struct joined_lists<type_list<T...>, type_list<U...>, L...>
    : joined_lists<type_list<T..., U...>, L...> {};

/// Initialises any member: by value, or as a reference.
struct any_member {
  template <class T> operator T &() const;
};
/// The same for an aggregate that is moved only.
struct any_movable_member {
  template <class T> operator T() const;
};
/// Initialises a base of T, which a structured binding does not name.
template <class T> struct any_base_of {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::same_as<B, T>)
  operator B() const;
};

inline constexpr std::size_t most_members = 16;

template <class T, class Any, std::size_t... I>
constexpr bool has_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Any())...}; };
}
/// The number of members of an aggregate, or more than most_members.
template <class T, class Any, std::size_t N = most_members + 1> constexpr std::size_t count_of() {
  if constexpr (N == 0 || has_members<T, Any>(std::make_index_sequence<N>()))
    return N;
  else
    return count_of<T, Any, N - 1>();
}
template <class T>
using any_member_of =
    std::conditional_t<std::is_copy_constructible_v<T>, any_member, any_movable_member>;

/// Why plain C++ cannot take a class apart: has_* are true of one that it can.
template <class T> struct aggregate {
  static constexpr bool has_no_base = !requires { T{any_base_of<T>()}; };
  static constexpr std::size_t count = count_of<T, any_member_of<T>>();
  static constexpr bool has_no_c_array = [] {
    // In braces each element of an array takes a value, in parentheses the array takes one.
    if constexpr (has_no_base && count > 1)
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return requires { T((static_cast<void>(I), any_member_of<T>())...); };
      }(std::make_index_sequence<count>());
    return true;
  }();
  static constexpr bool has_few_members = count <= most_members;
};
template <class T>
concept plain_aggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && aggregate<T>::has_no_base &&
    aggregate<T>::has_few_members && aggregate<T>::has_no_c_array;

/// Calls f with the members of an aggregate, in order.
template <std::size_t Count, class V, class F>
constexpr decltype(auto) apply_members(V &value, F &&f) {
  if constexpr (Count == 0)
    return f();
#define TL_IMPL_APPLY(count, ...)                                                                  \
  else if constexpr (Count == count) {                                                             \
    auto &[__VA_ARGS__] = value;                                                                   \
    return f(__VA_ARGS__);                                                                         \
  }
  TL_IMPL_APPLY(1, a)
  TL_IMPL_APPLY(2, a, b)
  TL_IMPL_APPLY(3, a, b, c)
  TL_IMPL_APPLY(4, a, b, c, d)
  TL_IMPL_APPLY(5, a, b, c, d, e)
  TL_IMPL_APPLY(6, a, b, c, d, e, g)
  TL_IMPL_APPLY(7, a, b, c, d, e, g, h)
  TL_IMPL_APPLY(8, a, b, c, d, e, g, h, i)
  TL_IMPL_APPLY(9, a, b, c, d, e, g, h, i, j)
  TL_IMPL_APPLY(10, a, b, c, d, e, g, h, i, j, k)
  TL_IMPL_APPLY(11, a, b, c, d, e, g, h, i, j, k, l)
  TL_IMPL_APPLY(12, a, b, c, d, e, g, h, i, j, k, l, m)
  TL_IMPL_APPLY(13, a, b, c, d, e, g, h, i, j, k, l, m, n)
  TL_IMPL_APPLY(14, a, b, c, d, e, g, h, i, j, k, l, m, n, o)
  TL_IMPL_APPLY(15, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p)
  TL_IMPL_APPLY(16, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q)
#undef TL_IMPL_APPLY
}

/// The same type with other template arguments: those that F changes.
template <class T, class F> struct with_arguments {
  using type = T;
};
template <template <class...> class C, class... A, class F> struct with_arguments<C<A...>, F> {
  using type = C<typename F::template argument<A>...>;
};

/// What a type is made of. Where it is `known`, it has
///  - `types`, a type_list of its members;
///  - `apply(value, f)`, which calls f with them, in order;
///  - `make(next)`, which makes a value, member after member, of what next(type_list<M>) returns;
///  - `with<F>`, the same kind of type with other members: F::member<M> in place of M.
template <class T> struct members {
  static constexpr bool known = false;
  static constexpr std::size_t count = 0;
};
template <plain_aggregate T> struct members<T> {
  static constexpr bool known = true;
  static constexpr std::size_t count = aggregate<T>::count;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return apply_members<count>(value, f);
  }
  using types =
      decltype(apply(std::declval<T &>(), []<class... M>(M &...) { return type_list<M...>(); }));
  template <class Next> static T make(Next next) {
    return [&]<class... M>(type_list<M...>) { return T{next(type_list<M>())...}; }(types());
  }
  template <class F> using with = typename with_arguments<T, F>::type;
};

template <class... M> struct members<std::tuple<M...>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = sizeof...(M);
  using types = type_list<M...>;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return std::apply(f, value);
  }
  template <class Next> static std::tuple<M...> make([[maybe_unused]] Next next) {
    return std::tuple<M...>{next(type_list<M>())...};
  }
  template <class F> using with = std::tuple<typename F::template member<M>...>;
};

template <class A, class B> struct members<std::pair<A, B>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = 2;
  using types = type_list<A, B>;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return f(value.first, value.second);
  }
  template <class Next> static std::pair<A, B> make(Next next) {
    return std::pair<A, B>{next(type_list<A>()), next(type_list<B>())};
  }
  template <class F>
  using with = std::pair<typename F::template member<A>, typename F::template member<B>>;
};

template <class T, std::size_t N> struct members<std::array<T, N>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = N;
  template <std::size_t> using each = T;
  template <std::size_t... I> static type_list<each<I>...> repeat(std::index_sequence<I...>);
  using types = decltype(repeat(std::make_index_sequence<N>()));
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return std::apply(f, value);
  }
  template <class Next> static std::array<T, N> make([[maybe_unused]] Next next) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<T, N>{(static_cast<void>(I), next(type_list<T>()))...};
    }(std::make_index_sequence<N>());
  }
  template <class F> using with = std::array<typename F::template member<T>, N>;
};

/// Refuses a class whose members are not known, if one sentence can say why. Returns whether it
/// did.
template <class T> constexpr bool refuse_aggregate() {
  if constexpr (std::is_aggregate_v<T> && std::is_class_v<T> && !members<T>::known) {
    using a = aggregate<T>;
    static_assert(a::has_no_base, "a struct that a kernel takes has no base class: make that a "
                                  "member, or describe the struct to Boost.Hana "
                                  "(tl/structures.hpp)");
    static_assert(!a::has_no_base || a::has_no_c_array,
                  "a struct that a kernel takes holds no C array: write "
                  "std::array<tl::i32, 2> x instead of tl::i32 x[2]");
    static_assert(!a::has_no_base || !a::has_no_c_array || a::has_few_members,
                  "a struct that a kernel takes has at most 16 members: make structs of some, or "
                  "describe the struct to Boost.Hana (tl/structures.hpp)");
    return true;
  }
  return false;
}

/// The names of the members, where a type has them: a std::array of std::string_view in order, with
/// an empty one for a member that has none. tl/structures.hpp knows them.
template <class T> inline constexpr std::array<std::string_view, 0> names_of{};
template <class T>
inline constexpr bool has_names = members<T>::count > 0 && names_of<T>.size() == members<T>::count;
/// Is it known whose names they are?
template <class T> inline constexpr bool names_are_clear = true;
/// The name of a member, empty if it has none.
template <class T> constexpr std::string_view name_of(std::size_t member) {
  if constexpr (has_names<T>)
    return names_of<T>[member];
  else
    return {};
}

} // namespace tl::impl
