// SPDX-License-Identifier: MIT
//
// Prints what a launch costs the host: see launch_cost.hpp. A measurement, not a test.
#include "launch_cost.hpp"

#include <cstdio>

int main() try {
  const tl::device dev("cuda:0");
  const launch_cost::costs c = launch_cost::measure(dev);
  std::printf("a launch of 5 arguments on %s\n", dev.description().data());
  std::printf("  cuLaunchKernel       %8.1f ns\n", c.raw);
  std::printf("  tl_launch            %8.1f ns, %.1f more\n", c.door, c.door - c.raw);
  std::printf("  kernel[grid](...)    %8.1f ns, %.1f more\n", c.tl, c.tl - c.raw);
} catch (const std::exception &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
