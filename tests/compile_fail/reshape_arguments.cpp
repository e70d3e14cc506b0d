// SPDX-License-Identifier: MIT
// The extents of reshape as arguments, as upstream has them.
// expect: the extents of tl::reshape are template arguments: write tl::reshape<8, 8>(x) instead of tl::reshape(x, 8, 8)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto tile = tl::reshape(v, 8, 8);
#else
  [[maybe_unused]] auto tile = tl::reshape<8, 8>(v);
#endif
}};

int main() { kernel.trace(); }
