// SPDX-License-Identifier: MIT
// A struct of host types as parameter of a kernel.
// expect: a kernel parameter is a tl::ptr<T>, a scalar such as tl::i32 or tl::f32, or a
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
#ifdef WRONG
  int n;
#else
  tl::i32 n;
#endif
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() { kernel.trace(); }
