// SPDX-License-Identifier: MIT
// More values than the configuration has members.
// expect: tl::combinations takes as many values as the configuration, a struct, has members
#include <tl/tl.hpp>

struct config {
  int block, num_warps;
};

#ifdef WRONG
constexpr auto list = tl::combinations<config>(tl::one_of(64, 128), 4, 3);
#else
constexpr auto list = tl::combinations<config>(tl::one_of(64, 128), 4);
#endif

int main() { return list.values.size() == 2 ? 0 : 1; }
