// SPDX-License-Identifier: MIT
// if on a value that is known only when the kernel runs.
// expect: a tensor has no value while the kernel is traced: write tl::if_ or tl::where
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      if (n > 3)
        tl::store(x, 1);
#else
      tl::if_(n > 3, [&] { tl::store(x, 1); });
#endif
    }};

int main() { kernel.trace(); }
