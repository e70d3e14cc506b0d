// SPDX-License-Identifier: MIT
// Another compile-time number than the parameter is.
// expect: a parameter that is a compile-time number takes the same one
#include <tl/tl.hpp>

constexpr auto kernel = tl::kernel{
    [](tl::ptr<float> out, std::integral_constant<int, 4> n) { tl::store(out + n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  kernel[1](x, 4);
#else
  kernel[1](x, std::integral_constant<int, 4>());
#endif
}
