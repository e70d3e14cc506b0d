// SPDX-License-Identifier: MIT
//
// Composite values: those that stand for several others, their parts. A descriptor is a base,
// extents and strides, a block pointer has offsets besides. They travel through functions, loops,
// branches and selections; rewriteComposites() sends their parts instead, so that a pass has to say
// only what the operations that make and use them become:
//
//     scf.for iter_args(%p = %b) -> (!tt.ptr<tensor<64xf32>>)        scf.yield %q
//     scf.for iter_args(%base, %extent, %stride, %offset = ...)      scf.yield %base, ..., %offset1
//
// Two casts tie both forms together in the meantime: packParts() makes a composite of its parts,
// partsOf() takes them out again. Every use of a composite asks for its parts, so that no cast is
// left in the end.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tl::tt {

/// The types of the parts of a composite type; none for any other type.
using PartTypes = llvm::SmallVector<mlir::Type> (*)(mlir::Type);

/// The parts of a composite value, available wherever it is.
llvm::SmallVector<mlir::Value> partsOf(mlir::OpBuilder &builder, mlir::Value composite,
                                       PartTypes partTypes);
/// A composite of parts in the order of their types.
mlir::Value packParts(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                      mlir::ValueRange parts);

/// How the composites of a module are rewritten, by functions that live as long.
struct CompositeRewrite {
  PartTypes partTypes;
  /// What they are called in messages: "a tensor descriptor".
  const char *name;
  /// Operations that make or use composites by their meaning.
  llvm::function_ref<bool(mlir::Operation *)> isOwn;
  /// Replaces such an operation and erases it, or fails with a diagnostic.
  llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> rewrite;
  /// Operations that stay as they are.
  llvm::function_ref<bool(mlir::Operation *)> stays;
};

mlir::LogicalResult rewriteComposites(mlir::ModuleOp module, const CompositeRewrite &how);

} // namespace tl::tt
