// SPDX-License-Identifier: MIT
// A loop over floats.
// expect: the bounds and the step of tl::range are scalar integers
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      for (auto i : tl::range(0, 1.5f))
        tl::store(x + i, 1);
#else
      for (auto i : tl::range(0, n))
        tl::store(x + i, 1);
#endif
    }};

int main() { kernel.trace(); }
