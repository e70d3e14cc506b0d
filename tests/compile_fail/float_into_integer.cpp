// SPDX-License-Identifier: MIT
// A float number for an integer tensor.
// expect: a float cannot be assigned to an integer tensor
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      n = 1.5f;
#else
      n = 1;
#endif
    }};

int main() { kernel.trace(); }
