// SPDX-License-Identifier: MIT
// A function of <cmath> on a number and a tensor.
// expect: std::pow takes numbers of the host; in a kernel write tl::libdevice::pow
#include <tl/tl.hpp>

#include <cmath>

constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  tl::tensor v = tl::load(x + at);
#ifdef WRONG
  tl::store(x + at, std::pow(2.0f, v));
#else
  tl::store(x + at, tl::libdevice::pow(tl::full<float, 64>(2.0f), v));
#endif
}};

int main() { kernel.trace(); }
