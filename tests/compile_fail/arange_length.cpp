// SPDX-License-Identifier: MIT
// A range whose length is no power of two.
// expect: the length of tl::arange is a power of two; take the next one and a mask
// expect clang: range_of<0, 96>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto r = tl::arange<96>();
#else
      auto r = tl::arange<16, 48>();
      (void)r;
#endif
    }};

int main() { kernel.trace(); }
