// SPDX-License-Identifier: MIT
// A hint with too many values.
// expect: a hint has one value for each axis of the tensor
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::multiple_of<16, 16>(at);
#else
      auto w = tl::multiple_of<16>(at);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
