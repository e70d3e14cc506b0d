// SPDX-License-Identifier: MIT
// A block whose extent is no power of two.
// expect: every extent of a tl::tensor is a power of two
// expect clang: shape<3>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::tensor<float, tl::shape<3>> w;
#else
      tl::tensor<float, tl::shape<4>> w;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
