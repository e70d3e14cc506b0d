// SPDX-License-Identifier: MIT
//
// Tensors in one layout and another: what the passes that move data between layouts share.
#pragma once

#include "dialect/Gpu.h"

#include "mlir/IR/Builders.h"

namespace tl::ttg {

/// The layout of a tensor; null for one that has none yet.
LayoutAttr layoutAttrOf(mlir::Value tensor);

/// Writes the layout into the type of a tensor, and into the value of a constant. The operands of
/// its operation are not changed.
void setLayout(mlir::Value tensor, LayoutAttr layout);

/// The value that conversions, if any, have made the tensor of.
mlir::Value beforeConversion(mlir::Value tensor);

/// The operands of an operation whose result is to have the layout. Tensors are what `inLayout`
/// makes of them, given the layout that follows for them.
llvm::SmallVector<mlir::Value>
operandsFor(mlir::Operation *op, LayoutAttr layout,
            llvm::function_ref<mlir::Value(mlir::Value, LayoutAttr)> inLayout);

/// The result of an operation that is computed again, of such operands.
mlir::Value computeAgain(mlir::OpBuilder &b, mlir::Operation *op, LayoutAttr layout,
                         mlir::ValueRange operands);

/// The same, right before where it is computed now, of what `inLayout` makes of its operands.
mlir::Value computeAgain(mlir::Operation *op, LayoutAttr layout,
                         llvm::function_ref<mlir::Value(mlir::Value, LayoutAttr)> inLayout);

/// Erases what computes these values, and what that is computed of, as far as nobody uses it;
/// `onErase` is called before.
void eraseUnused(mlir::ValueRange values, llvm::function_ref<void(mlir::Value)> onErase = nullptr);

/// Converts a tensor to the layout, right where it is computed.
mlir::Value convertTo(mlir::Value tensor, LayoutAttr layout);

} // namespace tl::ttg
