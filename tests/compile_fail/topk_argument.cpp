// SPDX-License-Identifier: MIT
// The number of elements of topk as an argument, as upstream has it.
// expect: the K of tl::topk is a template argument: write tl::topk<4>(x) instead of tl::topk(x, 4)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto best = tl::topk(v, 4);
#else
  [[maybe_unused]] auto best = tl::topk<4>(v);
#endif
}};

int main() { kernel.trace(); }
