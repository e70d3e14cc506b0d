// SPDX-License-Identifier: MIT
//
// Loads, stores, atomics and pointers. Tensor descriptors are in Descriptors.cpp.
#include "dialect/Dialect.h"

#include "dialect/MemorySyntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

#define GET_OP_CLASSES
#include "dialect/Memory.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Memory.cpp.inc"
      >();
}

namespace {

LogicalResult verifyMask(Operation *op, Type pointers, Value mask) {
  if (mask && mask.getType() != getI1SameShape(pointers))
    return op->emitOpError() << "mask and pointer differ in shape: mask is "
                             << shapeText(mask.getType()) << ", pointer is " << shapeText(pointers);
  return success();
}

/// What an access says of the blocks of block pointers, and nobody else.
LogicalResult verifyBoundaryCheck(Operation *op, Type pointers,
                                  std::optional<ArrayRef<int32_t>> axes, bool hasPadding = false) {
  auto block = dyn_cast<BlockPointerType>(pointers);
  if (!block) {
    if (axes)
      return op->emitOpError() << "has a boundaryCheck, which only block pointers have";
    if (hasPadding)
      return op->emitOpError() << "has a padding, which only block pointers have";
    return success();
  }
  if (op->getNumOperands() > (isa<StoreOp>(op) ? 2u : 1u))
    return op->emitOpError() << "has a mask, which block pointers do not take";
  const int64_t rank = block.getBlockType().getRank();
  SmallVector<bool> isChecked(rank);
  for (int32_t axis : axes.value_or(ArrayRef<int32_t>())) {
    if (axis < 0 || axis >= rank)
      return op->emitOpError() << "checks axis " << axis << " of a block with " << rank
                               << (rank == 1 ? " axis" : " axes");
    if (isChecked[axis])
      return op->emitOpError() << "checks axis " << axis << " twice";
    isChecked[axis] = true;
  }
  return success();
}

/// `what` must have the type that the pointers point to.
LogicalResult verifyPointee(Operation *op, Type pointers, Type found, StringRef what) {
  Type expected = getPointeeType(pointers);
  if (found == expected)
    return success();
  if (shapeText(found) != shapeText(expected))
    return op->emitOpError() << what << " and pointer differ in shape: " << what << " is "
                             << shapeText(found) << ", pointer is " << shapeText(pointers);
  return op->emitOpError() << what << " has elements " << getElementTypeOrSelf(found)
                           << " but the pointer points to " << getElementTypeOrSelf(expected);
}

LogicalResult verifyAtomicBits(Operation *op, Type type, ArrayRef<unsigned> allowed) {
  unsigned bits = getElementBits(type);
  if (llvm::is_contained(allowed, bits))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "needs elements of ";
  for (size_t i = 0; i < allowed.size(); ++i)
    error << (i == 0 ? "" : i + 1 == allowed.size() ? " or " : ", ") << allowed[i];
  return error << " bits, found " << getElementTypeOrSelf(type);
}

LogicalResult verifyOrdering(Operation *op, MemSemantic found, MemSemantic allowed) {
  if (found == MemSemantic::RELAXED || found == allowed)
    return success();
  return op->emitOpError() << "is relaxed or " << stringifyMemSemantic(allowed) << ", found "
                           << stringifyMemSemantic(found);
}

/// Whether a mask is known: every lane on, every lane off.
enum class MaskKind { Unknown, AllTrue, AllFalse };
MaskKind kindOf(Value mask) {
  APInt value;
  if (!mask || !matchPattern(mask, m_ConstantInt(&value)))
    return MaskKind::Unknown;
  return value.isZero() ? MaskKind::AllFalse : MaskKind::AllTrue;
}

} // namespace

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

// ---- Load

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other,
                   CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  build(builder, state, getPointeeType(ptr.getType()), ptr, mask, other, cache, evict, isVolatile,
        DenseI32ArrayAttr(), PaddingOptionAttr());
}

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

/// `%p[, %mask][, %other] hints attributes : pointer type`
ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  SMLoc where = parser.getCurrentLocation();
  Type pointers;
  if (parser.parseOperandList(operands) || parseCacheHints<LoadOp>(parser, state) ||
      parser.parseColonType(pointers))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(where) << "expected a pointer, a mask and a value for masked-off lanes";
  Type pointee = getPointeeType(pointers);
  if (!pointee)
    return parser.emitError(where)
           << "expected a pointer or a tensor of pointers, found " << pointers;
  Type types[] = {pointers, getI1SameShape(pointers), pointee};
  for (auto [operand, type] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, type, state.operands))
      return failure();
  auto &properties = state.getOrAddProperties<LoadOp::Properties>();
  for (size_t i = 0; i < 3; ++i)
    properties.operandSegmentSizes[i] = i < operands.size();
  state.addTypes(pointee);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printCacheHints(printer, *this, {"operandSegmentSizes"});
  printer << " : " << getPtr().getType();
}

