// SPDX-License-Identifier: MIT
// A text for a scalar parameter.
// expect: a scalar parameter takes a number of the host
#include <tl/tl.hpp>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](x, x, "16");
#else
  kernel[1](x, x, 16);
#endif
}
