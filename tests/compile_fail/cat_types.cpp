// SPDX-License-Identifier: MIT
// Two blocks of different element types, one after the other.
// expect: tl::cat takes two blocks of one element type; tl::cast one of them
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::ptr<tl::float16> y) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
  [[maybe_unused]] tl::tensor h = tl::load(y + at);
#ifdef WRONG
  [[maybe_unused]] auto both = tl::cat(v, h);
#else
  [[maybe_unused]] auto both = tl::cat(v, tl::cast<float>(h));
#endif
}};

int main() { kernel.trace(); }
