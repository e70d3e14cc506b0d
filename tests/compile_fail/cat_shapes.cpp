// SPDX-License-Identifier: MIT
// Concatenating two shapes.
// expect: tl::cat takes two blocks of one shape
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::cat(v, tl::zeros<float, 32>());
#else
      auto w = tl::cat(v, v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
