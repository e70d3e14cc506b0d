// SPDX-License-Identifier: MIT
// A kernel that is called like a function.
// expect: a kernel is launched on a grid: write kernel[tl::grid(n)]
#include <tl/tl.hpp>

int main() {
  auto k = tl::kernel{[](tl::ptr<float> x, tl::i32 n) { tl::store(x + n, 1); }};
#ifdef WRONG
  k(nullptr, 64);
#else
  k[tl::grid(1)](nullptr, 64);
#endif
}
