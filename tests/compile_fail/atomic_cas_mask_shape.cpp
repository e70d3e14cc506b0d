// SPDX-License-Identifier: MIT
// A mask of tl::atomic_cas with other extents than the pointers.
// expect: the mask of tl::atomic_cas does not broadcast to the shape of the pointers
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<std::int32_t> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
      tl::atomic_cas(x + at, 0, 1, tl::arange<32>() < n);
#else
      tl::atomic_cas(x + at, 0, 1, n > 0);
#endif
    }};

int main() { kernel.trace(); }
