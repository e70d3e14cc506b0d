// SPDX-License-Identifier: MIT
// A struct of host types as parameter of a kernel.
// expect: a member of a struct that a kernel takes is a tl::ptr<T>, a scalar such as tl::i32 or
// expect: vector
// expect: int
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
