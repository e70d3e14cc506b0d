// SPDX-License-Identifier: MIT
// A combining function that takes three values of two blocks.
// expect: the function given to a reduction or scan takes two scalars, or of several blocks two of
// each
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w =
          tl::reduce<0>(std::pair(v, at), [](auto a, auto, auto i) { return std::pair(a, i); });
#else
      auto w = tl::reduce<0>(std::pair(v, at),
                             [](auto a, auto, auto, auto i) { return std::pair(a, i); });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
