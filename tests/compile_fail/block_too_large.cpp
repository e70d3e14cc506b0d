// SPDX-License-Identifier: MIT
// A block with too many elements.
// expect: a tl::tensor has at most 1048576 elements
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::tensor<float, tl::shape<2048, 1024>> w;
#else
      tl::tensor<float, tl::shape<1024, 1024>> w;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
