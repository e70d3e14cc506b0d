// SPDX-License-Identifier: MIT
// Bits of a float.
// expect: & | ^ << >> take integers; tl::bitcast a float first
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = v & 3;
#else
      auto w = tl::bitcast<std::int32_t>(v) & 3;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
