// SPDX-License-Identifier: MIT
// A predicate that no configuration satisfies.
// expect: the predicate of tl::filtered leaves no configuration
#include <tl/tl.hpp>

struct config {
  int block, num_warps;
};

#ifdef WRONG
constexpr int least = 256;
#else
constexpr int least = 128;
#endif
constexpr auto list = tl::filtered<tl::combinations<config>(tl::one_of(64, 128), 4)>(
    [](config c) { return c.block >= least; });

int main() { return list.values.size() == 1 ? 0 : 1; }
