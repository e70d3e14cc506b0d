// SPDX-License-Identifier: MIT
// += on an expression declared with auto.
// expect: declare it as tl::tensor
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = v + 1;
      w += v;
#else
      tl::tensor w = v + 1;
      w += v;
#endif
    }};

int main() { kernel.trace(); }
