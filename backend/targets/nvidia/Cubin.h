// SPDX-License-Identifier: MIT
//
// What a cubin says of itself: registers and local memory of a kernel, and how its loads are
// spread. And its disassembly, where NVIDIA's nvdisasm is installed.
#pragma once

#include <cstdint>
#include <string>

namespace tl::backend::nvidia {

struct CubinResources {
  int64_t registers = 0;  // a thread
  int64_t localBytes = 0; // a thread: spilled registers and arrays on the stack
  /// Waits for loads of global memory into registers, straight through the code: a wait for one
  /// load is a wait for all before it, so that four loads and then their four uses count once, and
  /// four loads each with its use right after it four times.
  int64_t memoryWaits = 0;
};

/// Zeros for what cannot be found.
CubinResources resourcesOf(const std::string &cubin, const std::string &symbol);

/// Path of nvdisasm; empty if there is none.
const std::string &disassemblerPath();
std::string disassemble(const std::string &cubin);

} // namespace tl::backend::nvidia
