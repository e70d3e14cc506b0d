// SPDX-License-Identifier: MIT
// A product of uint8.
// expect: tl::dot multiplies int8, and floats
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      auto a = tl::zeros<float, 64, 32>();
      auto b = tl::zeros<float, 16, 64>();
      auto c = tl::zeros<float, 32, 64>();
      (void)b;
      (void)c;
#ifdef WRONG
      auto d = tl::dot(tl::cast<std::uint8_t>(a), tl::cast<std::uint8_t>(c));
#else
      auto d = tl::dot(tl::cast<std::int8_t>(a), tl::cast<std::int8_t>(c));
      (void)d;
#endif
    }};

int main() { kernel.trace(); }
