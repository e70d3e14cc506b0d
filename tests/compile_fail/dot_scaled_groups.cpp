// SPDX-License-Identifier: MIT
// Scales that do not cover the last elements.
// expect: the scales of tl::dot_scaled's first operand have the shape <M, K / 32> or <M, K / 16>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
  [[maybe_unused]] auto scales = tl::full<std::uint8_t, 16, 3>(127);
#ifdef WRONG
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2>(tl::full<std::uint8_t, 16, 50>(1), scales,
                                              tl::full<std::uint8_t, 50, 16>(1), tl::no_scale);
#else
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2>(tl::full<std::uint8_t, 16, 48>(1), scales,
                                              tl::full<std::uint8_t, 48, 16>(1), tl::no_scale);
  (void)w;
#endif
}};

int main() { kernel.trace(); }
