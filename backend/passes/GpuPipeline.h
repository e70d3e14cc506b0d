// SPDX-License-Identifier: MIT
//
// How TTGIR comes about: where every element of every tensor lives is decided by a few passes, one
// after the other, and what one of them decides stands in the text for the next.
//
//   target                       writes ttg.gpu on the module: warps, lanes, shared memory, matrix
//                                instructions
//   decompose-scaled-products    tt.dot of widened and scaled operands instead of tt.dot_scaled
//   split-products               products of parts of their operands, which instructions compute
//   check-remainders             ttg.contiguous on remainders that wrap rows of matrices around
//   transpose-products           products whose second operand lies as instructions read it
//   coalesce-accesses            ttg.anchor on accesses: the layouts that memory likes
//   select-matrix-instructions   ttg.instruction and ttg.anchor on products
//   propagate-layouts            anchors become types, and types spread from them; conversions
//                                stand where two layouts meet
//   remove-layout-conversions    fewer conversions, where scattered stores cost less
//   rematerialise-values         fewer conversions, where computing again costs less
//   feed-multiply-adds           ttg.local_alloc for operands of products without an instruction,
//                                which become ttg.local_dot
//   share-product-operands       ttg.local_alloc for operands that an instruction reads from shared
//                                memory, whose products become ttg.warp_group_dot, and for what
//                                loops load for products
//   arrange-copies               layouts of these loads in which the lanes' copies lie in order
//   pipeline-loops               loads for them become copies into rings of buffers, some
//                                iterations ahead; products stay in flight, and groups of warps
//                                take turns, or the second of two products is late
//   specialize-warps             warps of their own start copies by TMA
//
// After propagate-layouts the kernel is complete, and could be lowered as it is, but for products
// that read shared memory, which feed-multiply-adds and share-product-operands make ready; the
// others only make it faster. The lowering reads types and ttg.instruction and decides nothing of
// this again.
//
// Why the last five come last. How an operand lies in shared memory follows from how its load is
// laid out: neighbours in memory are neighbours there, too, which is where a transposition becomes
// a view. And whether a load can become a copy depends on how many neighbours a thread has on both
// sides. So both need the layouts. Nothing is lost by giving a layout to what will be copied: that
// of the pointers is the one in which the threads share the copy.
//
// An instruction whose operands lie elsewhere (the first in registers or in shared memory, the
// second always in shared memory, as those of a group of four warps do) is a family of
// #ttg.matrix_instruction of its own. The target lists it before the others, and
// select-matrix-instructions anchors the first operand if it is to stay in registers; what has no
// anchor goes to shared memory.
//
// Warp specialisation divides what the software pipeline has made: which copies there are, what
// they follow from and who waits for them stands in the text already.
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
