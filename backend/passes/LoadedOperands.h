// SPDX-License-Identifier: MIT
//
// Where operands of products come from: how what a load brings lies in memory, seen from the
// product.
#pragma once

#include "analysis/AxisInfo.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tl::ttg {

struct LoadedOperand {
  mlir::Operation *load; // tt.load or tt.descriptor_load
  unsigned along;        // the operand's axis whose neighbours lie together in memory
  unsigned bits;         // of a loaded element
  bool isUnchanged;      // transposed at most
};

/// The load of which an operand is computed element by element, if it is of one alone.
std::optional<LoadedOperand> loadedOperand(mlir::Value operand,
                                           const backend::AxisInfoAnalysis &axes);

} // namespace tl::ttg
