// SPDX-License-Identifier: MIT
// The axis of program_id as a template argument.
// expect: the axis of tl::program_id is an argument: write tl::program_id(0) instead of tl::program_id<0>()
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  auto at = tl::arange<64>();
  [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
  [[maybe_unused]] auto row = tl::program_id<0>();
#else
  [[maybe_unused]] auto row = tl::program_id(0);
#endif
}};

int main() { kernel.trace(); }
