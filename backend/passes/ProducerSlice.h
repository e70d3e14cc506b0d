// SPDX-License-Identifier: MIT
//
// What a producer warp runs of a kernel: the copies of pipelined loops with the waits before them,
// the loops and branches around them, and what their bounds, conditions and addresses follow from.
// One warp computes that from scalars, and from memory that the kernel does not write.
#pragma once

#include "dialect/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tl::ttg {

/// What the producer does and the others do not.
bool isCopying(mlir::Operation *op);

class ProducerSlice {
public:
  explicit ProducerSlice(tt::FuncOp kernel) : kernel(kernel) {}

  /// False if one warp cannot run it.
  bool collect();
  /// The producer has done that already.
  void leaveOut(mlir::Operation *op) { needed.remove(op); }
  /// Copies the parts of a block to the builder's place. Memory is the same for all.
  void clone(mlir::Block &from, mlir::OpBuilder &b, mlir::IRMapping &map);

private:
  void need(mlir::Operation *op);
  void needAll(mlir::ValueRange values);
  void follow(mlir::Value value);
  bool isForOneWarp(mlir::Operation *op);
  void cloneLoop(mlir::scf::ForOp loop, mlir::OpBuilder &b, mlir::IRMapping &map);
  void cloneBranch(mlir::scf::IfOp branch, mlir::OpBuilder &b, mlir::IRMapping &map);

  tt::FuncOp kernel;
  llvm::SetVector<mlir::Operation *> needed;
  llvm::DenseSet<mlir::Value> seen;
  llvm::SmallVector<mlir::Value> open;
  bool possible = true;
};

} // namespace tl::ttg
