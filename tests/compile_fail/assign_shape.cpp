// SPDX-License-Identifier: MIT
// Assigning another shape.
// expect: assignment to a tl::tensor keeps its shape
// expect clang: tl::shape<64>
// expect clang: tl::shape<32>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      v = tl::zeros<float, 32>();
#else
      v = tl::zeros<float, 64>();
#endif
    }};

int main() { kernel.trace(); }
