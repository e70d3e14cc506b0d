// SPDX-License-Identifier: MIT
// A function of <cmath> on a tensor.
// expect: std::exp takes numbers of the host; in a kernel write tl::exp
#include <tl/tl.hpp>

#include <cmath>

constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  tl::tensor v = tl::load(x + at);
#ifdef WRONG
  tl::store(x + at, std::exp(v));
#else
  tl::store(x + at, tl::exp(v));
#endif
}};

int main() { kernel.trace(); }
