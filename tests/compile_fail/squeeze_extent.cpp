// SPDX-License-Identifier: MIT
// Squeezing an axis of more than one element.
// expect: tl::squeeze drops only an axis of extent 1
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::squeeze<0>(v);
#else
      auto w = tl::squeeze<0>(tl::expand_dims<0>(v));
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