LogicalResult LoadOp::verify() {
  Type pointers = getPtr().getType();
  if (failed(verifyPointee(*this, pointers, getType(), "result")) ||
      failed(verifyBoundaryCheck(*this, pointers, getBoundaryCheck(), bool(getPadding()))) ||
      failed(verifyMask(*this, pointers, getMask())))
    return failure();
  if (getPadding() == PaddingOption::PAD_NAN && !isa<FloatType>(getElementTypeOrSelf(getType())))
    return emitOpError() << "pads with NaN, which " << getElementTypeOrSelf(getType())
                         << " does not have";
  if (!getOther())
    return success();
  if (!getMask())
    return emitOpError() << "has a value for masked-off lanes but no mask";
  return verifyPointee(*this, pointers, getOther().getType(), "other");
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  switch (kindOf(op.getMask())) {
  case MaskKind::Unknown:
    return failure();
  case MaskKind::AllTrue: {
    // Read before the replacement, which destroys the operation.
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    auto plain = rewriter.replaceOpWithNewOp<LoadOp>(
        op, op.getPtr(), Value(), Value(), op.getCache(), op.getEvict(), op.getIsVolatile());
    plain->setDiscardableAttrs(attributes);
    return success();
  }
  case MaskKind::AllFalse:
    if (!op.getOther())
      return failure();
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

// ---- Store

/// `%p, %value[, %mask] hints attributes : pointer type`
ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  SMLoc where = parser.getCurrentLocation();
  Type pointers;
  if (parser.parseOperandList(operands) || parseCacheHints<StoreOp>(parser, state) ||
      parser.parseColonType(pointers))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(where) << "expected a pointer, a value and a mask";
  Type pointee = getPointeeType(pointers);
  if (!pointee)
    return parser.emitError(where)
           << "expected a pointer or a tensor of pointers, found " << pointers;
  Type types[] = {pointers, pointee, getI1SameShape(pointers)};
  for (auto [operand, type] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, type, state.operands))
      return failure();
  return success();
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printCacheHints(printer, *this, {});
  printer << " : " << getPtr().getType();
}

LogicalResult StoreOp::verify() {
  Type pointers = getPtr().getType();
  if (failed(verifyPointee(*this, pointers, getValue().getType(), "value")) ||
      failed(verifyBoundaryCheck(*this, pointers, getBoundaryCheck())))
    return failure();
  return verifyMask(*this, pointers, getMask());
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  switch (kindOf(op.getMask())) {
  case MaskKind::Unknown:
    return failure();
  case MaskKind::AllTrue:
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  case MaskKind::AllFalse:
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

// ---- Block pointers

/// `order` has each axis once.
static LogicalResult verifyOrder(Operation *op, ArrayRef<int32_t> order, size_t rank) {
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (llvm::equal(sorted, llvm::seq<int32_t>(0, int32_t(rank))))
    return success();
  return op->emitOpError() << "has an order that is no permutation of its axes";
}

LogicalResult MakeTensorPtrOp::verify() {
  const size_t rank = getType().getBlockType().getRank();
  if (getShape().size() != rank)
    return emitOpError() << "needs one extent, one stride and one offset per axis: expected "
                         << rank << ", found " << getShape().size();
  return verifyOrder(*this, getOrder(), rank);
}

LogicalResult AdvanceOp::verify() {
  const size_t rank = getType().getBlockType().getRank();
  if (getOffsets().size() == rank)
    return success();
  return emitOpError() << "needs one offset per axis: expected " << rank << ", found "
                       << getOffsets().size();
}

// ---- Atomics

LogicalResult AtomicRMWOp::verify() {
  Type pointers = getPtr().getType();
  if (failed(verifyPointee(*this, pointers, getVal().getType(), "value")) ||
      failed(verifyPointee(*this, pointers, getType(), "result")) ||
      failed(verifyMask(*this, pointers, getMask())))
    return failure();
  Type element = getElementTypeOrSelf(getType());
  RMWOp kind = getAtomicRmwOp();
  if (kind == RMWOp::FADD) {
    if (!isa<FloatType>(element))
      return emitOpError() << "fadd needs floats, found " << element;
    return verifyAtomicBits(*this, element, {16, 32, 64});
  }
  if (kind == RMWOp::XCHG)
    return verifyAtomicBits(*this, element, {16, 32, 64});
  if (!isa<IntegerType>(element))
    return emitOpError() << stringifyRMWOp(kind) << " needs integers, found " << element;
  return verifyAtomicBits(*this, element, {16, 32, 64});
}

LogicalResult AtomicCASOp::verify() {
  Type pointers = getPtr().getType();
  if (failed(verifyPointee(*this, pointers, getCmp().getType(), "compared value")) ||
      failed(verifyPointee(*this, pointers, getVal().getType(), "value")) ||
      failed(verifyPointee(*this, pointers, getType(), "result")) ||
      failed(verifyMask(*this, pointers, getMask())))
    return failure();
  return verifyAtomicBits(*this, getType(), {16, 32, 64});
}

LogicalResult AtomicPollOp::verify() {
  if (failed(verifyPointee(*this, getPtr().getType(), getExpected().getType(), "expected value")) ||
      failed(verifyOrdering(*this, getSem(), MemSemantic::ACQUIRE)))
    return failure();
  return verifyAtomicBits(*this, getExpected().getType(), {16, 32, 64});
}

LogicalResult AtomicLoadOp::verify() {
  Type pointers = getPtr().getType();
  if (failed(verifyPointee(*this, pointers, getType(), "result")) ||
      failed(verifyMask(*this, pointers, getMask())) ||
      failed(verifyOrdering(*this, getSem(), MemSemantic::ACQUIRE)))
    return failure();
  return verifyAtomicBits(*this, getType(), {8, 16, 32, 64});
}

LogicalResult AtomicStoreOp::verify() {
  if (failed(verifyOrdering(*this, getSem(), MemSemantic::RELEASE)))
    return failure();
  return verifyAtomicBits(*this, getVal().getType(), {8, 16, 32, 64});
}

} // namespace tl::tt
