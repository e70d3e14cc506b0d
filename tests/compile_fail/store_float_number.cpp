// SPDX-License-Identifier: MIT
// A fraction stored as an integer.
// expect: a float number cannot be stored as an integer
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<std::int32_t> i) {
#ifdef WRONG
  tl::store(i, 1.5f);
#else
  tl::store(i, 1);
#endif
}};

int main() { kernel.trace(); }
