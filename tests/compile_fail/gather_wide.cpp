// SPDX-License-Identifier: MIT
// Rows of 64-bit elements gathered through a descriptor.
// expect: gather and scatter of a descriptor move elements of at most 32 bits
#include <tl/tl.hpp>

#ifdef WRONG
using element = double;
#else
using element = float;
#endif

constexpr auto kernel = tl::kernel{[](tl::descriptor<element, 1, 16> rows, tl::ptr<element> out) {
  auto at = tl::reshape<8, 16>(tl::arange<128>());
  tl::store(out + at, rows.gather(tl::arange<8>(), 0));
}};

int main() { kernel.trace(); }
