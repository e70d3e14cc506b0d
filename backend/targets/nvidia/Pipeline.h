// SPDX-License-Identifier: MIT
//
// The way from TTIR text to PTX: NVIDIA's steps of targets/gpu/Pipeline.h, and what follows them.
#pragma once

#include "lowering/GpuModule.h"
#include "support/CompileOptions.h"
#include "support/KernelSource.h"
#include "targets/nvidia/Architecture.h"

#include <string>
#include <string_view>

namespace tl::backend::nvidia {

/// A kernel as PTX, with what else is known about it. The module is gone.
struct PtxKernel : GpuModule {
  std::string ptx;
};

/// As far as the module that the code generator would get. Throws Error.
GpuModule optimizedModule(KernelSource source, std::string_view entry,
                          const CompileOptions &options, const Architecture &architecture,
                          GpuModuleRequest request);

/// `texts`: keep the texts of the stages before PTX. Throws Error.
PtxKernel runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                      const Architecture &architecture, bool texts);

} // namespace tl::backend::nvidia
