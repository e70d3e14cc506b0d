// SPDX-License-Identifier: MIT
// A struct parameter that is given a buffer.
// expect: a struct parameter takes a struct, std::tuple or std::array of the host
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
  tl::i32 n;
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](x);
#else
  kernel[1](std::forward_as_tuple(x, 1));
#endif
}
