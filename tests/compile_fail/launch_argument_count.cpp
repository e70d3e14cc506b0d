// SPDX-License-Identifier: MIT
// A launch with one argument too few.
// expect: the kernel has another number of parameters: argument_count<given, expected>
// expect clang: argument_count<2, 3>::is_right
#include <tl/tl.hpp>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](x, x);
#else
  kernel[1](x, x, 16);
#endif
}
