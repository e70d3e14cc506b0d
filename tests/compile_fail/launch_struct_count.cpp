// SPDX-License-Identifier: MIT
// A struct parameter that is given too many members.
// expect: a struct parameter takes a structure of as many members
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
  tl::i32 n;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](std::forward_as_tuple(x, 1, 2));
#else
  kernel[1](std::forward_as_tuple(x, 1));
#endif
}
