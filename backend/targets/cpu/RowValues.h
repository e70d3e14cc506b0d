// SPDX-License-Identifier: MIT
//
// What is the same along a row of a tensor: a scale, a row's sum.
#pragma once

#include "mlir/IR/Value.h"

namespace tl::backend::cpu {

/// Whether the tensor is one number along its last axis, by how it was written. Not what a loop
/// finds to be the same in its lanes: the loops of one kernel run along different axes, and what
/// depends on it would differ between them.
bool isSameAlongRows(mlir::Value value);

} // namespace tl::backend::cpu
