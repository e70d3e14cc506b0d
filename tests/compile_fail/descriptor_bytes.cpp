// SPDX-License-Identifier: MIT
// A descriptor whose rows are too short.
// expect: the last axis of a tl::descriptor's block spans at least 16 bytes
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto d = tl::make_tensor_descriptor<8, 2>(x, {n, n}, {n, 1});
#else
      auto d = tl::make_tensor_descriptor<8, 4>(x, {n, n}, {n, 1});
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
