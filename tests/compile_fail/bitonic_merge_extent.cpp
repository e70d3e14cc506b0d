// SPDX-License-Identifier: MIT
// A merge along an extent that is no power of two.
// expect: the extent of the last axis that tl::bitonic_merge takes is a power of two
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto w = tl::bitonic_merge(tl::arange<96>());
#else
      auto w = tl::bitonic_merge(tl::arange<64>());
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
