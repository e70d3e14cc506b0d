// SPDX-License-Identifier: MIT
// A block that has an extent of zero.
// expect: every extent of a tl::tensor is at least 1
// expect clang: shape<0>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::tensor<float, tl::shape<0>> w;
#else
      tl::tensor<float, tl::shape<3>> w;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
