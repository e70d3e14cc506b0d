// SPDX-License-Identifier: MIT
// A block with too many elements, counting those of its padding.
// expect: a tl::tensor has at most 1048576 elements, each extent padded to a power of two
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::tensor<float, tl::shape<1025, 1000>> w;
#else
      tl::tensor<float, tl::shape<1000, 1000>> w;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
