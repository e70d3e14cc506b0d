// SPDX-License-Identifier: MIT
// Assigning another element type.
// expect: assignment to a tl::tensor keeps its element type; tl::cast the value
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      v = tl::zeros<double, 64>();
#else
      v = tl::cast<float>(tl::zeros<double, 64>());
#endif
    }};

int main() { kernel.trace(); }
