// SPDX-License-Identifier: MIT
// tl::f32 where float belongs.
// expect: an element type is expected here: write float instead of tl::f32
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::ptr<tl::f32> p;
#else
      tl::ptr<float> p;
      (void)p;
#endif
    }};

int main() { kernel.trace(); }
