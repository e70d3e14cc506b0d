// SPDX-License-Identifier: MIT
//
// The second of two products of a loop, which multiplies what follows from the first one's result:
// attention has the scores and then the values, weighted by what the softmax makes of the scores.
// The tensor cores would wait for the softmax, and the softmax for them. So the second product is
// *late*: it belongs to the iteration before the one in which all else is.
//
//     before                               after
//                                          if 0 < n: s = scores of iteration 0
//                                          w = softmax s
//     for i in 0 ... n - 1                 for i in 0 ... n - 2
//       s = q k[i]                           s' = q k[i + 1]     both are started at once
//       w = softmax s                        sum = w v[i] + sum
//       sum = w v[i] + f(sum)                w' = softmax s'     while the second one goes on
//                                            sum' = f(sum)       when it has come to its end
//                                          sum = w v[n - 1] + sum'
//
// Why it is right. Each operation is computed once for each iteration that the loop has, from what
// it was computed from before: the weights and the sum are carried from one iteration of the
// pipeline to the next, and nothing but the sum follows from the late product. Where the loop has
// no iteration, the first one is speculated: its loads and the first sides of its branches get a
// condition that does not hold, and a loop of which the rest touches global memory has no late
// product. Products end in the order in which they have been started: who waits until one goes on
// has the first one's result.
//
// Where the late product reads its weights from registers, the next weights get their final form
// after it has come to its end.
#pragma once

#include "dialect/GpuTarget.h"
#include "passes/BufferRings.h"

#include <optional>

namespace tl::ttg {

class LateProduct {
public:
  /// Whether a loop has one, if there are registers for what it reads and what the first product of
  /// the next iteration makes. All its loads are described blocks, whose copies producer warps can
  /// start: a thread that multiplies would wait for both products of all groups. None where a
  /// multiprocessor has room for two programs, of which one multiplies while the other computes.
  static std::optional<LateProduct> find(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads,
                                         GpuAttr gpu, unsigned stages);

  /// A ring for the loads of each product.
  llvm::SmallVector<RingGroup> makeGroups(llvm::ArrayRef<PipelinedLoad> loads) const;

  /// Says when what belongs to an iteration is done; the rings have been made.
  void setStages(StagedLoop &staged);

  /// Moves the last late product out of the loop that has been made, and returns what has it.
  mlir::Operation *finish(mlir::scf::ForOp loop) const;

private:
  LateProduct(WarpGroupDotOp first, WarpGroupDotOp late) : first(first), late(late) {}

  WarpGroupDotOp first, late;
  unsigned number = 0;                             // of the loop's value that carries the sum
  mlir::Value start;                               // of it
  llvm::SmallPtrSet<mlir::Operation *, 4> earlier; // waits of the loop's block before it was staged
};

} // namespace tl::ttg
