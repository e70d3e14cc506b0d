// SPDX-License-Identifier: MIT
//
// Loads that run one iteration ahead through registers: one buffer in shared memory is enough, and
// no asynchronous copies are needed.
//
//     m = local_alloc                 one buffer
//     m <- load(0)
//     for i
//       next = load(i + 1)            is on its way while this iteration multiplies
//       products of local_load m
//       m <- next                     waits for the load, and for all who read
//
// What is read has been written, and nobody reads what is being written: a barrier before the loads
// of m, and one before the stores to m, both from the plan of shared memory (SharedPlan.h), for
// which m is memory like any other. A loop that has no iteration left loads nothing, and stores
// what nobody reads.
#pragma once

#include "passes/BufferRings.h"

namespace tl::ttg {

class LoadsAhead {
public:
  /// Makes the loads of the group run one iteration ahead.
  LoadsAhead(StagedLoop &loop, const RingGroup &group);
  /// After the loop: ends the life of the memory.
  void finish(mlir::OpBuilder &b);

private:
  llvm::SmallVector<mlir::Value> memory;
};

} // namespace tl::ttg
