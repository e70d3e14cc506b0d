// SPDX-License-Identifier: MIT
//
// A loop some of whose operations run ahead, and what becomes of it: in one iteration of the
// pipeline, those compute what belongs to iteration i + distance, and all others what belongs to
// iteration i; operations that are late compute what belongs to iteration i - 1. What is not the
// last begins before the loop. Nothing is left over behind it: operations of later iterations than
// the loop has are given a condition that is false, or compute what nobody uses.
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

/// When operations belong to an iteration: before all others, or after them.
enum class Stage { ahead, main, late };

class StagedLoop {
public:
  /// Makes the loop count its iterations, and yield what its operations make.
  StagedLoop(mlir::scf::ForOp loop, unsigned distance);

  mlir::scf::ForOp get() const { return loop; }
  void setStage(mlir::Operation *op, Stage stage) { stages[op] = stage; }
  Stage stageOf(mlir::Operation *op) const; // main, unless it has been set

  /// In an iteration of the pipeline, operations come in this order; those that have been given no
  /// rank have one of the first three by their stage. Those of one rank keep theirs.
  enum Rank : unsigned {
    aheadRank,
    firstRank,
    earlyCopiesRank,
    lateRank,
    mainRank,
    mainEndRank,
    lateEndRank,
    endRank,
    copiesRank,
    storesRank
  };
  void setRank(mlir::Operation *op, Rank rank) { ranks[op] = rank; }
  /// Copies come right before an operation of the main stage, instead of at the end.
  void copyBefore(mlir::Operation *place);

  /// Makes the loop carry positions in rings of `buffers` buffers, one for each of the stages,
  /// which begin with `ahead`; the first iteration has the position `start`. Values of the loop's
  /// block that were taken before are no longer valid.
  void carryPositions(unsigned buffers, llvm::ArrayRef<Stage> stages, RingPosition start);
  RingPosition position(Stage stage) const;
  /// After the loop that has been made: the position of a stage in one iteration more.
  RingPosition positionAfter(Stage stage) const;

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
  bool runsAhead(mlir::Operation *op) const { return stageOf(op) == Stage::ahead; }
  void completeRanks();

  mlir::scf::ForOp loop;
  const unsigned distance;
  llvm::DenseMap<mlir::Operation *, Stage> stages;
  llvm::DenseMap<mlir::Operation *, Rank> ranks;
  unsigned firstPosition = 0; // the number of the carried value
};

} // namespace tl::ttg
