// SPDX-License-Identifier: MIT
//
// AMD's numbers for the passes on TTGIR: how memory moves, and which matrix instructions there are.
// Next: dialect/GpuTarget.td for what each one means.
#pragma once

#include "dialect/GpuTarget.h"
#include "support/CompileOptions.h"
#include "targets/amd/Architecture.h"

namespace tl::backend::amd {

/// Writes on a module for which architecture and how many warps a program it is compiled.
void describeGpu(mlir::ModuleOp module, const Architecture &architecture,
                 const CompileOptions &options);

} // namespace tl::backend::amd
