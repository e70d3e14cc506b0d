// SPDX-License-Identifier: MIT
// A product of vectors.
// expect: tl::dot takes two matrices
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto d = tl::dot(v, v);
#else
      auto d = tl::sum(v * v);
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
