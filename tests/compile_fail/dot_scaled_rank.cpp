// SPDX-License-Identifier: MIT
// Scaled products of lines.
// expect: tl::dot_scaled takes two matrices, or two batches of matrices
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
  [[maybe_unused]] auto a = tl::full<std::uint8_t, 16, 32>(1);
  [[maybe_unused]] auto b = tl::full<std::uint8_t, 32, 16>(1);
#ifdef WRONG
  auto w =
      tl::dot_scaled<tl::e5m2, tl::e5m2>(tl::ravel(a), tl::no_scale, tl::ravel(b), tl::no_scale);
#else
  auto w = tl::dot_scaled<tl::e5m2, tl::e5m2>(a, tl::no_scale, b, tl::no_scale);
  (void)w;
#endif
}};

int main() { kernel.trace(); }
