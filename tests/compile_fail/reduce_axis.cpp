// SPDX-License-Identifier: MIT
// A reduction along an axis that is not there.
// expect: the axis of a reduction is not one of the tensor's
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::sum<1>(v);
#else
      auto w = tl::sum<0>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
