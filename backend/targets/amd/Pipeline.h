// SPDX-License-Identifier: MIT
//
// The way from TTIR text to a code object: AMD's steps of targets/gpu/Pipeline.h, and what follows
// them.
#pragma once

#include "lowering/GpuModule.h"
#include "support/CompileOptions.h"
#include "support/KernelSource.h"
#include "targets/amd/Architecture.h"

#include <string>
#include <string_view>

namespace tl::backend::amd {

/// A kernel as machine code, with what else is known about it. The module is gone.
struct CompiledCode : GpuModule {
  std::string amdgcn; // if texts were asked for
  std::string hsaco;  // if they were not
};

/// As far as the module that the code generator would get. Throws Error.
GpuModule optimizedModule(KernelSource source, std::string_view entry,
                          const CompileOptions &options, const Architecture &architecture,
                          GpuModuleRequest request);

/// `texts`: make the texts of the stages instead of the code object. Throws Error.
CompiledCode runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                         const Architecture &architecture, bool texts);

} // namespace tl::backend::amd
