// SPDX-License-Identifier: MIT
// An accumulator of float16 that gets float values.
// expect: assignment to a tl::tensor keeps its element type
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      tl::tensor h = tl::zeros<tl::float16, 64>();
#ifdef WRONG
      h += v;
#else
      h += tl::cast<tl::float16>(v);
#endif
    }};

int main() { kernel.trace(); }
