// SPDX-License-Identifier: MIT
// A histogram without bins.
// expect: tl::histogram counts into at least 1 bin
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::histogram<0>(at);
#else
      auto w = tl::histogram<10>(at);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
