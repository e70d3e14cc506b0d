// SPDX-License-Identifier: MIT
// The complement of floats.
// expect: ~ and ! take integers and bools
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::store(x + at, ~v);
#else
      tl::store(y + at, ~i);
#endif
    }};

int main() { kernel.trace(); }
