// SPDX-License-Identifier: MIT
// An accumulator of another shape.
// expect: the accumulator of tl::dot has the shape and the element type of the result
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      auto a = tl::zeros<float, 64, 32>();
      auto b = tl::zeros<float, 16, 64>();
      auto c = tl::zeros<float, 32, 64>();
      (void)b;
      (void)c;
#ifdef WRONG
      auto d = tl::dot(a, c, c);
#else
      auto d = tl::dot(a, c, tl::zeros<float, 64, 64>());
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
