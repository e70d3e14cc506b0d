// SPDX-License-Identifier: MIT
// Values that do not broadcast.
// expect: the two values of tl::where do not broadcast together
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::where(n > 0, v, tl::arange<32>());
#else
      auto w = tl::where(n > 0, v, at);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
