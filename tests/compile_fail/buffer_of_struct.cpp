// SPDX-License-Identifier: MIT
// A buffer of something that is no number.
// expect: not a tl element type: use bool, std::int8_t
#include <tl/tl.hpp>

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  struct pair {
    float a, b;
  };
  (void)sizeof(pair);
#ifdef WRONG
  tl::buffer<pair> pairs(x.device(), 16);
#else
  tl::buffer<float> pairs(x.device(), 32);
#endif
}
