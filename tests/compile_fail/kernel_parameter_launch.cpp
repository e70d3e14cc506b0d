// SPDX-License-Identifier: MIT
// A kernel with a C++ int as parameter, traced and launched.
// expect: a kernel parameter is a tl::ptr<T>, a scalar such as tl::i32 or tl::f32, or a
#include <tl/tl.hpp>

int main() {
#ifdef WRONG
  auto k = tl::kernel{[](tl::ptr<float> x, int n) { tl::store(x + n, 1); }};
#else
  auto k = tl::kernel{[](tl::ptr<float> x, tl::i32 n) { tl::store(x + n, 1); }};
#endif
  k.trace();
  k[1](nullptr, 3);
}
