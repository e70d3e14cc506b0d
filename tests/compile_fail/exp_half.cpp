// SPDX-License-Identifier: MIT
// A float function of float16.
// expect: tl::exp takes float or double; tl::cast<float> the tensor first
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::exp(tl::cast<tl::float16>(v));
#else
      auto w = tl::exp(v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
