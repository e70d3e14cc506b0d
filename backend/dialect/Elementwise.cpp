// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "dialect/Elementwise.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Elementwise.cpp.inc"
      >();
}

// ---- Pointers and bits

LogicalResult IntToPtrOp::canonicalize(IntToPtrOp op, PatternRewriter &rewriter) {
  // The pointer that the address was taken from.
  if (auto source = op.getSrc().getDefiningOp<PtrToIntOp>()) {
    auto from = cast<PointerType>(getElementTypeOrSelf(source.getSrc().getType()));
    auto to = cast<PointerType>(getElementTypeOrSelf(op.getType()));
    if (from.getAddressSpace() != to.getAddressSpace())
      return failure();
    rewriter.replaceOpWithNewOp<BitcastOp>(op, op.getType(), source.getSrc());
    return success();
  }
  // An address plus a constant number of bytes is a pointer plus elements: alignment stays visible.
  auto add = op.getSrc().getDefiningOp<arith::AddIOp>();
  if (!add)
    return failure();
  APInt bytes;
  Value base = add.getLhs();
  if (!matchPattern(add.getRhs(), m_ConstantInt(&bytes))) {
    if (!matchPattern(add.getLhs(), m_ConstantInt(&bytes)))
      return failure();
    base = add.getRhs();
  }
  Type pointee = getElementTypeOrSelf(getPointeeType(op.getType()));
  int64_t size = memoryBytes(pointee);
  if (bytes.getSExtValue() % size != 0)
    return failure();
  Location loc = op.getLoc();
  Type offsets = withElementType(op.getType(), rewriter.getI64Type());
  IntegerAttr elements = rewriter.getI64IntegerAttr(bytes.getSExtValue() / size);
  TypedAttr value = elements;
  if (auto tensor = dyn_cast<ShapedType>(offsets))
    value = SplatElementsAttr::get(tensor, Attribute(elements));
  Value pointer = IntToPtrOp::create(rewriter, loc, op.getType(), base);
  Value offset = arith::ConstantOp::create(rewriter, loc, value);
  rewriter.replaceOpWithNewOp<AddPtrOp>(op, op.getType(), pointer, offset);
  return success();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  if (auto source = getSrc().getDefiningOp<IntToPtrOp>())
    return source.getSrc();
  return {};
}

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
  auto fromPointer = dyn_cast<PointerType>(from), toPointer = dyn_cast<PointerType>(to);
  if (bool(fromPointer) != bool(toPointer))
    return emitOpError() << "cannot turn " << from << " into " << to
                         << "; pointers become integers with tt.ptr_to_int and tt.int_to_ptr";
  if (fromPointer)
    return success();
  if (getElementBits(from) != getElementBits(to))
    return emitOpError() << "needs elements of equal width: " << from << " has "
                         << getElementBits(from) << " bits, " << to << " has "
                         << getElementBits(to);
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // A chain of casts is one cast.
  if (auto inner = getSrc().getDefiningOp<BitcastOp>()) {
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
    setOperand(inner.getSrc());
    return getResult();
  }
  return {};
}

// ---- Floats

LogicalResult FpToFpOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
  unsigned fromBits = getElementBits(from), toBits = getElementBits(to);
  if (fromBits > toBits && !getRounding())
    return emitOpError() << "needs a rounding mode to narrow " << from << " to " << to;
  if (fromBits < toBits && getRounding())
    return emitOpError() << "has a rounding mode but widens " << from << " to " << to;
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // Zero keeps its sign in every format that has one; the FNUZ formats have one zero.
  APFloat value(0.0f);
  if (!matchPattern(adaptor.getSrc(), m_ConstantFloat(&value)) || !value.isZero())
    return {};
  auto element = cast<FloatType>(getElementTypeOrSelf(getType()));
  APFloat zero = APFloat::getZero(element.getFloatSemantics());
  if (value.isNegative() && APFloat::semanticsHasSignedRepr(element.getFloatSemantics()) &&
      !isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(element))
    zero.changeSign();
  auto constant = FloatAttr::get(element, zero);
  if (auto tensor = dyn_cast<ShapedType>(getType()))
    return SplatElementsAttr::get(tensor, Attribute(constant));
  return constant;
}

