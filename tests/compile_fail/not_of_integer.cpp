// SPDX-License-Identifier: MIT
// The logical not of integers.
// expect: ! takes a bool tensor; write x == 0
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::store(x + at, v, !i);
#else
      tl::store(x + at, v, i == 0);
#endif
    }};

int main() { kernel.trace(); }
