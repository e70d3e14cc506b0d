// SPDX-License-Identifier: MIT
// An empty range.
// expect: tl::arange needs an end above its start
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto r = tl::arange<8, 0>();
#else
      auto r = tl::arange<0, 8>();
      (void)r;
#endif
    }};

int main() { kernel.trace(); }
