// SPDX-License-Identifier: MIT
#pragma once
// How does tl compute with floats in a program that has set another rounding, flushes denormals (as
// one that was linked with -ffast-math does from its start) or traps? In the default environment,
// for as long as a kernel is traced and printed; the program finds its own again.

#include "tl/impl/compiler.hpp"

#include <cfenv>

namespace tl::impl {

/// Rounding to nearest, with denormals, without traps, while it lives.
class default_arithmetic {
public:
  default_arithmetic() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~default_arithmetic() { std::fesetenv(&callers_); }
  default_arithmetic(const default_arithmetic &) = delete;
  default_arithmetic &operator=(const default_arithmetic &) = delete;

private:
  std::fenv_t callers_;
};

} // namespace tl::impl
