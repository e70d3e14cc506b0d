// SPDX-License-Identifier: MIT
// A plain for over a bound that is known only when the kernel runs.
// expect: a tensor has no value while the kernel is traced
// expect: tl::range instead of a plain for over a run-time bound
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel = tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
  [[maybe_unused]] auto at = tl::arange<64>();
#ifdef WRONG
  for (int i = 0; i < n; ++i)
    tl::store(x + i, 1);
#else
  for (auto i : tl::range(n))
    tl::store(x + i, 1);
#endif
}};

int main() { kernel.trace(); }
