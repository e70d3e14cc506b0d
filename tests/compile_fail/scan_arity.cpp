// SPDX-License-Identifier: MIT
// A combining function that takes one value.
// expect: the function given to a reduction or scan takes two scalars, or of several blocks two of
// each
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::associative_scan<0>(v, [](auto a) { return a; });
#else
      auto w = tl::associative_scan<0>(v, [](auto a, auto b) { return a + b; });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
