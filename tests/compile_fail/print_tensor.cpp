// SPDX-License-Identifier: MIT
// A tensor on std::cout.
// expect: tl::device_print prints it when the kernel runs
#include <iostream>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      std::cout << "v = " << v;
#else
      tl::device_print("v", v);
#endif
    }};

int main() { kernel.trace(); }
