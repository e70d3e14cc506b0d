// SPDX-License-Identifier: MIT
// The axis of a reduction as an argument, as upstream has it.
// expect: the axis of a reduction or scan is a template argument: write tl::sum<0>(x) instead of tl::sum(x, 0)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x, tl::sum(tl::load(x + at), 0));
#else
  tl::store(x, tl::sum<0>(tl::load(x + at)));
#endif
}};

int main() { kernel.trace(); }
