// SPDX-License-Identifier: MIT
// Two new axes in one place.
// expect: the axes of tl::expand_dims are different ones of its result
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::expand_dims<0, -3>(v);
#else
      auto w = tl::expand_dims<0, -1>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
