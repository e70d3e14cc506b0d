// SPDX-License-Identifier: MIT
// A bool block filled by a number.
// expect: a bool tensor is filled by true or false; write x != 0 for a number
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::store(x + at, v, tl::full<bool, 64>(1));
#else
      tl::store(x + at, v, tl::full<bool, 64>(true));
#endif
    }};

int main() { kernel.trace(); }
