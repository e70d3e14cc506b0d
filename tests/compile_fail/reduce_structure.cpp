// SPDX-License-Identifier: MIT
// A reduction of a struct that cannot hold scalars.
// expect: tl::reduce takes a block, or a structure of blocks
#include <tl/tl.hpp>

struct two_blocks {
  tl::tensor<float, tl::shape<64>> a, b;
};
template <class T> struct two {
  T a, b;
};

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::reduce<0>(two_blocks{v, v},
                             [](auto x, auto y) { return two<tl::f32>{x.a + y.a, x.b + y.b}; });
#else
      auto w = tl::reduce<0>(two<tl::tensor<float, tl::shape<64>>>{v, v},
                             [](auto x, auto y) { return two<tl::f32>{x.a + y.a, x.b + y.b}; });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
