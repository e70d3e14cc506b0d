// SPDX-License-Identifier: MIT
// Two shapes that do not broadcast together.
// expect: the operands' shapes do not broadcast together: extents must be equal or 1
// expect clang: operands<tl::shape<64>, tl::shape<32>>::broadcast_together
// expect gcc: broadcast_together
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = v + tl::arange<32>();
#else
      auto w = v + tl::arange<64>();
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
