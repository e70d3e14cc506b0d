// SPDX-License-Identifier: MIT
//
// How many programs of a kernel a compute unit holds at once, and why not more: what `tlc compile
// --emit report` says.
#pragma once

#include "targets/amd/Architecture.h"

#include <cstdint>
#include <string>

namespace tl::backend::amd {

/// What a program of the kernel takes.
struct ProgramResources {
  unsigned waves = 0;
  int64_t registers = 0, scalarRegisters = 0; // vector registers of a thread, and of a wave
  int64_t spilledBytes = 0;                   // a thread, arrays on the stack included
  int64_t sharedBytes = 0;
};

struct Occupancy {
  unsigned programs = 0;  // of a compute unit
  unsigned waves = 0;     // those programs' waves
  unsigned mostWaves = 0; // that a compute unit can hold
  const char *limit = ""; // "registers", "shared memory", "waves" or "programs"
};

Occupancy occupancyOf(const Architecture &architecture, const ProgramResources &program);

/// Both as text, a line each.
std::string reportOf(const Architecture &architecture, const ProgramResources &program);

} // namespace tl::backend::amd
