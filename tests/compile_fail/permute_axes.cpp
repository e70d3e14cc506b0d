// SPDX-License-Identifier: MIT
// A permutation that names an axis twice.
// expect: tl::permute names each axis of the tensor once
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::permute<0, 0>(tl::reshape<8, 8>(v));
#else
      auto w = tl::permute<1, 0>(tl::reshape<8, 8>(v));
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
