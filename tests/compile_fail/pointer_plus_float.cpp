// SPDX-License-Identifier: MIT
// A pointer moved by a float.
// expect: a pointer takes an integer offset, counted in elements, not a float
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto p = x + 1.5f;
#else
      auto p = x + 1;
      (void)p;
#endif
    }};

int main() { kernel.trace(); }
