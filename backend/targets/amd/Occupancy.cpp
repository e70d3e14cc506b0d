// SPDX-License-Identifier: MIT
#include "targets/amd/Occupancy.h"

#include <algorithm>
#include <utility>

namespace tl::backend::amd {

namespace {

/// A compute unit: `parts` of it have registers and waves of their own, LDS is shared.
struct UnitLimits {
  unsigned parts, wavesOfPart, registersOfPart, registerUnit;
};

UnitLimits limitsOf(const Architecture &architecture) {
  if (architecture.isCdna())
    return {4, 8, 512, 8};
  return {2, 16, 1536, 24};
}

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

Occupancy occupancyOf(const Architecture &architecture, const ProgramResources &program) {
  const UnitLimits limits = limitsOf(architecture);
  constexpr int64_t programsThatWait = 16; // barriers of a compute unit
  Occupancy found;
  found.mostWaves = limits.parts * limits.wavesOfPart;
  if (program.waves == 0)
    return found;
  const int64_t waves = program.waves;
  const int64_t ofWave =
      roundedUp(std::max<int64_t>(program.registers, 1), int64_t(limits.registerUnit));
  const int64_t wavesByRegisters = limits.registersOfPart / ofWave * limits.parts;
  const int64_t ofProgram = roundedUp(std::max<int64_t>(program.sharedBytes, 1), 512);
  const std::pair<int64_t, const char *> counts[] = {
      {wavesByRegisters / waves, "registers"},
      {int64_t(architecture.maxSharedBytes()) / ofProgram, "shared memory"},
      {found.mostWaves / waves, "waves"},
      {waves == 1 ? int64_t(found.mostWaves) : programsThatWait, "programs"}};
  // Of equal limits the first of the list.
  const auto *least = std::begin(counts);
  for (const auto &each : counts)
    if (each.first < least->first)
      least = &each;
  found.programs = unsigned(least->first);
  found.limit = least->second;
  found.waves = found.programs * program.waves;
  return found;
}

std::string reportOf(const Architecture &architecture, const ProgramResources &program) {
  const Occupancy occupancy = occupancyOf(architecture, program);
  const auto line = [](const char *name, int64_t value) {
    return std::string(name) + " " + std::to_string(value) + "\n";
  };
  return line("warps", program.waves) + line("registers", program.registers) +
         line("scalar registers", program.scalarRegisters) +
         line("spilled bytes", program.spilledBytes) + line("shared bytes", program.sharedBytes) +
         "occupancy " + std::to_string(occupancy.waves) + " of " +
         std::to_string(occupancy.mostWaves) + " warps: " + std::to_string(occupancy.programs) +
         (occupancy.programs == 1 ? " program" : " programs") + " on a compute unit, limited by " +
         occupancy.limit + "\n";
}

} // namespace tl::backend::amd
