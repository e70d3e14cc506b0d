// SPDX-License-Identifier: MIT
// while on a tensor.
// expect: tl::while_ instead of while
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      while (n > 3)
        n -= 1;
#else
      tl::while_([&] { return n > 3; }, [&] { n -= 1; });
#endif
    }};

int main() { kernel.trace(); }
