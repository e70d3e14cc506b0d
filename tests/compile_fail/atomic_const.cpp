// SPDX-License-Identifier: MIT
// An atomic through a pointer to const.
// expect: tl::atomic_add cannot write through a pointer to const
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{
    []([[maybe_unused]] tl::ptr<const std::int32_t> c, [[maybe_unused]] tl::ptr<std::int32_t> i) {
#ifdef WRONG
      tl::atomic_add(c, 1);
#else
      tl::atomic_add(i, 1);
#endif
    }};

int main() { kernel.trace(); }
