// SPDX-License-Identifier: MIT
// tl::f32 as the target of a cast.
// expect: tl::cast takes an element type: write tl::cast<float>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::cast<tl::f32>(v);
#else
      auto w = tl::cast<float>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