OpFoldResult MulhiUIOp::fold(FoldAdaptor adaptor) {
  APInt x, y;
  bool haveX = matchPattern(adaptor.getX(), m_ConstantInt(&x));
  bool haveY = matchPattern(adaptor.getY(), m_ConstantInt(&y));
  if (haveX && x.isZero())
    return getX();
  if (haveY && y.isZero())
    return getY();
  if (!haveX || !haveY)
    return {};
  APInt high = llvm::APIntOps::mulhu(x, y);
  Attribute value = IntegerAttr::get(getElementTypeOrSelf(getType()), high);
  if (auto tensor = dyn_cast<ShapedType>(getType()))
    return SplatElementsAttr::get(tensor, value);
  return value;
}

// ---- Foreign code

namespace {

/// Code that we cannot look into is assumed to read and write unless it is said to be pure.
void foreignEffects(bool pure, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

Speculation::Speculatability foreignSpeculatability(bool pure) {
  return pure ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

} // namespace

void ExternElementwiseOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  foreignEffects(getPure(), effects);
}
Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return foreignSpeculatability(getPure());
}
void ElementwiseInlineAsmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  foreignEffects(getPure(), effects);
}
Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return foreignSpeculatability(getPure());
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError() << "needs at least one result";
  int32_t pack = static_cast<int32_t>(getPackedElement());
  if (pack < 1)
    return emitOpError() << "needs a positive packed_element, found " << pack;
  std::string shape = shapeText(getResult().front().getType());
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(getOperandTypes()),
                                            SmallVector<Type>(getResultTypes())))
    if (shapeText(type) != shape)
      return emitOpError() << "operands and results differ in shape: found " << shapeText(type)
                           << " beside " << shape;
  if (auto tensor = dyn_cast<RankedTensorType>(getResult().front().getType());
      tensor && tensor.hasStaticShape() && tensor.getNumElements() % pack != 0)
    return emitOpError() << "needs a multiple of packed_element = " << pack << " elements, found "
                         << tensor.getNumElements();
  return success();
}

// ---- tt.map_elementwise

LogicalResult MapElementwiseOp::verify() {
  int32_t pack = static_cast<int32_t>(getPack());
  if (pack < 1 || !llvm::isPowerOf2_32(pack))
    return emitOpError() << "needs a power of two as pack, found " << pack;
  if (auto tensor = dyn_cast<RankedTensorType>(getSrcs().front().getType());
      tensor && tensor.hasStaticShape() && tensor.getNumElements() % pack != 0)
    return emitOpError() << "needs a multiple of pack = " << pack << " elements, found "
                         << tensor.getNumElements();
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  int32_t pack = static_cast<int32_t>(getPack());
  auto repeated = [&](TypeRange types) {
    SmallVector<Type> elements;
    for (Type type : types)
      elements.append(pack, getElementTypeOrSelf(type));
    return elements;
  };
  if (getScalarOp().empty())
    return emitOpError() << "needs a region with at least one block";
  SmallVector<Type> arguments = repeated(getSrcs().getTypes());
  if (getScalarOp().getArgumentTypes() != TypeRange(arguments))
    return emitOpError() << "region must take " << pack << " scalar(s) for each operand: expected ("
                         << arguments << "), found (" << getScalarOp().getArgumentTypes() << ")";
  SmallVector<Type> results = repeated(getResultTypes());
  for (Block &block : getScalarOp()) {
    auto ret = dyn_cast<MapElementwiseReturnOp>(block.getTerminator());
    if (ret && ret.getOperandTypes() != TypeRange(results))
      return ret.emitOpError() << "must return " << pack << " scalar(s) for each result: expected ("
                               << results << "), found (" << ret.getOperandTypes() << ")";
  }
  WalkResult walk = getScalarOp().walk([&](Operation *op) -> WalkResult {
    // What a callee does is checked when it has been inlined.
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
        isa<CallOp>(op))
      return WalkResult::advance();
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op);
        effects && effects.onlyHasEffect<MemoryEffects::Read>())
      return WalkResult::advance();
    return op->emitOpError() << "must not write memory inside tt.map_elementwise";
  });
  return failure(walk.wasInterrupted());
}

} // namespace tl::tt
