// SPDX-License-Identifier: MIT
// A kernel that captures.
// expect: a kernel captures nothing: pass values as kernel parameters and constants as template
// arguments
#include <tl/tl.hpp>

int main() {
#ifdef WRONG
  int n = 3;
  auto k = tl::kernel{[n](tl::ptr<float> x) { tl::store(x, n); }};
#else
  auto k = tl::kernel{[](tl::ptr<float> x, tl::i32 n) { tl::store(x, n); }};
  k.trace();
#endif
}
