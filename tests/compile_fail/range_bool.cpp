// SPDX-License-Identifier: MIT
// A loop that would count in one bit.
// expect: tl::range does not count in tl::i1: cast the bound to an integer of more bits
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i1 once) {
#ifdef WRONG
      for (auto i : tl::range(once))
        tl::store(x + i, 1);
#else
      for (auto i : tl::range(tl::cast<std::int32_t>(once)))
        tl::store(x + i, 1);
#endif
    }};

int main() { kernel.trace(); }
