// SPDX-License-Identifier: MIT
// A pointer to the name of a scalar instead of to an element type.
// expect: an element type is expected here: write float instead of tl::f32
#include <tl/tl.hpp>

int main() {
#ifdef WRONG
  auto k = tl::kernel{[]([[maybe_unused]] tl::ptr<tl::i32> x) { tl::store(x, 1); }};
#else
  auto k = tl::kernel{[](tl::ptr<std::int32_t> x) { tl::store(x, 1); }};
#endif
  k.trace();
  k[1](nullptr);
}
