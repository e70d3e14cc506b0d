// SPDX-License-Identifier: MIT
//
// Which values of a kernel are rematerialisable: cheaper to compute again in whatever layout is
// required than to keep in one layout and convert. Ranges, splats, constants, addresses and the
// integer arithmetic on those are, what was loaded and what follows from it are not.
//
//   %r = tt.make_range                 rematerialisable
//   %s = arith.addi %r, %n             rematerialisable
//   %v = tt.load %p                    not: it has the layout in which it was loaded
//   %t = arith.addi %v, %r             not: it has the layout of %v
//   %b = tt.broadcast %w               rematerialisable, whatever %w is: it makes registers of
//                                      fewer registers, so %w is what would be converted
//
// What a loop or branch carries is never rematerialisable itself, but makes what is computed from
// it so no less if nothing that is loaded flows into it.
#pragma once

#include "dialect/Dialect.h"

#include "llvm/ADT/DenseSet.h"

namespace tl::backend {

/// The values that an operand of control flow becomes: for a value that a loop starts with or
/// yields, the argument of its region and its result. They have one layout, that of the first; none
/// for operands of other operations.
llvm::SmallVector<mlir::Value, 2> carriedTo(mlir::OpOperand &operand);

class Rematerialisation {
public:
  explicit Rematerialisation(tt::FuncOp function);

  /// Whether the value is rematerialisable: the only result of a cheap operation, and neither
  /// loaded nor made of something that is.
  bool contains(mlir::Value value) const;
  bool contains(mlir::Operation *op) const {
    return op->getNumResults() == 1 && contains(op->getResult(0));
  }

  /// Whether the operation is cheap, whatever its operands are.
  static bool isCheap(mlir::Operation *op);

private:
  llvm::DenseSet<mlir::Value> anchored; // their layouts follow from those of other values
};

} // namespace tl::backend
