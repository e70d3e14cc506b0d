// SPDX-License-Identifier: MIT
// An accumulator of another type than the result.
// expect: the accumulator of tl::dot_scaled has the shape and the element type of the result
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
  [[maybe_unused]] auto a = tl::full<std::uint8_t, 16, 32>(1);
  [[maybe_unused]] auto b = tl::full<std::uint8_t, 32, 16>(1);
#ifdef WRONG
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2, float>(a, tl::no_scale, b, tl::no_scale,
                                                     tl::zeros<tl::float16, 16, 16>());
#else
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2, float>(a, tl::no_scale, b, tl::no_scale,
                                                     tl::zeros<float, 16, 16>());
  (void)w;
#endif
}};

int main() { kernel.trace(); }
