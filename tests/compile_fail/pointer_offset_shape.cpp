// SPDX-License-Identifier: MIT
// A block of pointers moved by another shape.
// expect: the shapes of a pointer and its offset do not broadcast together
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto p = (x + at) + tl::arange<32>();
#else
      auto p = (x + at) + tl::arange<64>();
      (void)p;
#endif
    }};

int main() { kernel.trace(); }
