// SPDX-License-Identifier: MIT
// An 8-bit float and an integer.
// expect: an 8-bit float and an integer do not combine
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto q = tl::cast<tl::float8e5>(v) + at;
#else
      auto q = tl::cast<tl::float8e5>(v) + tl::cast<tl::float8e5>(v);
      (void)q;
#endif
    }};

int main() { kernel.trace(); }
