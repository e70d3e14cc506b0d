// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// Divides the integers of a tensor, those of 64 bits in all registers together, and neighbours
/// between which no multiple of the divisor lies once; false, and nothing is done, for what is
/// divided one by one.
bool emitDivisions(KernelLowering &kernel, mlir::Operation *op);

} // namespace tl::backend
