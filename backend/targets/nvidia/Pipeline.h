// SPDX-License-Identifier: MIT
//
// The way from TTIR text to PTX, in order. Pipeline.cpp reads top to bottom.
#pragma once

#include "lowering/GpuLowering.h"
#include "support/KernelSource.h"
#include "support/Parameter.h"
#include "targets/nvidia/Architecture.h"

#include <string>
#include <string_view>

namespace tl::backend::nvidia {

/// A kernel as PTX, with what else is known about it.
struct PtxKernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds;
  std::string ttir, ttgir, llir; // texts, if they were asked for
  std::string ptx;
  std::string symbol;
  uint64_t sharedBytes = 0;
  unsigned numWarps = 4;       // of a program, which may be more than were asked for
  unsigned producerWarps = 0;  // of a block, beside the program's
  bool waitsForLaunch = false; // that is ahead of it, so that it may begin before that has ended
  HiddenParameters hidden;
  std::vector<SourceLocation> inlineAsm;
};

/// `texts`: keep the texts of the stages before PTX. Throws Error.
PtxKernel runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                      const Architecture &architecture, bool texts);

} // namespace tl::backend::nvidia
