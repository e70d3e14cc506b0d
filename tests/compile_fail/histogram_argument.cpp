// SPDX-License-Identifier: MIT
// The number of bins of histogram as an argument, as upstream has it.
// expect: the bins of tl::histogram are a template argument: write tl::histogram<16>(x) instead of tl::histogram(x, 16)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto counts = tl::histogram(at, 64);
#else
  [[maybe_unused]] auto counts = tl::histogram<64>(at);
#endif
}};

int main() { kernel.trace(); }
