// SPDX-License-Identifier: MIT
// A kernel with an auto parameter.
// expect: a kernel is a lambda with a fixed list of parameters
#include <tl/tl.hpp>

int main() {
#ifdef WRONG
  auto k = tl::kernel{[](auto x) { tl::store(x, 1); }};
#else
  auto k = tl::kernel{[](tl::ptr<float> x) { tl::store(x, 1); }};
  k.trace();
#endif
}
