// SPDX-License-Identifier: MIT
#pragma once
// What does a kernel cost a C++ compiler at -O2? A kernel's lambda runs once for each
// specialisation, so that optimising it, and the tracer below it, is waste, which grows faster than
// the kernel. The marks of this file keep it out of line and as it is; what runs at each launch has
// none. Without Clang and GCC they mean nothing.

#include "tl/impl/compiler.hpp"

// Functions between BEGIN and END, and one function.
#if defined(__clang__)
#define TL_IMPL_UNOPTIMIZED_BEGIN                                                                  \
  _Pragma("clang attribute push(__attribute__((optnone, noinline)), apply_to = function)")
#define TL_IMPL_UNOPTIMIZED_END _Pragma("clang attribute pop")
#define TL_IMPL_UNOPTIMIZED __attribute__((optnone, noinline))
#elif defined(__GNUC__)
#define TL_IMPL_UNOPTIMIZED_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#define TL_IMPL_UNOPTIMIZED_END _Pragma("GCC pop_options")
#define TL_IMPL_UNOPTIMIZED __attribute__((optimize("O0"), noinline, cold))
#else
#define TL_IMPL_UNOPTIMIZED_BEGIN
#define TL_IMPL_UNOPTIMIZED_END
#define TL_IMPL_UNOPTIMIZED
#endif

// In front of a constructor of a few stores, called for each operand: a part of what calls it.
#if defined(__GNUC__)
#define TL_IMPL_INLINE __attribute__((always_inline))
#else
#define TL_IMPL_INLINE
#endif

// In front of a call in a function that is TL_IMPL_UNOPTIMIZED: makes what is called a part of it.
// GCC has no such mark.
#if defined(__clang__)
#define TL_IMPL_IN_PLACE [[clang::always_inline]]
#else
#define TL_IMPL_IN_PLACE
#endif
