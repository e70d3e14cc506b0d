// SPDX-License-Identifier: MIT
// tl::max where the larger of two is meant.
// expect: the larger of two is tl::maximum
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x, tl::max(tl::load(x), tl::load(x + 1)));
#else
  tl::store(x, tl::maximum(tl::load(x), tl::load(x + 1)));
#endif
}};

int main() { kernel.trace(); }
