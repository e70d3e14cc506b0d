// SPDX-License-Identifier: MIT
// A C array in the struct that is an argument.
// expect: a struct that a kernel takes holds no C array
#include <tl/tl.hpp>

struct vector {
  tl::ptr<float> out;
  std::array<tl::i32, 2> n;
};
struct host_vector {
  float *out;
#ifdef WRONG
  int n[2];
#else
  std::array<int, 2> n;
#endif
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n[0] + v.n[1], 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  kernel[1](host_vector{x.data(), {1, 2}});
}
