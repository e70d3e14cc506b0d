// SPDX-License-Identifier: MIT
// A buffer of the host where a kernel takes pointers.
// expect: memory is a tl::ptr parameter of the kernel
#include <tl/tl.hpp>

inline tl::buffer<float> &buffer() {
  static tl::buffer<float> memory(tl::device::best(), 16);
  return memory;
}

constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x) {
#ifdef WRONG
  tl::store(buffer(), 1.0f);
#else
  tl::store(x, 1.0f);
#endif
}};

int main() { kernel[1](buffer()); }
