// SPDX-License-Identifier: MIT
// A new axis out of range.
// expect: the axis of tl::expand_dims is between 0 and the rank
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::expand_dims<2>(v);
#else
      auto w = tl::expand_dims<1>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
