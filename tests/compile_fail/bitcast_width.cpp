// SPDX-License-Identifier: MIT
// Bits of another width.
// expect: tl::bitcast keeps the width of the elements
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::bitcast<std::int16_t>(v);
#else
      auto w = tl::bitcast<std::int32_t>(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
