// SPDX-License-Identifier: MIT
// Two pointers added.
// expect: two pointers cannot be added or subtracted
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto p = x + x;
#else
      auto p = x + n;
      (void)p;
#endif
    }};

int main() { kernel.trace(); }
