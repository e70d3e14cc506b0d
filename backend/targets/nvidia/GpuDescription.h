// SPDX-License-Identifier: MIT
//
// NVIDIA's numbers for the passes on TTGIR: how memory moves, and which matrix instructions there
// are. Next: dialect/GpuTarget.td for what each one means.
#pragma once

#include "dialect/GpuTarget.h"
#include "support/CompileOptions.h"
#include "targets/nvidia/Architecture.h"

namespace tl::backend::nvidia {

/// Writes on a module for which architecture, how many warps a program and how many registers a
/// thread it is compiled.
void describeGpu(mlir::ModuleOp module, const Architecture &architecture,
                 const CompileOptions &options);

} // namespace tl::backend::nvidia
