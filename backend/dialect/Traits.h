// SPDX-License-Identifier: MIT
//
// What is checked of every `tt` operation, and the traits by which passes and lowerings treat
// operations that they do not know by name. Traits.td beside this file has their interfaces.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tl::tt {

/// Fails with a message unless `type` can be the type of a value of a kernel's text: a scalar, or a
/// tensor of static extents, of at most 2^20 elements when these have grown to powers of two.
mlir::LogicalResult verifyTensorSize(mlir::Type type,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Tensors of operands and results have a legal size, and attributes that the operation does not
/// know carry a dialect's prefix. The second rule is why a hint of another release that changes
/// the meaning (a bounds check, say) is an error and not silently dropped.
mlir::LogicalResult verifyWellFormed(mlir::Operation *op);

template <typename Op> class WellFormed : public mlir::OpTrait::TraitBase<Op, WellFormed> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyWellFormed(op); }
};

// ---- What becomes of the elements

/// Each element of a result is an element of an operand; types and attributes alone say which one.
/// So whatever holds for all elements of the operands holds for all of the results.
template <typename Op> class MovesElements : public mlir::OpTrait::TraitBase<Op, MovesElements> {};

/// Moves whole axes: along an axis of the result lie either the elements along one axis of the only
/// operand, in their order, or one element again and again. What grows along axes goes on to do so.
template <typename Op> class MovesAxes : public mlir::OpTrait::TraitBase<Op, MovesAxes> {};

/// Where the results are pointers, they lead into the buffer that the first operand leads into.
template <typename Op> class StaysInBuffer : public mlir::OpTrait::TraitBase<Op, StaysInBuffer> {};

/// An element of a result can be computed alone, when it is needed, from single elements of
/// operands or of memory, so that no result need be stored. Holds of operations with the trait
/// Elementwise, too, but for those that pack elements.
template <typename Op> class Deferrable : public mlir::OpTrait::TraitBase<Op, Deferrable> {};

/// Is applied to several elements at once, which may end up different though they came in equal.
template <typename Op> class PacksElements : public mlir::OpTrait::TraitBase<Op, PacksElements> {};

/// Results do not depend on the order of the elements of a 1-D operand, if it is the only one: two
/// operands pair their elements.
template <typename Op>
class OrderInsensitive : public mlir::OpTrait::TraitBase<Op, OrderInsensitive> {};

// ---- What becomes of memory

/// What it does by writing is seen outside of the kernel, in no memory that a parameter leads to.
template <typename Op>
class TouchesNoBuffer : public mlir::OpTrait::TraitBase<Op, TouchesNoBuffer> {};

// ---- Which layout the results have on GPUs

/// Cheaper to compute again, in whatever layout is required, than to convert.
template <typename Op>
class Rematerialisable : public mlir::OpTrait::TraitBase<Op, Rematerialisable> {};

/// The result anchors the plain layout of its shape: its elements are not at coordinates of
/// operands.
template <typename Op>
class AnchorsPlainLayout : public mlir::OpTrait::TraitBase<Op, AnchorsPlainLayout> {};

/// All operands are required in the layout of the first, whatever that of the result.
template <typename Op>
class OperandsShareLayout : public mlir::OpTrait::TraitBase<Op, OperandsShareLayout> {};

} // namespace tl::tt
