// SPDX-License-Identifier: MIT
//
// Where operands of products come from: how what a load brings lies in memory, seen from the
// product.
#pragma once

#include "analysis/AxisInfo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tl::ttg {

/// Bytes of the narrowest asynchronous copy of a thread.
inline constexpr unsigned leastCopyBytes = 4;

struct LoadedOperand {
  mlir::Operation *load; // tt.load or tt.descriptor_load
  unsigned along;        // the operand's axis whose neighbours lie together in memory
  unsigned bits;         // of a loaded element
  bool isUnchanged;      // transposed at most
};

/// The load of which an operand is computed element by element, if it is of one alone.
std::optional<LoadedOperand> loadedOperand(mlir::Value operand,
                                           const backend::AxisInfoAnalysis &axes);

/// Whether the value is what loads of the block bring, transposed or computed with element by
/// element, and of what is the same everywhere.
bool isComputedFromLoads(mlir::Value value, mlir::Block *block);

/// Whether threads have registers for operands that are computed in them: parts of numbers are
/// many, and are summed beside the result.
inline bool hasRoomForComputed(mlir::RankedTensorType result, int64_t threads) {
  constexpr int64_t mostRegisters = 64; // of a thread for the result
  return result.getNumElements() <= mostRegisters * threads;
}

} // namespace tl::ttg
