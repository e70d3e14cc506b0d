// SPDX-License-Identifier: MIT
// A constant member that the kernel writes.
// expect: a tl::ptr<T> parameter is for memory that the kernel writes
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
  tl::i32 n;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](std::forward_as_tuple(std::as_const(x), 1));
#else
  kernel[1](std::forward_as_tuple(x, 1));
#endif
}
