// SPDX-License-Identifier: MIT
//
// Tensor descriptors: making one, and reading and writing blocks and rows through it.
#include "dialect/Dialect.h"

#include "dialect/MemorySyntax.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// A block in registers is the descriptor's block, perhaps without leading extents of 1.
LogicalResult verifyBlock(Operation *op, TensorDescType descriptor, RankedTensorType block) {
  RankedTensorType expected = descriptor.getSignlessBlockType();
  if (block.getElementType() != expected.getElementType())
    return op->emitOpError() << "block has elements " << block.getElementType()
                             << " but the descriptor has " << descriptor.getElementType();
  ArrayRef<int64_t> shape = expected.getShape();
  while (shape.size() > static_cast<size_t>(block.getRank()) && shape.front() == 1)
    shape = shape.drop_front();
  if (shape != block.getShape())
    return op->emitOpError() << "block and descriptor differ in shape: block is "
                             << shapeText(block) << ", descriptor is " << shapeText(expected);
  return success();
}

LogicalResult verifyIndices(Operation *op, TensorDescType descriptor, size_t found) {
  size_t expected = descriptor.getShape().size();
  if (found == expected)
    return success();
  return op->emitOpError() << "needs one index per axis of the descriptor: expected " << expected
                           << ", found " << found;
}

/// The rules that gather and scatter share.
LogicalResult verifyRows(Operation *op, TensorDescType descriptor, RankedTensorType rows,
                         RankedTensorType block) {
  ArrayRef<int64_t> shape = descriptor.getShape();
  if (shape.size() != 2 || shape[0] != 1)
    return op->emitOpError() << "needs a descriptor of one row, found " << shapeText(shape);
  if (rows.getRank() != 1)
    return op->emitOpError() << "needs row numbers in a 1-D tensor, found " << shapeText(rows);
  if (rows.getDimSize(0) < 8)
    return op->emitOpError() << "needs at least 8 rows, found " << rows.getDimSize(0);
  Type element = descriptor.getSignlessBlockType().getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits > 32)
    return op->emitOpError() << "needs elements of at most 32 bits, found " << element;
  int64_t leastColumns = int64_t(32 / bits) * 8;
  if (shape[1] < leastColumns)
    return op->emitOpError() << "needs at least " << leastColumns << " columns of " << element
                             << ", found " << shape[1];
  if (block.getElementType() != element)
    return op->emitOpError() << "block has elements " << block.getElementType()
                             << " but the descriptor has " << descriptor.getElementType();
  int64_t expected[] = {rows.getDimSize(0), shape[1]};
  if (block.getShape() != ArrayRef(expected))
    return op->emitOpError() << "block must be " << shapeText(expected) << ", found "
                             << shapeText(block);
  return success();
}

} // namespace

LogicalResult MakeTensorDescOp::verify() {
  TensorDescType type = getType();
  size_t rank = type.getShape().size();
  if (rank > 5)
    return emitOpError() << "describes at most 5 axes, found " << rank;
  if (getShape().size() != rank)
    return emitOpError() << "needs one extent and one stride per axis: expected " << rank
                         << ", found " << getShape().size();
  Type element = type.getSignlessBlockType().getElementType();
  Type pointee = getBase().getType().getPointeeType();
  if (pointee != element)
    return emitOpError() << "base points to " << pointee << " but the descriptor has "
                         << type.getElementType();
  if (getPadding() == PaddingOption::PAD_NAN && !isa<FloatType>(element))
    return emitOpError() << "pads with NaN only floats, found " << type.getElementType();
  if (auto order = getOrder();
      order && !llvm::equal(llvm::reverse(*order), llvm::seq<int32_t>(0, int32_t(rank))))
    return emitOpError() << "has an order other than from the last axis to the first";
  return success();
}

/// `%desc[%i, ...] hints attributes : descriptor type -> tensor type`
ParseResult DescriptorLoadOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand descriptor;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  Type descriptorType, resultType;
  if (parser.parseOperand(descriptor) ||
      parser.parseOperandList(indices, AsmParser::Delimiter::Square) ||
      parseCacheHints<DescriptorLoadOp>(parser, state) || parser.parseColonType(descriptorType) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(descriptor, descriptorType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getI32Type(), state.operands))
    return failure();
  state.addTypes(resultType);
  return success();
}

void DescriptorLoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getDesc() << '[' << getIndices() << ']';
  printCacheHints(printer, *this, {});
  printer << " : " << getDesc().getType() << " -> " << getType();
}

LogicalResult DescriptorLoadOp::verify() {
  TensorDescType descriptor = getDesc().getType();
  if (failed(verifyIndices(*this, descriptor, getIndices().size())))
    return failure();
  return verifyBlock(*this, descriptor, getType());
}

LogicalResult DescriptorStoreOp::verify() {
  TensorDescType descriptor = getDesc().getType();
  if (failed(verifyIndices(*this, descriptor, getIndices().size())))
    return failure();
  return verifyBlock(*this, descriptor, getSrc().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  TensorDescType descriptor = getDesc().getType();
  if (failed(verifyIndices(*this, descriptor, getIndices().size())) ||
      failed(verifyBlock(*this, descriptor, getSrc().getType())))
    return failure();
  bool arithmetic = getKind() == DescriptorReduceKind::ADD ||
                    getKind() == DescriptorReduceKind::MIN ||
                    getKind() == DescriptorReduceKind::MAX;
  if (!arithmetic && !isa<IntegerType>(descriptor.getElementType()))
    return emitOpError() << stringifyDescriptorReduceKind(getKind()) << " needs integers, found "
                         << descriptor.getElementType();
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

} // namespace tl::tt
