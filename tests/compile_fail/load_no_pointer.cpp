// SPDX-License-Identifier: MIT
// Loading from a value.
// expect: tl::load takes a pointer or a block of pointers
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto w = tl::load(n);
#else
      auto w = tl::load(x + n);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
