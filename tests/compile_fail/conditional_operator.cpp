// SPDX-License-Identifier: MIT
// ?: on a tensor.
// expect: write tl::if_ or tl::where instead of if and ?:
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto w = n > 3 ? 1 : 2;
#else
      auto w = tl::where(n > 3, 1, 2);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
