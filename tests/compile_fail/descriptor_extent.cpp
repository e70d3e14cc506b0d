// SPDX-License-Identifier: MIT
// A descriptor whose block has an extent of zero.
// expect: every extent of a tl::descriptor's block is at least 1
// expect clang: shape<0, 8>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto d = tl::make_tensor_descriptor<0, 8>(x, {n, n}, {n, 1});
#else
      auto d = tl::make_tensor_descriptor<1, 8>(x, {n, n}, {n, 1});
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
