// SPDX-License-Identifier: MIT
// An operand of a map that is no block.
// expect: tl::map_elementwise takes blocks, numbers and structures of them
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::map_elementwise([](auto e, auto) { return e; }, v, "text");
#else
      auto w = tl::map_elementwise([](auto e, auto) { return e; }, v, 1);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
