// SPDX-License-Identifier: MIT
//
// How values cross into loops, branches and other blocks.
#pragma once

#include "targets/cpu/FunctionLowering.h"

namespace tl::backend::cpu {

/// A tensor on its way to memory that both sides know.
struct Passed {
  mlir::Value from;
  ScratchBuffer *to;
};
/// Copies values into the buffers of what they are passed to, all at once.
void pass(FunctionLowering &f, llvm::ArrayRef<Passed> all);
/// The buffer of a tensor that a loop carries, holding its initial value.
ScratchBuffer *carriedBuffer(FunctionLowering &f, mlir::Value initial, mlir::Operation *loop);
/// To be called before the regions of a loop or a branch are emitted.
void prepareRegions(FunctionLowering &f, mlir::Operation *operation);

/// A region with branches between its blocks; `leave` is called at each terminator that ends it.
void emitBranches(FunctionLowering &f, mlir::Region &region,
                  llvm::function_ref<void(mlir::Operation *)> leave);
/// A region of scalars with branches, run inline.
Values emitBranchingRegion(FunctionLowering &f, mlir::Region &region,
                           llvm::ArrayRef<llvm::Value *> arguments);

} // namespace tl::backend::cpu
