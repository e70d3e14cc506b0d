// SPDX-License-Identifier: MIT
// A scan of a struct that cannot hold scalars.
// expect: tl::associative_scan takes a block, or a structure of blocks
#include <tl/tl.hpp>

struct two_blocks {
  tl::tensor<float, tl::shape<64>> a, b;
};

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::associative_scan<0>(two_blocks{v, v}, [](auto x, auto) { return x; });
#else
      auto w = tl::associative_scan<0>(std::array{v, v}, [](auto x, auto) { return x; });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
