// SPDX-License-Identifier: MIT
//
// The matrix instructions of an architecture, as the description of the GPU lists them. Next:
// dialect/MatrixLayouts.h for how their operands lie.
#pragma once

#include "dialect/GpuTarget.h"
#include "targets/amd/Architecture.h"

namespace tl::backend::amd {

/// The best first.
mlir::ArrayAttr matrixInstructions(mlir::MLIRContext &context, const Architecture &architecture);

} // namespace tl::backend::amd
