// SPDX-License-Identifier: MIT
#pragma once
// What does std::exp of a tensor say? One sentence with the function to write, instead of a list of
// overloads. The templates take tensors only, so that no program that compiles notices them; adding
// them to std is the one way to be found where a user writes std:: by habit.

#include "tl/impl/libdevice_functions.hpp"
#include "tl/tensor.hpp"

// Functions whose name is taken are called by others; the second is found where a number is first.
#define TL_IMPL_REFUSE(name, instead)                                                              \
  template <::tl::tensor_like X, class... Y> X name(const X &x, const Y &...) {                    \
    static_assert(sizeof(X) == 0,                                                                  \
                  "std::" #name " takes numbers of the host; in a kernel write " instead);         \
    return x;                                                                                      \
  }                                                                                                \
  template <class N, ::tl::tensor_like X>                                                          \
    requires(::std::is_arithmetic_v<N>)                                                            \
  X name(const N &, const X &x) {                                                                  \
    static_assert(sizeof(X) == 0,                                                                  \
                  "std::" #name " takes numbers of the host; in a kernel write " instead);         \
    return x;                                                                                      \
  }
#define TL_IMPL_REFUSE_LIBRARY(name) TL_IMPL_REFUSE(name, "tl::libdevice::" #name)
namespace std {
TL_IMPL_REFUSE(exp, "tl::exp")
TL_IMPL_REFUSE(exp2, "tl::exp2")
TL_IMPL_REFUSE(log, "tl::log")
TL_IMPL_REFUSE(log2, "tl::log2")
TL_IMPL_REFUSE(sqrt, "tl::sqrt")
TL_IMPL_REFUSE(sin, "tl::sin")
TL_IMPL_REFUSE(cos, "tl::cos")
TL_IMPL_REFUSE(erf, "tl::erf")
TL_IMPL_REFUSE(floor, "tl::floor")
TL_IMPL_REFUSE(ceil, "tl::ceil")
TL_IMPL_REFUSE(abs, "tl::abs")
TL_IMPL_REFUSE(fabs, "tl::abs")
TL_IMPL_REFUSE(fma, "tl::fma")
TL_IMPL_REFUSE(fmin, "tl::minimum")
TL_IMPL_REFUSE(fmax, "tl::maximum")
TL_IMPL_ONLY_IN_LIBDEVICE(TL_IMPL_REFUSE_LIBRARY)
TL_IMPL_REFUSE(isnan, "x != x")
TL_IMPL_REFUSE(isinf, "tl::abs(x) == tl::inf")
} // namespace std
#undef TL_IMPL_REFUSE_LIBRARY
#undef TL_IMPL_REFUSE
