// SPDX-License-Identifier: MIT
//
// A loop whose operations are divided into stages, and what becomes of it: in one iteration of the
// pipeline, the operations of the last stage compute what belongs to iteration i, and those of a
// stage that is `d` earlier what belongs to iteration i + d. What runs ahead begins before the
// loop. Nothing is left over behind it: operations of later iterations than the loop has are given
// a condition that is false, or compute what nobody uses.
//
// The loop counts from 0 by 1, so that telling those iterations does not overflow near the ends of
// a type. What an earlier stage carries from iteration to iteration has run ahead when the loop
// ends; if it is used after the loop, the last stage carries it as well.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
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
  /// Makes the loop count its iterations, and yield what its operations make. `last`: the stage of
  /// all operations that `setStage` does not name.
  StagedLoop(mlir::scf::ForOp loop, unsigned last);

  mlir::scf::ForOp get() const { return loop; }
  unsigned lastStage() const { return last; }
  unsigned stageOf(mlir::Operation *op) const;
  /// An operation that several stages need has the earliest of them.
  void setStage(mlir::Operation *op, unsigned stage);
  /// In an iteration, operations come in the order of their ranks. Those of the last stage have
  /// rank 1 and others 0 unless they are given one.
  void setRank(mlir::Operation *op, unsigned rank) { ranks[op] = rank; }
  static constexpr unsigned rankCount = 5;

  /// Makes the loop carry positions in rings of `buffers` buffers, counted in a stage. Values of
  /// the loop's block that were taken before are no longer valid.
  void carryPosition(unsigned stage, unsigned buffers);
  RingPosition position(unsigned stage, unsigned buffers);

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
  const unsigned last;
  llvm::DenseMap<mlir::Operation *, unsigned> stages, ranks;
  /// By stage and buffers: the number of the carried value.
  llvm::MapVector<std::pair<unsigned, unsigned>, unsigned> positions;
};

} // namespace tl::ttg
