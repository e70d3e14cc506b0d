// SPDX-License-Identifier: MIT
//
// What an element of an operation costs, in additions of floats, roughly.
#pragma once

#include "mlir/IR/Operation.h"

namespace tl::backend::cpu {

struct Cost {
  /// Of computing it again, where it is used, instead of keeping it.
  unsigned again = 1;
  /// Of computing it in the innermost loop of a nest with others; this bounds how much one nest
  /// does, so that its code stays small.
  unsigned inNest = 1;
};

Cost costOf(mlir::Operation *operation);

} // namespace tl::backend::cpu
