// SPDX-License-Identifier: MIT
// Reshaping to another number of elements.
// expect: tl::reshape keeps the number of elements
// expect clang: reshaping<tl::shape<64>, tl::shape<8, 4>>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::reshape<8, 4>(v);
#else
      auto w = tl::reshape<8, 8>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
