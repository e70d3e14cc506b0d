// SPDX-License-Identifier: MIT
// Pairs of e2m1 along K where they lie along M.
// expect: inner dimensions of tl::dot_scaled differ; e2m1 packs two elements into a byte
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto a = tl::full<std::uint8_t, 16, 32>(1);
      auto w = tl::dot_scaled<tl::e2m1, tl::e5m2>(a, tl::no_scale, tl::trans(a), tl::no_scale);
#else
      auto a = tl::full<std::uint8_t, 16, 32>(1);
      auto w = tl::dot_scaled<tl::e2m1_mn, tl::e5m2>(a, tl::no_scale, tl::trans(a), tl::no_scale);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
