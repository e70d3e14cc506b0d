// SPDX-License-Identifier: MIT
// The axis of expand_dims as an argument, as upstream has it.
// expect: the axis of tl::expand_dims is a template argument: write tl::expand_dims<0>(x) instead of tl::expand_dims(x, 0)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto row = tl::expand_dims(v, 0);
#else
  [[maybe_unused]] auto row = tl::expand_dims<0>(v);
#endif
}};

int main() { kernel.trace(); }
