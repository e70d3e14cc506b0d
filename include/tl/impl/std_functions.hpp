// SPDX-License-Identifier: MIT
#pragma once
// What does std::exp of a tensor say? One sentence with the function to write, instead of a list of
// overloads. The templates take tensors only, so that no program that compiles notices them; adding
// them to std is the one way to be found where a user writes std:: by habit.

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
TL_IMPL_REFUSE(pow, "tl::libdevice::pow")
TL_IMPL_REFUSE(tanh, "tl::libdevice::tanh")
TL_IMPL_REFUSE(expm1, "tl::libdevice::expm1")
TL_IMPL_REFUSE(log1p, "tl::libdevice::log1p")
TL_IMPL_REFUSE(log10, "tl::libdevice::log10")
TL_IMPL_REFUSE(atan2, "tl::libdevice::atan2")
TL_IMPL_REFUSE(fmod, "tl::libdevice::fmod")
TL_IMPL_REFUSE(trunc, "tl::libdevice::trunc")
TL_IMPL_REFUSE(round, "tl::libdevice::round")
TL_IMPL_REFUSE(isnan, "x != x")
TL_IMPL_REFUSE(isinf, "tl::abs(x) == tl::inf")
} // namespace std
#undef TL_IMPL_REFUSE
