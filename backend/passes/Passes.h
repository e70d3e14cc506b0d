// SPDX-License-Identifier: MIT
//
// The passes on TTIR. Their descriptions are in Passes.td; Pipeline.h puts them in order.
#pragma once

#include "dialect/Dialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/TmaUse.h"

namespace tl::tt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Makes a run in which the condition does not hold fail with the message, whatever the options.
void createCheck(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                 llvm::StringRef message);

/// What the pass FuseMultiplyAdd does, for those that run no passes. The dialects arith and math
/// are loaded.
void fuseMultiplyAdd(mlir::Operation *root);

/// What the pass DropAcquires does, for those that run no passes.
void dropAcquires(mlir::Operation *root, bool debug);

/// What the passes RewriteBlockPointers and ReceiveDescriptors do, for those that run no passes.
mlir::LogicalResult rewriteBlockPointers(mlir::ModuleOp module);
mlir::LogicalResult receiveDescriptors(mlir::ModuleOp module);

/// What the pass KeepOrder does, for those that run no passes.
mlir::LogicalResult keepOrder(mlir::ModuleOp module);

/// How often the body of a loop runs, where all bounds are known.
std::optional<llvm::APInt> tripCountOf(mlir::scf::ForOp loop);

/// Most operations that a kernel may have, once calls are inlined and loops unrolled. Assemblers
/// need some twenty seconds for the worst of that size.
inline constexpr int64_t maxKernelOperations = 20000;

} // namespace tl::tt
