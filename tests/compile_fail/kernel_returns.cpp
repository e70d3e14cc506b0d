// SPDX-License-Identifier: MIT
// A kernel that returns a value.
// expect: a kernel returns nothing: tl::store what it computes
#include <tl/tl.hpp>

constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
#ifdef WRONG
  return tl::load(x) * 2.0f;
#else
  tl::store(x, tl::load(x) * 2.0f);
#endif
}};

int main() { kernel.trace(); }
