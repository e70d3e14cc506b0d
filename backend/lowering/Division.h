// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// Divides the 64-bit integers of a tensor, all registers together; false, and nothing is done, for
/// what is divided one by one.
bool emitDivisions(KernelLowering &kernel, mlir::Operation *op);

} // namespace tl::backend
