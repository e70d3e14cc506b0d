// SPDX-License-Identifier: MIT
// A block as condition of two branches.
// expect: a condition is a scalar; reduce the block first, or use tl::where
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::if_(v > 0, [&] { tl::store(x, 1); }, [&] { tl::store(x, 2); });
#else
      tl::if_(tl::max(v) > 0, [&] { tl::store(x, 1); }, [&] { tl::store(x, 2); });
#endif
    }};

int main() { kernel.trace(); }
