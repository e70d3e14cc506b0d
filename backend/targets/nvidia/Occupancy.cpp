// SPDX-License-Identifier: MIT
#include "targets/nvidia/Occupancy.h"

#include "targets/nvidia/Architecture.h"

#include <algorithm>
#include <utility>

namespace tl::backend::nvidia {

namespace {

/// What all programs of a multiprocessor share, besides 65536 registers.
struct MultiprocessorLimits {
  unsigned warps, programs;
  uint64_t sharedBytes;
};

MultiprocessorLimits limitsOf(const Architecture &architecture) {
  const unsigned number = architecture.number;
  // The driver keeps 1 KB for each program, which a lone one cannot have either.
  const uint64_t sharedBytes = architecture.maxSharedBytes() + 1024;
  if (number == 80 || (number >= 90 && number < 110))
    return {64, 32, sharedBytes};
  return {48, number == 89 || number >= 110 ? 24u : 16u, sharedBytes};
}

uint64_t roundedUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

Occupancy occupancyOf(const Architecture &architecture, const ProgramResources &program) {
  const MultiprocessorLimits limits = limitsOf(architecture);
  Occupancy found;
  found.mostWarps = limits.warps;
  if (program.warps == 0)
    return found;
  // Registers are handed out to warps, 256 at a time; a multiprocessor has four equal parts.
  constexpr uint64_t registers = 65536, unit = 256, parts = 4;
  const uint64_t ofWarp =
      std::max(unit, roundedUp(uint64_t(std::max<int64_t>(program.registers, 1)) * 32, unit));
  const uint64_t ofProgram = roundedUp(uint64_t(program.sharedBytes) + 1024, 128);
  const std::pair<uint64_t, const char *> counts[] = {
      {registers / ofWarp / parts * parts / program.warps, "registers"},
      {limits.sharedBytes / ofProgram, "shared memory"},
      {limits.warps / program.warps, "warps"},
      {limits.programs, "programs"}};
  const auto least = *std::min_element(std::begin(counts), std::end(counts));
  found.programs = unsigned(least.first);
  // Of equal limits the first of the list.
  for (const auto &[count, limit] : counts)
    if (count == least.first) {
      found.limit = limit;
      break;
    }
  found.warps = found.programs * program.warps;
  return found;
}

std::string reportOf(const Architecture &architecture, const ProgramResources &program) {
  const Occupancy occupancy = occupancyOf(architecture, program);
  const auto line = [](const char *name, int64_t value) {
    return std::string(name) + " " + std::to_string(value) + "\n";
  };
  return line("warps", program.warps) + line("registers", program.registers) +
         line("spilled bytes", program.spilledBytes) + line("shared bytes", program.sharedBytes) +
         line("memory waits", program.memoryWaits) + "occupancy " +
         std::to_string(occupancy.warps) + " of " + std::to_string(occupancy.mostWarps) +
         " warps: " + std::to_string(occupancy.programs) +
         (occupancy.programs == 1 ? " program" : " programs") +
         " on a multiprocessor, limited by " + occupancy.limit + "\n";
}

} // namespace tl::backend::nvidia
