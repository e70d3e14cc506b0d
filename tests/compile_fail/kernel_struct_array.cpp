// SPDX-License-Identifier: MIT
// A struct parameter with a C array.
// expect: a struct that a kernel takes holds no C array: write std::array<tl::i32, 2> x
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
#ifdef WRONG
  tl::i32 n[2];
#else
  std::array<tl::i32, 2> n;
#endif
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n[0] + v.n[1], 1.0f); }};

int main() { kernel.trace(); }
