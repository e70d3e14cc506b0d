// SPDX-License-Identifier: MIT
//
// What a cubin says of itself: registers and local memory of a kernel. And its disassembly, where
// NVIDIA's nvdisasm is installed.
#pragma once

#include <cstdint>
#include <string>

namespace tl::backend::nvidia {

struct CubinResources {
  int64_t registers = 0;  // a thread
  int64_t localBytes = 0; // a thread: spilled registers and arrays on the stack
};

/// Zeros for what cannot be found.
CubinResources resourcesOf(const std::string &cubin, const std::string &symbol);

/// Path of nvdisasm; empty if there is none.
const std::string &disassemblerPath();
std::string disassemble(const std::string &cubin);

} // namespace tl::backend::nvidia
