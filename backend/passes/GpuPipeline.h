// SPDX-License-Identifier: MIT
//
// How TTGIR comes about: where every element of every tensor lives is decided by a few passes, one
// after the other, and what one of them decides stands in the text for the next.
//
//   target                       writes ttg.gpu on the module: warps, lanes, matrix instructions
//   coalesce-accesses            ttg.anchor on accesses: the layouts that memory likes
//   select-matrix-instructions   ttg.instruction and ttg.anchor on products
//   propagate-layouts            anchors become types, and types spread from them; conversions
//                                stand where two layouts meet
//   remove-layout-conversions    fewer conversions, where scattered stores cost less
//   rematerialise-values         fewer conversions, where computing again costs less
//
// After propagate-layouts the kernel is complete, and could be lowered as it is; what follows only
// makes it faster. The lowering reads types and ttg.instruction and decides nothing of this again.
//
// Where a pass belongs that does not exist yet:
//
// - An instruction whose operands lie elsewhere (the first in registers or in shared memory, the
//   second always in shared memory, as those of a group of four warps do) is another family of
//   #ttg.matrix_instruction. The target lists it before the others, and
//   select-matrix-instructions anchors the operands that it takes in registers; for the others it
//   allocates shared memory (ttg.local_alloc) in the layout that the instruction reads.
// - Software pipelining comes after select-matrix-instructions, which tells what the loads of a
// loop
//   feed, and before propagate-layouts: a load that becomes an asynchronous copy into one of
//   several buffers has no layout to propagate. Products that stay in flight over iterations come
//   with it.
// - Warp specialisation, which gives copies and products to different warps, divides what the
//   software pipeline has made, so it comes right after that. How many registers each kind of warp
//   gets is decided last, when it is known what each computes.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tl::ttg {

/// Appends the passes that make TTGIR of TTIR. The module says by ttg.gpu what it is compiled for.
/// `numStages`: of loops that do not say their own by tt.num_stages.
void buildTtgirPipeline(mlir::OpPassManager &manager, unsigned numStages = 3);

/// Runs them as tt::runPasses does. That one of them fails is an internal error.
void runTtgirPipeline(mlir::ModuleOp module, unsigned numStages);

} // namespace tl::ttg
