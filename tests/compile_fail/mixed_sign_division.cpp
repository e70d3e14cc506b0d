// SPDX-License-Identifier: MIT
// Signed divided by unsigned.
// expect: / and % of a signed and an unsigned integer are ambiguous
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto q = at / tl::cast<std::uint32_t>(at);
#else
      auto q = at / at;
      (void)q;
#endif
    }};

int main() { kernel.trace(); }
