// SPDX-License-Identifier: MIT
// A reduction by a function that returns a bool.
// expect: tl::cast the result, or choose with tl::where where it is a comparison
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  tl::store(x, tl::reduce<0>(tl::load(x + at), [](auto a, auto b) { return a < b; }));
#else
  tl::store(x, tl::reduce<0>(tl::load(x + at),
                             [](auto a, auto b) { return tl::where(a < b, b, a); }));
#endif
}};

int main() { kernel.trace(); }
