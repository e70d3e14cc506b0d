// SPDX-License-Identifier: MIT
// Picking an element by index.
// expect: a tensor is indexed by tl::all and tl::newaxis only
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = v(3);
#else
      auto w = tl::gather<0>(v, tl::zeros<std::int32_t, 1>() + 3);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
