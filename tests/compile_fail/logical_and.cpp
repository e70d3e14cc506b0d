// SPDX-License-Identifier: MIT
// && of tensors.
// expect: and & | instead of && ||
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto c = (n > 3) && true;
#else
      auto c = (n > 3) & (n < 9);
      (void)c;
#endif
    }};

int main() { kernel.trace(); }
