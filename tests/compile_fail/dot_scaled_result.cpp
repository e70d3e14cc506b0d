// SPDX-License-Identifier: MIT
// A result of integers.
// expect: tl::dot_scaled gives float, float16 or bfloat16
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto a = tl::full<std::uint8_t, 16, 32>(1);
      auto w = tl::dot_scaled<tl::e5m2, tl::e5m2, int>(a, tl::no_scale, tl::trans(a), tl::no_scale);
#else
      auto a = tl::full<std::uint8_t, 16, 32>(1);
      auto w = tl::dot_scaled<tl::e5m2, tl::e5m2, tl::float16>(a, tl::no_scale, tl::trans(a),
                                                               tl::no_scale);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
