// SPDX-License-Identifier: MIT
// A function given to a map that takes fewer values than there are operands.
// expect: the function given to tl::map_elementwise takes a scalar of each operand
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::map_elementwise([](auto a) { return a; }, v, at);
#else
      auto w = tl::map_elementwise([](auto a, auto) { return a; }, v, at);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
