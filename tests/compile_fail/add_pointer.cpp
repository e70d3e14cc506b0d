// SPDX-License-Identifier: MIT
// A pointer that is added by the function.
// expect: tl::add, tl::sub and tl::mul take numbers; a pointer is moved by + and -
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::add(x, at);
#else
      auto w = tl::add(n, at);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
