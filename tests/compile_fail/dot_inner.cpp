// SPDX-License-Identifier: MIT
// Inner dimensions that differ.
// expect: inner dimensions of tl::dot differ
// expect clang: product<tl::shape<64, 32>, tl::shape<16, 64>>::inner_extents_agree
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      auto a = tl::zeros<float, 64, 32>();
      auto b = tl::zeros<float, 16, 64>();
      auto c = tl::zeros<float, 32, 64>();
      (void)b;
      (void)c;
#ifdef WRONG
      auto d = tl::dot(a, b);
#else
      auto d = tl::dot(a, c);
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
