// SPDX-License-Identifier: MIT
//
// The way from TTIR text to a code object, in order. Pipeline.cpp reads top to bottom.
#pragma once

#include "lowering/GpuLowering.h"
#include "support/KernelSource.h"
#include "support/Parameter.h"
#include "targets/amd/Architecture.h"

#include <string>
#include <string_view>

namespace tl::backend::amd {

/// A kernel as machine code, with what else is known about it.
struct CompiledCode {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds;
  std::string ttir, ttgir, llir, amdgcn; // texts, if they were asked for
  std::string hsaco;                     // if they were not
  std::string symbol;
  unsigned numWarps = 4; // of a program, which may be more than were asked for
  HiddenParameters hidden;
};

/// `texts`: make the texts of the stages instead of the code object. Throws Error.
CompiledCode runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                         const Architecture &architecture, bool texts);

} // namespace tl::backend::amd
