// SPDX-License-Identifier: MIT
// Joining two element types.
// expect: tl::join takes two blocks of one element type
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::join(v, at);
#else
      auto w = tl::join(v, tl::cast<float>(at));
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
