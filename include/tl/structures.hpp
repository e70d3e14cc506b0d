// SPDX-License-Identifier: MIT
#pragma once
// How does a type that Boost.Hana describes become a structure of tl? Include this file beside
// tl/tl.hpp, before such a type is used in a kernel: hana::tuple, hana::pair, hana::map and the
// structs of BOOST_HANA_DEFINE_STRUCT and BOOST_HANA_ADAPT_STRUCT then do what std::tuple and plain
// structs do without it, with names for their members. Needs Boost 1.74 or later, which nothing
// else of tl does.

#include "tl/impl/members.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/at_key.hpp>
#include <boost/hana/core/is_a.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tl::impl {

namespace hana = boost::hana;

template <class... M> struct members<hana::tuple<M...>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = sizeof...(M);
  using types = type_list<M...>;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return hana::unpack(value, f);
  }
  template <class Next> static hana::tuple<M...> make([[maybe_unused]] Next next) {
    return hana::tuple<M...>{next(type_list<M>())...};
  }
  template <class F> using with = hana::tuple<typename F::template member<M>...>;
};

template <class A, class B> struct members<hana::pair<A, B>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = 2;
  using types = type_list<A, B>;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return f(hana::first(value), hana::second(value));
  }
  template <class Next> static hana::pair<A, B> make(Next next) {
    return hana::pair<A, B>{next(type_list<A>()), next(type_list<B>())};
  }
  template <class F>
  using with = hana::pair<typename F::template member<A>, typename F::template member<B>>;
};

struct list_of_arguments {
  template <class... T> constexpr type_list<T...> operator()(const T &...) const { return {}; }
};
/// What a Hana sequence holds, as a type_list.
template <class Sequence>
using elements_of = decltype(hana::unpack(std::declval<Sequence>(), list_of_arguments()));

template <class T>
concept hana_map = hana::is_a<hana::map_tag, T>();
template <class T>
concept hana_struct = hana::Struct<T>::value;
template <class T> using accessors_of = elements_of<decltype(hana::accessors<T>())>;

/// A map by its pairs; its members are the values.
template <class Pairs> struct map_members;
template <class... K, class... M> struct map_members<type_list<hana::pair<K, M>...>> {
  static constexpr bool known = true;
  static constexpr std::size_t count = sizeof...(M);
  using types = type_list<M...>;
  using type = decltype(hana::make_map(std::declval<hana::pair<K, M>>()...));
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return f(value[K()]...);
  }
  template <class Next> static type make([[maybe_unused]] Next next) {
    // Braces, for the order in which the values are made.
    const std::tuple<hana::pair<K, M>...> pairs{hana::pair<K, M>(K(), next(type_list<M>()))...};
    return std::apply(hana::make_map, pairs);
  }
  template <class F>
  using with =
      typename map_members<type_list<hana::pair<K, typename F::template member<M>>...>>::type;
};
template <hana_map T> struct members<T> : map_members<elements_of<T>> {};

/// A struct by its accessors.
template <class T, class Accessors> struct struct_members;
template <class T, class... K, class... A>
struct struct_members<T, type_list<hana::pair<K, A>...>> {
  template <class Accessor>
  using type_of = std::remove_reference_t<std::invoke_result_t<Accessor, T &>>;
  static constexpr bool known = true;
  static constexpr std::size_t count = sizeof...(A);
  using types = type_list<type_of<A>...>;
  template <class V, class F> static constexpr decltype(auto) apply(V &value, F &&f) {
    return hana::unpack(hana::accessors<T>(), [&](const auto &...each) -> decltype(auto) {
      return f(hana::second(each)(value)...);
    });
  }
  template <class Next> static T make(Next next) {
    T value;
    hana::unpack(hana::accessors<T>(), [&](const hana::pair<K, A> &...each) {
      ((hana::second(each)(value) = next(type_list<type_of<A>>())), ...);
    });
    return value;
  }
  template <class F> using with = typename with_arguments<T, F>::type;
};
// One that plain C++ takes apart stays with that: the same type in all files.
template <hana_struct T>
  requires(!plain_aggregate<T>)
struct members<T> : struct_members<T, accessors_of<T>> {};

/// The texts of keys, if all of them have one.
template <class Pairs> inline constexpr std::array<std::string_view, 0> texts_of{};
template <class... K, class... M>
  requires((hana::is_a<hana::string_tag, K>() && ...))
inline constexpr std::array<std::string_view, sizeof...(K)>
    texts_of<type_list<hana::pair<K, M>...>>{std::string_view(K::c_str())...};

/// A T that is never made: the compiler knows where its members lie.
template <class T> union never_made {
  constexpr never_made() : none() {}
  constexpr ~never_made() {}
  char none;
  T value;
};
template <class T> inline constexpr never_made<T> some{};

/// Which of the members that plain C++ takes apart an accessor gives, known by its place: accessors
/// stand in an order of their own, and there may be fewer. The count of members if it is none.
template <class T, class Accessor> constexpr std::size_t member_of_accessor() {
  return members<T>::apply(some<T>.value, [](const auto &...each) {
    const auto &sought = Accessor()(some<T>.value);
    const auto is_sought = [&]<class M>(const M &member) {
      if constexpr (std::is_same_v<const M &, decltype(sought)>)
        return std::addressof(member) == std::addressof(sought);
      return false;
    };
    std::size_t i = 0, found = sizeof...(each);
    ((found = is_sought(each) ? i : found, ++i), ...);
    return found;
  });
}
/// Is it one of them? Not what a function computes, nor what a reference leads to.
template <class T, class Accessor>
concept gives_member =
    std::is_lvalue_reference_v<std::invoke_result_t<Accessor, const T &>> && requires {
      requires std::bool_constant<(member_of_accessor<T, Accessor>() < members<T>::count)>::value;
    };

template <class T, class Accessors> inline constexpr bool give_members = true;
template <plain_aggregate T, class... K, class... A>
  requires(texts_of<type_list<hana::pair<K, A>...>>.size() > 0)
inline constexpr bool give_members<T, type_list<hana::pair<K, A>...>> = (gives_member<T, A> && ...);

/// The names of accessors in the order of the members, with an empty one where a member has none.
template <class T, class Accessors> inline constexpr auto names_in_order = texts_of<Accessors>;
template <plain_aggregate T, class... K, class... A>
  requires(texts_of<type_list<hana::pair<K, A>...>>.size() > 0 &&
           give_members<T, type_list<hana::pair<K, A>...>>)
inline constexpr auto names_in_order<T, type_list<hana::pair<K, A>...>> =
    []<std::size_t... I>(std::index_sequence<I...>) {
      const auto name = [](std::size_t member) {
        std::string_view found = "";
        ((found = member_of_accessor<T, A>() == member ? K::c_str() : found), ...);
        return found;
      };
      return std::array<std::string_view, sizeof...(I)>{name(I)...};
    }(std::make_index_sequence<members<T>::count>());

template <hana_map T> inline constexpr auto names_of<T> = texts_of<elements_of<T>>;
template <hana_struct T> inline constexpr auto names_of<T> = names_in_order<T, accessors_of<T>>;
template <hana_struct T>
inline constexpr bool names_are_clear<T> = give_members<T, accessors_of<T>>;

} // namespace tl::impl
