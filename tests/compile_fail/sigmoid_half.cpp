// SPDX-License-Identifier: MIT
// A sigmoid of float16.
// expect: tl::sigmoid takes float or double; tl::cast<float> the tensor first
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::ptr<tl::float16> y) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
  [[maybe_unused]] tl::tensor h = tl::load(y + at);
#ifdef WRONG
  [[maybe_unused]] auto gate = tl::sigmoid(h);
#else
  [[maybe_unused]] auto gate = tl::sigmoid(tl::cast<float>(h));
#endif
}};

int main() { kernel.trace(); }
