// SPDX-License-Identifier: MIT
//
// Layouts as attributes of tensor types; see Layouts.td for how they are written.
#pragma once

#include "dialect/Barrier.h"
#include "layout/LinearLayout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"

namespace tl::backend {
/// Found by argument-dependent look-up when attributes are made unique.
llvm::hash_code hash_value(const LinearLayout &layout);
} // namespace tl::backend

#define GET_ATTRDEF_CLASSES
#include "dialect/LayoutAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/LayoutTypes.h.inc"

namespace tl::ttg {

/// The tensor type with a layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const backend::LinearLayout &map);
/// The layout of a tensor type; it must have one.
const backend::LinearLayout &layoutOf(mlir::Type type);

} // namespace tl::ttg
