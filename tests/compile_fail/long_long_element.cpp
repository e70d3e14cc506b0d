// SPDX-License-Identifier: MIT
// long long as element type.
// expect: write the fixed-width name (std::int64_t
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
#ifdef WRONG
      tl::tensor<long long> w;
#else
      tl::tensor<std::int64_t> w;
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
