// SPDX-License-Identifier: MIT
// The axes of trans as arguments, as upstream has them.
// expect: the axes of tl::trans are template arguments of another function: write tl::permute<1, 0>(x) instead of tl::trans(x, 1, 0)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto turned = tl::trans(tl::reshape<8, 8>(v), 1, 0);
#else
  [[maybe_unused]] auto turned = tl::trans(tl::reshape<8, 8>(v));
#endif
}};

int main() { kernel.trace(); }
