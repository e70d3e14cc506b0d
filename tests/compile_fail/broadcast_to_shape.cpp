// SPDX-License-Identifier: MIT
// Repeating an extent other than 1.
// expect: tl::broadcast_to cannot repeat this shape to that one
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::broadcast_to<4, 128>(v);
#else
      auto w = tl::broadcast_to<4, 64>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
