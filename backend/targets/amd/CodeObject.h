// SPDX-License-Identifier: MIT
//
// What a code object says of its kernel: the metadata in its note, which the loader reads too.
// Next: Occupancy.h for what follows from it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tl::backend::amd {

struct KernelResources {
  std::string symbol;
  int64_t vectorRegisters = 0, scalarRegisters = 0; // accumulation registers count among the first
  int64_t spilledRegisters = 0;                     // of both kinds
  int64_t privateBytes = 0;                         // of a thread in global memory: spills, calls
  int64_t sharedBytes = 0, parameterBytes = 0;
  int64_t lanes = 0, mostThreads = 0;
};

/// Of the only kernel of a code object. Throws Error.
KernelResources resourcesOf(llvm::StringRef codeObject);

} // namespace tl::backend::amd
