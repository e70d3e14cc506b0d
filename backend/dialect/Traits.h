// SPDX-License-Identifier: MIT
//
// What is checked of every `tt` operation, whichever it is.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tl::tt {

/// Fails with a message unless `type` can be the type of a value of a kernel's text: a scalar, or a
/// tensor of static power-of-two extents and at most 2^20 elements.
mlir::LogicalResult verifyTensorSize(mlir::Type type,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Tensors of operands and results have a legal size, and attributes that the operation does not
/// know carry a dialect's prefix. The second rule is why a hint of another release that changes
/// the meaning (a bounds check, say) is an error and not silently dropped.
mlir::LogicalResult verifyWellFormed(mlir::Operation *op);

template <typename ConcreteType>
class WellFormed : public mlir::OpTrait::TraitBase<ConcreteType, WellFormed> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyWellFormed(op); }
};

} // namespace tl::tt
