// SPDX-License-Identifier: MIT
//
// A loop some of whose operations run ahead, and what becomes of it: in one iteration of the
// pipeline, those compute what belongs to iteration i + distance, and all others what belongs to
// iteration i. What runs ahead begins before the
// loop. Nothing is left over behind it: operations of later iterations than the loop has are given
// a condition that is false, or compute what nobody uses.
//
// The loop counts from 0 by 1, so that telling those iterations does not overflow near the ends of
// a type. What runs ahead carries values from iteration to iteration which are too far when the
// loop ends; if one is used after the loop, the others compute it as well.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tl::ttg {

/// Operations of a block that values follow from, in this iteration of a loop and those before.
class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop(loop) {}

  /// Adds what the values follow from. False if an operation among it cannot be computed ahead of
  /// time, which one with effects can if `mayRunAhead` says so; what has been added is then of no
  /// use.
  bool add(mlir::ValueRange values,
           llvm::function_ref<bool(mlir::Operation *)> mayRunAhead = nullptr);
  const llvm::SetVector<mlir::Operation *> &operations() const { return all; }

private:
  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Operation *> all;
  llvm::DenseSet<mlir::Value> seen;
};

/// The number of the buffer in a ring that an iteration uses, and the parity of how many times the
/// ring has been gone through.
struct RingPosition {
  mlir::Value number, parity; // i32
};

class StagedLoop {
public:
  /// Makes the loop count its iterations, and yield what its operations make.
  StagedLoop(mlir::scf::ForOp loop, unsigned distance);

  mlir::scf::ForOp get() const { return loop; }
  void runAhead(mlir::Operation *op) { ahead.insert(op); }
  bool runsAhead(mlir::Operation *op) const { return ahead.contains(op); }
  /// In an iteration, operations come in the order of their ranks: 0 for what runs ahead and 1 for
  /// all others, unless they are given one.
  void setRank(mlir::Operation *op, unsigned rank) { ranks[op] = rank; }
  static constexpr unsigned rankCount = 4;

  /// Makes the loop carry positions in rings of `buffers` buffers: of what runs ahead, and of all
  /// others. Values of the loop's block that were taken before are no longer valid.
  void carryPositions(unsigned buffers);
  RingPosition position(bool ahead) const;

  /// Makes the pipeline. `withCondition` gives an operation a condition, and returns what is in its
  /// place then.
  mlir::LogicalResult
  expand(llvm::function_ref<mlir::Operation *(mlir::RewriterBase &, mlir::Operation *, mlir::Value)>
             withCondition);

private:
  void countIterations();
  void yieldOperations();
  void carryForLater();
  void separateStages();
  void completeRanks();

  mlir::scf::ForOp loop;
  const unsigned distance;
  llvm::DenseSet<mlir::Operation *> ahead;
  llvm::DenseMap<mlir::Operation *, unsigned> ranks;
  unsigned firstPosition = 0; // the number of the carried value
};

} // namespace tl::ttg
