// SPDX-License-Identifier: MIT
// The extents of broadcast_to as arguments, as upstream has them.
// expect: the extents of tl::broadcast_to are template arguments: write tl::broadcast_to<8, 8>(x) instead of tl::broadcast_to(x, 8, 8)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto tile = tl::broadcast_to(tl::reshape<1, 64>(v), 4, 64);
#else
  [[maybe_unused]] auto tile = tl::broadcast_to<4, 64>(tl::reshape<1, 64>(v));
#endif
}};

int main() { kernel.trace(); }
