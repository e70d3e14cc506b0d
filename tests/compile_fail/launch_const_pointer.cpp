// SPDX-License-Identifier: MIT
// A pointer to const for memory that the kernel writes.
// expect: a tl::ptr<T> parameter is for memory that the kernel writes
#include <tl/tl.hpp>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  const float *constant = x.data();
#ifdef WRONG
  kernel[1](constant, x, 16);
#else
  kernel[1](x, constant, 16);
#endif
}
