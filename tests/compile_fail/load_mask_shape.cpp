// SPDX-License-Identifier: MIT
// A mask of another shape.
// expect: the shapes of the pointer and the mask of tl::load do not broadcast together
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::load(x + at, tl::arange<32>() < n);
#else
      auto w = tl::load(x + at, at < n);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
