// SPDX-License-Identifier: MIT
// Splitting an axis of more than two elements.
// expect: tl::split takes a block whose last axis has extent 2
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::split(v);
#else
      auto w = tl::split(tl::reshape<32, 2>(v));
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
