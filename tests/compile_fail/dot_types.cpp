// SPDX-License-Identifier: MIT
// Operands of two types.
// expect: tl::dot takes operands of one element type, or two 8-bit floats
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      auto a = tl::zeros<float, 64, 32>();
      auto b = tl::zeros<float, 16, 64>();
      auto c = tl::zeros<float, 32, 64>();
      (void)b;
      (void)c;
#ifdef WRONG
      auto d = tl::dot(a, tl::cast<tl::float16>(c));
#else
      auto d = tl::dot(tl::cast<tl::float16>(a), tl::cast<tl::float16>(c));
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
