// SPDX-License-Identifier: MIT
//
// How many programs fit on a multiprocessor, beside NVIDIA's occupancy calculator.
#include "targets/nvidia/Architecture.h"
#include "targets/nvidia/Occupancy.h"

#include <doctest/doctest.h>

#include <string>

using namespace tl::backend::nvidia;

namespace {

Occupancy occupancy(const char *name, const ProgramResources &program) {
  return occupancyOf(*Architecture::parse(name), program);
}

} // namespace

TEST_CASE("the scarcest resource limits the programs of a multiprocessor") {
  Occupancy found = occupancy("sm_90a", {.warps = 8, .registers = 168, .sharedBytes = 196608});
  CHECK(found.programs == 1);
  CHECK(found.warps == 8);
  CHECK(found.mostWarps == 64);
  CHECK(std::string(found.limit) == "registers");
  found = occupancy("sm_90a", {.warps = 4, .registers = 128, .sharedBytes = 100 * 1024});
  CHECK(found.programs == 2);
  CHECK(std::string(found.limit) == "shared memory");
  found = occupancy("sm_80", {.warps = 8, .registers = 32});
  CHECK(found.programs == 8);
  CHECK(std::string(found.limit) == "registers");
  found = occupancy("sm_80", {.warps = 32, .registers = 16});
  CHECK(found.programs == 2);
  CHECK(std::string(found.limit) == "warps");
  found = occupancy("sm_90a", {.warps = 1, .registers = 16});
  CHECK(found.programs == 32);
  CHECK(std::string(found.limit) == "programs");
  found = occupancy("sm_86", {.warps = 1, .registers = 16});
  CHECK(found.programs == 16);
  CHECK(found.mostWarps == 48);
}

TEST_CASE("a multiprocessor hands out registers by warps and in units") {
  // 41 registers are 48 for each thread: 42 warps, of which 40 in four equal parts.
  const Occupancy found = occupancy("sm_90a", {.warps = 4, .registers = 41});
  CHECK(found.programs == 10);
}

TEST_CASE("a report has a line for each resource") {
  CHECK(reportOf(*Architecture::parse("sm_90a"), {.warps = 8,
                                                  .registers = 255,
                                                  .spilledBytes = 24,
                                                  .sharedBytes = 1024,
                                                  .memoryWaits = 2}) ==
        "warps 8\nregisters 255\nspilled bytes 24\nshared bytes 1024\nmemory waits 2\n"
        "occupancy 8 of 64 warps: 1 program on a multiprocessor, limited by registers\n");
}
