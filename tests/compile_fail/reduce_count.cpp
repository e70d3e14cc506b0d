// SPDX-License-Identifier: MIT
// A combining function that returns less than it takes.
// expect: the function given to a reduction or scan returns one scalar for each block
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::reduce<0>(std::pair(v, at), [](auto a, auto, auto b, auto) { return a + b; });
#else
      auto w = tl::reduce<0>(std::pair(v, at),
                             [](auto a, auto i, auto b, auto) { return std::pair(a + b, i); });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
