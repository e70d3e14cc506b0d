// SPDX-License-Identifier: MIT
// Integers that are rounded to TF32.
// expect: tl::round_to_tf32 takes float
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::round_to_tf32(at);
#else
      auto w = tl::round_to_tf32(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
