// SPDX-License-Identifier: MIT
// Indices of other extents.
// expect: tl::gather takes indices whose extents are those of the source on the other axes
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::gather<0>(tl::reshape<8, 8>(v), tl::zeros<std::int32_t, 4, 4>());
#else
      auto w = tl::gather<0>(tl::reshape<8, 8>(v), tl::zeros<std::int32_t, 4, 8>());
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
