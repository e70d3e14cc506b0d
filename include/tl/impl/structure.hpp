// SPDX-License-Identifier: MIT
#pragma once
// How is a C++ value made of tensors one value of a kernel? structure<T> visits the tensors in it,
// its leaves, in order, and makes such a value of as many handles: recursively for all that
// members.hpp takes apart. What branches return, what reductions, scans and maps take and return,
// and kernel parameters are structures. Loops need none: they carry each tl::tensor by itself.
//
//     structure<std::pair<tl::f32, std::array<tl::i32, 2>>>    // three leaves

#include "tl/impl/members.hpp"
#include "tl/tensor.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// What holds one handle: a tensor, an expression or a descriptor.
template <class T>
concept leaf_like = tensor_like<T> || requires { T::descriptor_type; };

/// What is known while the kernel is traced and has no other state: compile-time numbers, tags,
/// functions. A member of such a type stays as it is.
template <class T>
concept constant_like = !leaf_like<T> && std::is_empty_v<T> && std::is_default_constructible_v<T>;

/// A class whose members are to be looked at.
template <class T>
concept composite_like = !leaf_like<T> && !number<T> && !constant_like<T> && members<T>::known;

/// Any other type is no structure.
template <class T> struct structure {
  static constexpr bool is_valid = false;
  using leaves = type_list<>;
  template <class F> using with = T;
};

template <leaf_like T> struct structure<T> {
  static constexpr bool is_valid = true;
  using leaves = type_list<T>;
  template <class F> using with = typename F::template leaf<T>;
  template <class F> static void visit(const T &value, F &f) { f(value); }
  static T make(const handle *&next) { return T(*next++); }
};

/// A number is a leaf that becomes a tensor; none can be made of a handle.
template <number T> struct structure<T> {
  static constexpr bool is_valid = true;
  using leaves = type_list<T>;
  template <class F> using with = typename F::template leaf<T>;
  template <class F> static void visit(const T &value, F &f) { f(value); }
};

template <class T> struct constant_structure {
  static constexpr bool is_valid = true;
  using leaves = type_list<>;
  template <class F> using with = T;
  template <class F> static void visit(const T &, F &) {}
  static T make(const handle *&) { return T(); }
};
template <class T>
  requires(constant_like<T> && !number<T>)
struct structure<T> : constant_structure<T> {};

/// A compile-time number that stands alone becomes a tensor as any number does; as a member it is
/// kept.
template <class T>
using member_structure =
    typename std::conditional_t<constant_like<T>, std::type_identity<constant_structure<T>>,
                                std::type_identity<structure<T>>>::type;

/// Replaces the leaves in members, and in template arguments, by those that F gives.
template <class F> struct replace_leaves {
  template <class M> using member = typename member_structure<M>::template with<F>;
  template <class A> static constexpr auto changed() {
    if constexpr (leaf_like<A> || (composite_like<A> && structure<A>::is_valid))
      return std::type_identity<member<A>>();
    else
      return std::type_identity<A>();
  }
  template <class A> using argument = typename decltype(changed<A>())::type;
};

template <class T, class Members> struct composite_structure;
template <class T, class... M> struct composite_structure<T, type_list<M...>> {
  static constexpr bool is_valid = (member_structure<M>::is_valid && ...);
  using leaves = typename joined_lists<typename member_structure<M>::leaves...>::type;
  template <class F> using with = typename members<T>::template with<replace_leaves<F>>;
  template <class F> static void visit(const T &value, F &f) {
    members<T>::apply(value, [&](const auto &...each) {
      (member_structure<std::remove_cvref_t<decltype(each)>>::visit(each, f), ...);
    });
  }
  static T make(const handle *&next) {
    return members<T>::make([&]<class N>(type_list<N>) { return member_structure<N>::make(next); });
  }
};
// One with references or constants as members cannot be assigned to: it would be a view.
template <composite_like T>
struct structure<T>
    : composite_structure<
          T, std::conditional_t<std::is_copy_assignable_v<T>, typename members<T>::types,
                                type_list<std::nullptr_t>>> {};

/// The structure with leaves F::leaf<L> in place of L. It exists where what holds the leaves is a
/// standard container or a template of their types, or changes none.
template <class T, class F> using structure_with = typename structure<T>::template with<F>;
template <class F, class... L>
constexpr type_list<typename F::template leaf<L>...> changed_leaves(type_list<L...>) {
  return {};
}
template <class T, class F> constexpr bool can_change() {
  if constexpr (structure<T>::is_valid)
    return std::same_as<typename structure<structure_with<T, F>>::leaves,
                        decltype(changed_leaves<F>(typename structure<T>::leaves()))>;
  else
    return false;
}

/// The handles of the leaves; numbers become constants of their own type.
template <class T> sequence<handle> handles_of(const T &value) {
  sequence<handle> handles;
  const auto add = [&]<class L>(const L &leaf) {
    if constexpr (number<L>)
      handles.push_back(tensor<number_element<L>>(leaf).raw_handle());
    else
      handles.push_back(leaf.raw_handle());
  };
  structure<T>::visit(value, add);
  return handles;
}
template <class T> T made_of(const sequence<handle> &handles) {
  const handle *next = handles.data();
  return structure<T>::make(next);
}

/// Leaves that are variables: what holds a result.
struct as_variables {
  template <class L> static constexpr auto change() {
    if constexpr (operand_like<L>)
      return std::type_identity<tensor_of<L>>();
    else
      return std::type_identity<L>();
  }
  template <class L> using leaf = typename decltype(change<L>())::type;
};
/// Assigns a value to a structure of variables that has as many leaves.
template <class To, class From> void assign_leaves(To &to, const From &from) {
  sequence<void *> targets;
  const auto note = [&](const auto &leaf) {
    targets.push_back(const_cast<void *>(static_cast<const void *>(&leaf)));
  };
  structure<To>::visit(to, note);
  std::size_t next = 0;
  const auto assign = [&]<class L>(const L &leaf) {
    *static_cast<as_variables::leaf<L> *>(targets[next++]) = leaf;
  };
  structure<From>::visit(from, assign);
}
template <class... L> constexpr bool hold_descriptors(type_list<L...>) {
  return (!operand_like<L> || ...);
}

/// Leaves that are blocks of the shape S.
template <class S> struct as_blocks {
  template <class L> using leaf = tensor<typename argument<L>::element_type, S>;
};
/// Leaves that are scalars, as the functions given to reductions and maps get them.
struct as_scalars {
  template <class L> using leaf = expression<typename argument<L>::element_type>;
};

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
