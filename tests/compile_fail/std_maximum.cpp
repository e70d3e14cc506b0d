// SPDX-License-Identifier: MIT
// std::max on tensors.
// expect: a tensor has no value while the kernel is traced
// expect: tl::maximum instead of std::min and std::max
#include <tl/tl.hpp>

#include <algorithm>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  auto a = tl::load(x), b = tl::load(x + 1);
  tl::store(x, std::max(a, b));
#else
  auto a = tl::load(x), b = tl::load(x + 1);
  tl::store(x, tl::maximum(a, b));
#endif
}};

int main() { kernel.trace(); }
