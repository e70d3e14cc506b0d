// SPDX-License-Identifier: MIT
// A mask of tl::atomic_cas that is no bool.
// expect: the mask of tl::atomic_cas is a bool tensor
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<std::int32_t> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
      tl::atomic_cas(x + at, 0, 1, at);
#else
      tl::atomic_cas(x + at, 0, 1, at < n);
#endif
    }};

int main() { kernel.trace(); }
