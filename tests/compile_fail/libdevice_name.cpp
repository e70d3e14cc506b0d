// SPDX-License-Identifier: MIT
// A function of libdevice looked for in tl.
// expect: tl has no function tanh of its own: write tl::libdevice::tanh
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x + at, tl::tanh(tl::load(x + at)));
#else
  tl::store(x + at, tl::libdevice::tanh(tl::load(x + at)));
#endif
}};

int main() { kernel.trace(); }
