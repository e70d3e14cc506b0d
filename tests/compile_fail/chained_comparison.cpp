// SPDX-License-Identifier: MIT
// A two-sided comparison as in mathematics.
// expect: comparisons do not chain: write (a <= x) & (x < b)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::store(x + at, v, 0 <= at < n);
#else
      tl::store(x + at, v, (0 <= at) & (at < n));
#endif
    }};

int main() { kernel.trace(); }
