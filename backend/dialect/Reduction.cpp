// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/Reduction.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Reduction.cpp.inc"
      >();
}

namespace {

/// The type that an operand of a reduction has in the result.
Type reducedType(RankedTensorType type, int axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  if (shape.empty())
    return type.getElementType();
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis " << axis << " is out of range for a tensor of rank " << rank;
}

/// What reduce and scan share: operands of one shape, an axis that exists, the combining region.
LogicalResult verifyOperands(Operation *op, OperandRange operands, int32_t axis) {
  if (op->getNumResults() != operands.size())
    return op->emitOpError() << "needs one result per operand: expected " << operands.size()
                             << ", found " << op->getNumResults();
  return verifyAxis(op, axis, cast<RankedTensorType>(operands.front().getType()).getRank());
}

LogicalResult verifyCombine(Operation *op, OperandRange operands, Region &region,
                            Operation *terminator) {
  SmallVector<Type> elements;
  for (Type type : operands.getTypes())
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> arguments(elements);
  arguments.append(elements);
  if (region.getArgumentTypes() != TypeRange(arguments))
    return op->emitOpError() << "region must take two scalars per operand: expected (" << arguments
                             << "), found (" << region.getArgumentTypes() << ")";
  if (!terminator)
    return op->emitOpError() << "region must end in " << op->getName() << ".return, found "
                             << region.front().back().getName();
  if (terminator->getOperandTypes() != TypeRange(elements))
    return op->emitOpError() << "region must return one scalar per operand: expected (" << elements
                             << "), found (" << terminator->getOperandTypes() << ")";
  // How often and in which order elements are combined is open, so that nothing may be seen of it
  // but messages. What a callee does is checked when it has been inlined.
  WalkResult walk = region.walk([&](Operation *inner) -> WalkResult {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(inner) ||
        isa<CallOp, AssertOp, PrintOp>(inner))
      return WalkResult::advance();
    return inner->emitOpError() << "must not touch memory inside " << op->getName();
  });
  return failure(walk.wasInterrupted());
}

SmallVector<RankedTensorType> tensorTypes(OperandRange operands) {
  SmallVector<RankedTensorType> types;
  for (Type type : operands.getTypes())
    types.push_back(cast<RankedTensorType>(type));
  return types;
}

SmallVector<Type> elementTypes(OperandRange operands) {
  SmallVector<Type> types;
  for (Type type : operands.getTypes())
    types.push_back(getElementTypeOrSelf(type));
  return types;
}

} // namespace

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int axis) {
  SmallVector<Type> types;
  for (Type type : srcs.getTypes())
    types.push_back(reducedType(cast<RankedTensorType>(type), axis));
  build(builder, state, types, srcs, axis);
}

LogicalResult ReduceOp::verify() {
  int32_t axis = static_cast<int32_t>(getAxis());
  if (failed(verifyOperands(*this, getSrcs(), axis)))
    return failure();
  for (auto [source, result] : llvm::zip(getSrcs(), getResult())) {
    Type expected = reducedType(cast<RankedTensorType>(source.getType()), axis);
    auto withoutLayout = [](Type type) -> Type {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
      return type;
    };
    if (withoutLayout(result.getType()) != expected)
      return emitOpError() << "along axis " << axis << " of " << shapeText(source.getType())
                           << " gives " << expected << ", found " << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombine(*this, getSrcs(), getCombineOp(),
                       dyn_cast<ReduceReturnOp>(getCombineOp().front().back()));
}

SmallVector<RankedTensorType> ReduceOp::getInputTypes() { return tensorTypes(getSrcs()); }
SmallVector<Type> ReduceOp::getElementTypes() { return elementTypes(getSrcs()); }

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int axis,
                   bool reverse) {
  build(builder, state, SmallVector<Type>(srcs.getTypes()), srcs, axis, reverse);
}

LogicalResult ScanOp::verify() {
  if (failed(verifyOperands(*this, getSrcs(), static_cast<int32_t>(getAxis()))))
    return failure();
  for (auto [source, result] : llvm::zip(getSrcs(), getResult()))
    if (source.getType() != result.getType())
      return emitOpError() << "keeps the type of its operands: expected " << source.getType()
                           << ", found " << result.getType();
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getSrcs(), getCombineOp(),
                       dyn_cast<ScanReturnOp>(getCombineOp().front().back()));
}

SmallVector<RankedTensorType> ScanOp::getInputTypes() { return tensorTypes(getSrcs()); }
SmallVector<Type> ScanOp::getElementTypes() { return elementTypes(getSrcs()); }

LogicalResult HistogramOp::verify() {
  RankedTensorType bins = getType();
  if (bins.getRank() != 1)
    return emitOpError() << "counts into a 1-D tensor, found " << shapeText(bins);
  return success();
}

} // namespace tl::tt
