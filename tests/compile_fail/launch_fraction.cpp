// SPDX-License-Identifier: MIT
// A floating-point argument for an integer parameter.
// expect: an integer parameter takes an integer: convert the floating-point argument explicitly
#include <tl/tl.hpp>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](x, x, 1.5);
#else
  kernel[1](x, x, static_cast<int>(1.5));
#endif
}
