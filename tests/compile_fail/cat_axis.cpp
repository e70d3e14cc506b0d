// SPDX-License-Identifier: MIT
// An axis that the blocks do not have.
// expect: the axis of tl::cat is not one of the tensors'
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::cat<1>(v, v);
#else
      auto w = tl::cat<0>(v, v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
