// SPDX-License-Identifier: MIT
// Transposing a vector.
// expect: tl::trans needs at least two axes
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::trans(v);
#else
      auto w = tl::trans(tl::reshape<8, 8>(v));
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
