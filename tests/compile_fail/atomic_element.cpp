// SPDX-License-Identifier: MIT
// An atomic on bytes.
// expect: tl::atomic_add does not take the element type
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{
    []([[maybe_unused]] tl::ptr<std::int8_t> b, [[maybe_unused]] tl::ptr<std::int32_t> i) {
#ifdef WRONG
      tl::atomic_add(b, 1);
#else
      tl::atomic_add(i, 1);
#endif
    }};

int main() { kernel.trace(); }
