// SPDX-License-Identifier: MIT
// Scales of the second operand that lie as its elements do.
// expect: the scales of tl::dot_scaled's second operand have the shape <N, K / 32> or <N, K / 16>
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
  [[maybe_unused]] auto a = tl::full<std::uint8_t, 16, 32>(1);
  [[maybe_unused]] auto b = tl::full<std::uint8_t, 32, 16>(1);
#ifdef WRONG
  auto w =
      tl::dot_scaled<tl::e5m2, tl::e5m2>(a, tl::no_scale, b, tl::full<std::uint8_t, 1, 16>(127));
#else
  auto w =
      tl::dot_scaled<tl::e5m2, tl::e5m2>(a, tl::no_scale, b, tl::full<std::uint8_t, 16, 1>(127));
  (void)w;
#endif
}};

int main() { kernel.trace(); }
