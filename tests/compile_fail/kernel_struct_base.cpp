// SPDX-License-Identifier: MIT
// A struct parameter with a base class.
// expect: a struct that a kernel takes has no base class: make that a member
#include <tl/tl.hpp>

struct base {
  tl::i32 n;
};
#ifdef WRONG
struct vector : base {
#else
struct vector {
  tl::i32 n;
#endif
  tl::ptr<float> out;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() { kernel.trace(); }
