// SPDX-License-Identifier: MIT
// Pointers compared.
// expect: pointers can only be moved by + and -
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      auto c = x < x;
#else
      auto c = tl::cast<std::int64_t>(x) < 5;
      (void)c;
#endif
    }};

int main() { kernel.trace(); }
