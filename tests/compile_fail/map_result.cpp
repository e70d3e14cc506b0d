// SPDX-License-Identifier: MIT
// A function given to a map that returns no scalars.
// expect: the function given to tl::map_elementwise returns a scalar, or a structure of scalars
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::map_elementwise([](auto) { return "none"; }, v);
#else
      auto w = tl::map_elementwise([](auto e) { return e * 2; }, v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
