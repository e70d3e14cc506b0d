// SPDX-License-Identifier: MIT
// The extents of zeros as arguments, as upstream has them.
// expect: the extents of tl::zeros are template arguments: write tl::zeros<float, 8, 8>() instead of tl::zeros<float>(8, 8)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto acc = tl::zeros<float>(64);
#else
  [[maybe_unused]] auto acc = tl::zeros<float, 64>();
#endif
}};

int main() { kernel.trace(); }
