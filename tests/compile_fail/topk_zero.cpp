// SPDX-License-Identifier: MIT
// A K of zero.
// expect: the K of tl::topk is at least 1 and at most the extent of the last axis
// expect clang: selection<0, tl::shape<64>>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::topk<0>(v);
#else
      auto w = tl::topk<1>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
