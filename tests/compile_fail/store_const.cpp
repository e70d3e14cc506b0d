// SPDX-License-Identifier: MIT
// Storing through a pointer to const.
// expect: tl::store cannot write through a pointer to const
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<const float> c, [[maybe_unused]] tl::ptr<float> x) {
#ifdef WRONG
      tl::store(c, 1);
#else
      tl::store(x, tl::load(c));
#endif
    }};

int main() { kernel.trace(); }
