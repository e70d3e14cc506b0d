// SPDX-License-Identifier: MIT
//
// A descriptor as the values that it stands for (CompositeValues.h) while RewriteDescriptors works.
#pragma once

#include "passes/BlockAccess.h"
#include "passes/CompositeValues.h"

namespace tl::tt {

struct DescriptorParts {
  StridedTensor tensor;
  mlir::Value padNan; // i1, whether elements out of bounds are NaN
};

/// Of a descriptor: base, shape, strides, padNan. None of any other type.
llvm::SmallVector<mlir::Type> descriptorPartTypes(mlir::Type type);
DescriptorParts descriptorPartsOf(mlir::OpBuilder &builder, mlir::Value descriptor);

/// Replaces a descriptor operation that reads or writes memory by operations on pointers. Fails
/// with a diagnostic if there are none that do the same.
mlir::LogicalResult rewriteAccess(mlir::Operation *op);

/// Replaces descriptors by their parts, and what makes and uses them by operations on pointers:
/// those of the types that have parts for `partTypes`, but for the operations that stay.
mlir::LogicalResult rewriteDescriptors(
    mlir::ModuleOp module, PartTypes partTypes,
    llvm::function_ref<bool(mlir::Operation *)> stays = [](mlir::Operation *) { return false; });

} // namespace tl::tt
