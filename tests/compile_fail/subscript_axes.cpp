// SPDX-License-Identifier: MIT
// An index with too few axes.
// expect: an index of a tensor has one tl::all for each of its axes
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = v(tl::newaxis);
#else
      auto w = v(tl::newaxis, tl::all);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
