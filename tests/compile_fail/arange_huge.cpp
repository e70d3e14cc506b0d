// SPDX-License-Identifier: MIT
// A range above the limit.
// expect: tl::arange has at most 1048576 elements
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto r = tl::arange<2097152>();
#else
      auto r = tl::arange<1048576>();
      (void)r;
#endif
    }};

int main() { kernel.trace(); }
