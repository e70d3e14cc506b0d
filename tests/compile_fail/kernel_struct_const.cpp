// SPDX-License-Identifier: MIT
// A const member, of a struct in a struct parameter.
// expect: a member of a struct that a kernel takes is not const
// expect: span
#include <tl/tl.hpp>

struct span {
  tl::i32 first;
#ifdef WRONG
  const tl::i32 last;
#else
  tl::i32 last;
#endif
};
struct vector {
  tl::ptr<float> out;
  span s;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.s.last, 1.0f); }};

int main() { kernel.trace(); }
