// SPDX-License-Identifier: MIT
//
// How operations pass layouts through: from the operands to the result, and from a wanted result
// back to the operands that give it without moving data. One function a direction, one case an
// operation that moves coordinates; everything elementwise is the identity.
// Next: passes/PropagateLayouts.cpp, which decides where data must move.
#pragma once

#include "layout/LinearLayout.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tl::backend {

/// True for operations whose result element depends on the operand elements at the same coordinate
/// and on nothing else.
bool isElementwise(mlir::Operation *op);

/// The layout that the (first) tensor result has when the operand with the given number has
/// `layout` and no data move; nothing if the operation fixes its own.
std::optional<LinearLayout> forwardLayout(mlir::Operation *op, unsigned operand,
                                          const LinearLayout &layout);

/// The layout that operand number `operand` must have for the results to have `layout` without data
/// moving; nothing if there is none.
std::optional<LinearLayout> backwardLayout(mlir::Operation *op, unsigned operand,
                                           const LinearLayout &layout);

/// The layout of a tensor from which axis `axis` was reduced away.
LinearLayout removeAxis(const LinearLayout &layout, unsigned axis);
/// The layout with an axis of extent 1 inserted before axis `axis`.
LinearLayout insertUnitAxis(const LinearLayout &layout, unsigned axis);

} // namespace tl::backend
