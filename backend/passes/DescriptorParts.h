// SPDX-License-Identifier: MIT
//
// A tensor descriptor as the values that it stands for, and the two casts that tie both forms
// together while RewriteDescriptors works: `pack` makes a descriptor of its parts, `unpack` takes
// them out again. Every use of a descriptor asks for its parts, so that no cast is left in the end.
#pragma once

#include "dialect/Dialect.h"
#include "mlir/IR/Builders.h"

namespace tl::tt {

struct DescriptorParts {
  mlir::Value base;                          // pointer to the first element
  llvm::SmallVector<mlir::Value, 5> shape;   // i64, elements along each axis
  llvm::SmallVector<mlir::Value, 5> strides; // i64, elements between neighbours of each axis
  mlir::Value padNan;                        // i1, whether elements out of bounds are NaN
};

/// The types of the parts, in the order base, shape, strides, padNan.
void appendPartTypes(TensorDescType type, llvm::SmallVectorImpl<mlir::Type> &types);
/// `types` with every descriptor replaced by its parts.
llvm::SmallVector<mlir::Type> flattenTypes(mlir::TypeRange types);

/// The parts of a descriptor, as values that are available wherever the descriptor is.
DescriptorParts partsOf(mlir::OpBuilder &builder, mlir::Value descriptor);
/// `values` with every descriptor replaced by its parts.
llvm::SmallVector<mlir::Value> flattenValues(mlir::OpBuilder &builder, mlir::ValueRange values);
/// A descriptor of parts in the order of appendPartTypes.
mlir::Value packParts(mlir::OpBuilder &builder, mlir::Location loc, TensorDescType type,
                      mlir::ValueRange parts);

/// Replaces a descriptor operation that reads or writes memory by operations on pointers. Fails
/// with a diagnostic if there are none that do the same.
mlir::LogicalResult rewriteAccess(mlir::Operation *op);

} // namespace tl::tt
