// SPDX-License-Identifier: MIT
//
// Which loads of a loop may be started iterations ahead, as copies to shared memory.
#pragma once

#include "analysis/AxisInfo.h"
#include "passes/BufferRings.h"
#include "passes/StagedLoop.h"

namespace tl::ttg {

/// The loads of the loop that can be copied ahead, each of which goes to one place in shared
/// memory; none if nothing can.
llvm::SmallVector<PipelinedLoad> findPipelinedLoads(mlir::scf::ForOp loop,
                                                    const backend::AxisInfoAnalysis &axes);

/// Whether `whole`, the loop of the loads or one around it, may write what is loaded ahead, by the
/// loads or in the slice that they follow from, or has an operation that they may not pass.
bool writesWhatRunsAhead(llvm::ArrayRef<PipelinedLoad> loads, const LoopSlice &slice,
                         mlir::Operation *whole);

/// A load that may give others their addresses.
bool isLoadOfPointers(mlir::Operation *op);

/// Whether products of groups of warps alone read it, each with a wait of its own.
bool areProductsWaitedFor(LocalAllocOp alloc);

} // namespace tl::ttg
