// SPDX-License-Identifier: MIT
// Two arms of different types.
// expect: the two functions given to tl::if_ return the same type
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::if_(n > 0, [&] { return v; }, [&] { return n; });
#else
      auto w = tl::if_(n > 0, [&] { return v; }, [&] { return v * 2; });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
