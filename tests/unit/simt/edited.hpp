// SPDX-License-Identifier: MIT
//
// Kernels with planted faults: the code of a kernel as LLVM IR text, changed and run by the
// emulator. The only file of this folder that touches LLVM is edited.cpp.
#pragma once

#include "targets/simt/Driver.h"
#include "targets/simt/Kernel.h"

#include <memory>
#include <string>
#include <vector>

namespace edited {

/// A kernel whose code is a text.
struct TextKernel final : tl::backend::simt::SimtKernel {
  std::string target; // whose intrinsics the text has
  std::vector<std::string> stageNames() const override { return {}; }
  std::string stage(std::string_view) const override { return {}; }
};

/// The kernel of TTIR for "simt:" targets, and its code as text. `blocks`: of a program.
struct Compiled {
  TextKernel kernel; // all but the code
  std::string text;
};
Compiled compile(const std::string &ttir, const std::string &target, unsigned blocks = 1);

/// Whether there is an AMD target.
bool hasAmd();

/// Of one warp, with a pointer as its parameter; `by_hand`, whose text is still to come.
inline TextKernel oneWarp(uint64_t sharedBytes) {
  TextKernel kernel;
  kernel.name = "by_hand";
  tl::backend::Parameter pointer;
  pointer.isPointer = true;
  pointer.bytes = 8;
  kernel.parameters = {pointer};
  kernel.blockThreads = kernel.lanes;
  kernel.sharedBytes = sharedBytes;
  return kernel;
}

/// With another text; the kernel's function is `symbol`.
TextKernel withText(const TextKernel &like, const std::string &text, const std::string &symbol);

} // namespace edited
