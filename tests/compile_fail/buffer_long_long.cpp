// SPDX-License-Identifier: MIT
// A buffer of an integer without a fixed width.
// expect: this integer is not a tl element type: write the fixed-width name (std::int64_t instead
// of
#include <tl/tl.hpp>

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
#ifdef WRONG
  tl::buffer<long long> wide(x.device(), 16);
#else
  tl::buffer<std::int64_t> wide(x.device(), 16);
#endif
}
