// SPDX-License-Identifier: MIT
// A function given to a map with pack that takes one value.
// expect: the function given to tl::map_elementwise takes a scalar of each operand
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::map_elementwise<2>([](auto a) { return std::tuple(a, a); }, v);
#else
      auto w = tl::map_elementwise<2>([](auto a, auto b) { return std::tuple(a, b); }, v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
