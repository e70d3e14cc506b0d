// SPDX-License-Identifier: MIT
//
// Which accesses of memory a kernel may make before and after one of its operations, whatever way
// it takes: of loops every round counts, of branches every side.
#pragma once

#include "mlir/IR/Operation.h"

namespace tl::backend {

/// Whether the operation by itself, not what it contains, reads or writes memory.
bool accessesMemory(mlir::Operation *op);
bool writesMemory(mlir::Operation *op);

/// Whether some operation that may run before (after) `op`, in the same function, has the property.
bool anyBefore(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> property);
bool anyAfter(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> property);

} // namespace tl::backend
