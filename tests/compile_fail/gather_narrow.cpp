// SPDX-License-Identifier: MIT
// Rows of less than 32 bytes gathered through a descriptor.
// expect: gather and scatter of a descriptor move rows of at least 32 bytes
#include <tl/tl.hpp>

#ifdef WRONG
constexpr int columns = 4;
#else
constexpr int columns = 8;
#endif

constexpr auto kernel = tl::kernel{[](tl::descriptor<float, 1, columns> rows, tl::ptr<float> out) {
  auto at = tl::reshape<8, columns>(tl::arange<8 * columns>());
  tl::store(out + at, rows.gather(tl::arange<8>(), 0));
}};

int main() { kernel.trace(); }
