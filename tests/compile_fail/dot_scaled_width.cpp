// SPDX-License-Identifier: MIT
// Bytes that are said to be of 16 bits.
// expect: an operand of tl::dot_scaled has the width of its format
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
  [[maybe_unused]] auto a = tl::full<std::uint8_t, 16, 32>(1);
  [[maybe_unused]] auto b = tl::full<std::uint8_t, 32, 16>(1);
#ifdef WRONG
  auto w = tl::dot_scaled<tl::formats::fp16, tl::e5m2>(a, tl::no_scale, b, tl::no_scale);
#else
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2>(a, tl::no_scale, b, tl::no_scale);
  (void)w;
#endif
}};

int main() { kernel.trace(); }
