// SPDX-License-Identifier: MIT
// An element of memory by [].
// expect: a tensor has no []: write tl::load(x + i) and tl::store(x + i, v) for memory
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x, x[1] * 2.0f);
#else
  tl::store(x, tl::load(x + 1) * 2.0f);
#endif
}};

int main() { kernel.trace(); }
