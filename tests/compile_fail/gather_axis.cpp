// SPDX-License-Identifier: MIT
// The axis of gather as an argument, as upstream has it.
// expect: the axis of tl::gather is a template argument: write tl::gather<0>(x, indices) instead of tl::gather(x, indices, 0)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto picked = tl::gather(v, at, 0);
#else
  [[maybe_unused]] auto picked = tl::gather<0>(v, at);
#endif
}};

int main() { kernel.trace(); }
