// SPDX-License-Identifier: MIT
// A struct parameter of 17 members.
// expect: a struct that a kernel takes has at most 16 members
#include <tl/tl.hpp>

struct vector {
  tl::i32 a, b, c, d, e, f, g, h, i, j, k, l, m, n, o;
#ifdef WRONG
  tl::i32 p;
#endif
  tl::ptr<float> out;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.o, 1.0f); }};

int main() { kernel.trace(); }
