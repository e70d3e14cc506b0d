// SPDX-License-Identifier: MIT
// A value wider than the pointers.
// expect: the value of tl::store does not broadcast to the shape of the pointers
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      tl::store(x, v);
#else
      tl::store(x + at, v);
#endif
    }};

int main() { kernel.trace(); }
