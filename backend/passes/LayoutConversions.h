// SPDX-License-Identifier: MIT
//
// Tensors in one layout and another: what the passes that move data between layouts share.
#pragma once

#include "dialect/Gpu.h"

namespace tl::ttg {

/// The layout of a tensor; null for one that has none yet.
LayoutAttr layoutAttrOf(mlir::Value tensor);

/// Writes the layout into the type of a tensor, and into the value of a constant. The operands of
/// its operation are not changed.
void setLayout(mlir::Value tensor, LayoutAttr layout);

/// The value that conversions, if any, have made the tensor of.
mlir::Value beforeConversion(mlir::Value tensor);

/// Converts a tensor to the layout, right where it is computed.
mlir::Value convertTo(mlir::Value tensor, LayoutAttr layout);

} // namespace tl::ttg
