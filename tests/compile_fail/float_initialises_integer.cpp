// SPDX-License-Identifier: MIT
// A float number initialises an integer scalar.
// expect: a float cannot initialise an integer tensor
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::i32 m = 1.5f;
#else
      tl::i32 m = 1;
      (void)m;
#endif
    }};

int main() { kernel.trace(); }
