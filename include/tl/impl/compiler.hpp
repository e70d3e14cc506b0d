// SPDX-License-Identifier: MIT
#pragma once
// Can this compiler compile tl? Asked before anything else, so that a missing flag is one sentence
// and not what its absence does to every header. Understood by any compiler of C++98 and later.

#if defined(__apple_build_version__) && __apple_build_version__ < 15000000
#define TL_IMPL_IS_TOO_OLD
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#define TL_IMPL_IS_TOO_OLD
#elif !defined(__clang__) && (!defined(__GNUC__) || __GNUC__ < 12)
#define TL_IMPL_IS_TOO_OLD
#endif

#if defined(TL_IMPL_IS_TOO_OLD) || (defined(_MSC_VER) && !defined(__GNUC__))
#error "tl is compiled by GCC 12 or later or Clang 16 or later, with -std=c++20 or later"
#include "tl/impl/the error above stops here"
#elif __cplusplus < 202002L
#error "tl needs C++20: compile with -std=c++20 or later (GCC 12 or later, Clang 16 or later)"
#include "tl/impl/the error above stops here"
#elif !defined(__cpp_exceptions)
#error "tl reports errors by exceptions: compile without -fno-exceptions"
#include "tl/impl/the error above stops here"
#endif
