// SPDX-License-Identifier: MIT
// A mask compared with a number.
// expect: !mask instead of mask == 0
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::store(x + at, v, (at < n) != 1);
#else
      tl::store(x + at, v, !(at < n));
#endif
    }};

int main() { kernel.trace(); }
