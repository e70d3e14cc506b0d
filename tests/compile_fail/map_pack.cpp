// SPDX-License-Identifier: MIT
// Several elements at a time of a structure.
// expect: the pack of tl::map_elementwise is for blocks and numbers, not for structures
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::map_elementwise<2>([](auto a, auto) { return a; }, std::pair(v, at));
#else
      auto w = tl::map_elementwise<2>([](auto a, auto b) { return std::tuple(a, b); }, v);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
