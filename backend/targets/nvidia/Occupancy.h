// SPDX-License-Identifier: MIT
//
// How many programs of a kernel a multiprocessor holds at once, and why not more: what `tlc compile
// --emit report` says. The limits are those of NVIDIA's occupancy calculator.
#pragma once

#include <cstdint>
#include <string>

namespace tl::backend::nvidia {

struct Architecture;

/// What a program of the kernel takes.
struct ProgramResources {
  unsigned warps = 0;
  int64_t registers = 0;    // a thread
  int64_t spilledBytes = 0; // a thread, arrays on the stack included
  int64_t sharedBytes = 0;
  int64_t memoryWaits = 0; // Cubin.h
};

struct Occupancy {
  unsigned programs = 0;  // of a multiprocessor
  unsigned warps = 0;     // those programs' warps
  unsigned mostWarps = 0; // that a multiprocessor can hold
  const char *limit = ""; // "registers", "shared memory", "warps" or "programs"
};

Occupancy occupancyOf(const Architecture &architecture, const ProgramResources &program);

/// All of it as text, a line each.
std::string reportOf(const Architecture &architecture, const ProgramResources &program);

} // namespace tl::backend::nvidia
