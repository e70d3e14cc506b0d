// SPDX-License-Identifier: MIT
// A block of one element as condition.
// expect: write tl::reshape<>(x)
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::if_(tl::load(x + tl::arange<1>()) > 0, [&] { tl::store(x, 1); });
#else
      tl::if_(tl::reshape<>(tl::load(x + tl::arange<1>())) > 0, [&] { tl::store(x, 1); });
#endif
    }};

int main() { kernel.trace(); }
