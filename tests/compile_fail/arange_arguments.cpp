// SPDX-License-Identifier: MIT
// The bounds of arange as arguments, as upstream has them.
// expect: the bounds of tl::arange are template arguments: write tl::arange<0, N>()
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x + tl::arange(0, 64), 1);
#else
  tl::store(x + tl::arange<0, 64>(), 1);
#endif
}};

int main() { kernel.trace(); }
