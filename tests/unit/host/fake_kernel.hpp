// SPDX-License-Identifier: MIT
#pragma once
// A kernel class that has parameters but no body: its TTIR is the list of facts it was asked for.
// Stands in for tl::kernel in tests of the launcher.

#include "tl/launch.hpp"

#include <atomic>
#include <string>

namespace fake {

template <class T> struct ptr {};
template <class T> struct scalar {};
template <class T, int... Block> struct descriptor {};

inline std::atomic<int> traces = 0;

/// `Tag` tells kernels with equal parameters apart.
template <int Tag, class... P> struct kernel : tl::impl::launchable<kernel<Tag, P...>> {
  using parameters = tl::impl::parameter_list<P...>;

  std::string name() const { return "kernel" + std::to_string(Tag); }
  static const char *source() { return ""; }
  std::string trace_from(const char *, const tl::impl::specialization &facts) const {
    ++traces;
    std::string text = name() + ':';
    // n: a null pointer, or an integer that 8 divides.
    for (std::size_t i = 0; i < facts.size(); ++i)
      text += " .d1n"[1 + static_cast<int>(facts[i])];
    for (std::size_t i = 0; i < facts.size(); ++i)
      if (facts.may_alias(i))
        text += " may_alias" + std::to_string(i);
    return text;
  }
};

} // namespace fake

namespace tl::impl {
template <class T> struct parameter<fake::ptr<T>> : pointer_parameter<T> {};
template <class T> struct parameter<fake::scalar<T>> : scalar_parameter<T> {};
template <class T, int... Block>
struct parameter<fake::descriptor<T, Block...>> : descriptor_parameter<T, Block...> {};
} // namespace tl::impl
