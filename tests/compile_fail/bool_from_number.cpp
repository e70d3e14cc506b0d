// SPDX-License-Identifier: MIT
// A bool initialised by a number.
// expect: a bool tensor is initialised by true or false; write x != 0 for a number
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::i1 going = 1;
#else
      tl::i1 going = true;
      tl::store(x, v.rank, going);
#endif
    }};

int main() { kernel.trace(); }
