// SPDX-License-Identifier: MIT
//
// What lies in the padding of a tensor is open, as what a masked load gives. So most operations are
// right as they are; this file changes those that would let the padding be seen. An operation that
// it does not know and that has effects is refused. Descriptors have no masks: those of padded
// blocks become pointers first.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/DescriptorParts.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_PADTILES
#include "passes/Passes.h.inc"

namespace {

bool isPower(int64_t extent) { return llvm::isPowerOf2_64(uint64_t(extent)); }

bool needsPadding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !llvm::all_of(tensor.getShape(), isPower);
}

RankedTensorType padded(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (int64_t extent : type.getShape())
    shape.push_back(int64_t(llvm::PowerOf2Ceil(uint64_t(extent))));
  return RankedTensorType::get(shape, type.getElementType());
}

Type paddedIfNeeded(Type type) {
  return needsPadding(type) ? padded(cast<RankedTensorType>(type)) : type;
}

/// The parts of a descriptor whose blocks need padding.
SmallVector<Type> paddedDescriptorParts(Type type) {
  auto descriptor = dyn_cast<TensorDescType>(type);
  return descriptor && needsPadding(descriptor.getBlockType()) ? descriptorPartTypes(type)
                                                               : SmallVector<Type>();
}

bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// Whether an element of the padded tensors has the same row-major number in both shapes: axes are
/// merged and split only where what is padded is the outermost of them.
bool keepsNumbers(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  struct Side {
    ArrayRef<int64_t> shape;
    int64_t product = 1;
    bool isRight = true;

    void take() {
      isRight &= product == 1 || isPower(shape.front());
      product *= shape.front();
      shape = shape.drop_front();
    }
  };
  Side a{from}, b{to};
  while (a.isRight && b.isRight && !(a.shape.empty() && b.shape.empty())) {
    if (a.product == b.product)
      a.product = b.product = 1;
    const bool fromA = b.shape.empty() || (a.product <= b.product && !a.shape.empty());
    (fromA ? a : b).take();
  }
  return a.isRight && b.isRight;
}

/// What the single operation of a combining region leaves as it is; null if that is not known.
TypedAttr identityOf(Block &region) {
  if (region.getNumArguments() != 2 || region.getOperations().size() != 2)
    return {};
  Operation &combine = region.front();
  Value x = region.getArgument(0), y = region.getArgument(1);
  if (combine.getNumOperands() != 2 || combine.getNumResults() != 1 ||
      region.getTerminator()->getOperand(0) != combine.getResult(0) ||
      !llvm::is_contained(combine.getOperands(), x) ||
      !llvm::is_contained(combine.getOperands(), y))
    return {};
  auto type = dyn_cast<FloatType>(x.getType());
  if (type && type.getWidth() < 16)
    return {}; // may have no infinity
  // Zero would turn -0 into +0.
  if (isa<arith::AddFOp>(combine))
    return FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  return arith::getNeutralElement(&combine).value_or(TypedAttr());
}

/// As users spell it.
std::string nameOf(Operation *op) {
  if (isa<ElementwiseInlineAsmOp>(op))
    return "tl::inline_asm_elementwise";
  return "tl::" + op->getName().stripDialect().str();
}

class Padding {
public:
  explicit Padding(FuncOp function) : function(function) {}

  LogicalResult run() {
    SmallVector<Operation *> found;
    function.walk([&](Operation *op) {
      if (op != function && touches(op))
        found.push_back(op);
    });
    if (!needsAny(function.getArgumentTypes()) && !needsAny(function.getResultTypes()) &&
        found.empty())
      return success();
    function.walk([&](Operation *op) { padTypes(op); });
    // Reductions look through reshapes while those are as they were.
    for (bool isReshape : {false, true})
      for (Operation *op : found)
        if (isa<ReshapeOp>(op) == isReshape && failed(rewrite(op)))
          return failure();
    for (Operation *op : dead)
      if (op->use_empty())
        op->erase();
    if (function.isPublic())
      remark();
    return success();
  }

private:
  static bool needsAny(TypeRange types) { return llvm::any_of(types, needsPadding); }
  static bool touches(Operation *op) {
    return needsAny(op->getOperandTypes()) || needsAny(op->getResultTypes()) ||
           llvm::any_of(op->getRegions(), [](Region &region) {
             return llvm::any_of(region,
                                 [](Block &block) { return needsAny(block.getArgumentTypes()); });
           });
  }

  // ---- Types

  void padType(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return;
    elements += tensor.getNumElements();
    paddedElements += padded(tensor).getNumElements();
    if (!needsPadding(tensor))
      return;
    const auto paddingOf = [](RankedTensorType type) {
      return padded(type).getNumElements() - type.getNumElements();
    };
    if (!worst || paddingOf(tensor) > paddingOf(worst))
      worst = tensor;
    written[value] = tensor;
    value.setType(padded(tensor));
  }

  void padTypes(Operation *op) {
    for (Value result : op->getResults())
      padType(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          padType(argument);
    if (auto function = dyn_cast<FuncOp>(op)) {
      auto all = [](TypeRange types) {
        return llvm::map_to_vector(types, [](Type type) { return paddedIfNeeded(type); });
      };
      FunctionType type = function.getFunctionType();
      function.setFunctionType(
          FunctionType::get(op->getContext(), all(type.getInputs()), all(type.getResults())));
    }
  }

  /// The type that a value was written with, if it is padded.
  RankedTensorType writtenType(Value value) const { return written.lookup(value); }

  // ---- Masks

  static Value constant(OpBuilder &builder, Location loc, Type type, Attribute value) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return arith::ConstantOp::create(builder, loc,
                                     tensor ? cast<TypedAttr>(DenseElementsAttr::get(tensor, value))
                                            : cast<TypedAttr>(value));
  }

  static Value zero(OpBuilder &builder, Location loc, Type type) {
    if (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type)))
      return IntToPtrOp::create(builder, loc, type,
                                zero(builder, loc, withElementType(type, builder.getI64Type())));
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  }

  /// Which elements are none of the padding along one axis, or along any.
  static Value inside(OpBuilder &builder, Location loc, RankedTensorType type,
                      std::optional<int64_t> only = {}) {
    const auto to = cast<RankedTensorType>(getI1SameShape(padded(type)));
    Value all;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (isPower(type.getDimSize(axis)) || (only && *only != axis))
        continue;
      const int64_t extent = to.getDimSize(axis);
      auto line = RankedTensorType::get({extent}, builder.getI32Type());
      Value at = MakeRangeOp::create(builder, loc, line, 0, uint32_t(extent));
      Value limit =
          constant(builder, loc, line, builder.getI32IntegerAttr(int32_t(type.getDimSize(axis))));
      Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at, limit);
      for (int64_t other = 0; other < type.getRank(); ++other)
        if (other != axis)
          holds = ExpandDimsOp::create(builder, loc, holds, uint32_t(other));
      if (holds.getType() != to)
        holds = BroadcastOp::create(builder, loc, to, holds);
      all = all ? arith::AndIOp::create(builder, loc, all, holds) : holds;
    }
    return all;
  }

  static Value select(OpBuilder &builder, Location loc, Value mask, Value value, Value other) {
    return arith::SelectOp::create(builder, loc, mask, value, other);
  }

  // ---- Operations that look at all elements, or at neighbours

  /// The mask that leaves out the padding of `of`, too; null if it has none.
  Value restricted(Operation *op, Value of, Value mask) {
    RankedTensorType type = writtenType(of);
    if (!type)
      return {};
    OpBuilder builder(op);
    Value inner = inside(builder, op->getLoc(), type);
    return mask ? arith::AndIOp::create(builder, op->getLoc(), mask, inner) : inner;
  }

  void rewriteLoad(LoadOp op) {
    Value mask = restricted(op, op.getPtr(), op.getMask());
    if (!mask)
      return;
    op.getMaskMutable().assign(mask);
    OpBuilder builder(op);
    if (!op.getOther() && !isa<PointerType>(getElementTypeOrSelf(op.getType())))
      op.getOtherMutable().assign(zero(builder, op.getLoc(), op.getType()));
  }

  /// A mask is the last operand, of all but loads.
  LogicalResult rewriteMasked(Operation *op, Value of, Value mask) {
    if (Value inner = restricted(op, of, mask)) {
      if (mask)
        op->setOperand(op->getNumOperands() - 1, inner);
      else
        op->insertOperands(op->getNumOperands(), inner);
    }
    return success();
  }

  /// Rows that a descriptor gathers or scatters: no tensor has one with the number -1.
  void rewriteRows(Operation *op, OpOperand &rows) {
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(rows.get().getType());
    Value none =
        constant(builder, op->getLoc(), type, builder.getIntegerAttr(type.getElementType(), -1));
    rows.set(select(builder, op->getLoc(), inside(builder, op->getLoc(), writtenType(rows.get())),
                    rows.get(), none));
  }

  /// An operand whose padding counts for nothing: the identity of the function where it has a known
  /// one. Else each element gets a flag, and what has none is not combined.
  template <typename Op> void combineInside(Op op, Value mask) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Block &body = op.getCombineOp().front();
    SmallVector<Value> sources(op.getSrcs());
    if (TypedAttr identity = identityOf(body)) {
      Value other = constant(builder, loc, sources[0].getType(), identity);
      op.getSrcsMutable().assign(select(builder, loc, mask, sources[0], other));
      return;
    }
    const unsigned count = unsigned(sources.size());
    sources.push_back(mask);
    Op flagged = [&] {
      if constexpr (std::is_same_v<Op, ReduceOp>)
        return ReduceOp::create(builder, loc, sources, int(op.getAxis()));
      else
        return ScanOp::create(builder, loc, sources, int(op.getAxis()), op.getReverse());
    }();
    flagged->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    flagged.getCombineOp().takeBody(op.getCombineOp());
    Value left = body.insertArgument(count, builder.getI1Type(), loc);
    Value right = body.addArgument(builder.getI1Type(), loc);
    Operation *end = body.getTerminator();
    OpBuilder within(end);
    SmallVector<Value> returned;
    for (unsigned i = 0; i < count; ++i) {
      Value x = body.getArgument(i), y = body.getArgument(count + 1 + i);
      Value withLeft = select(within, loc, right, end->getOperand(i), x);
      returned.push_back(select(within, loc, left, withLeft, y));
    }
    returned.push_back(arith::OrIOp::create(within, loc, left, right));
    end->setOperands(returned);
    for (auto [old, now] : llvm::zip(op.getResult(), flagged.getResult()))
      if (RankedTensorType type = writtenType(old))
        written[now] = type;
    op->replaceAllUsesWith(flagged.getResult().take_front(count));
    dead.push_back(op);
  }

  void rewriteReduce(ReduceOp op) {
    RankedTensorType type = writtenType(op.getSrcs().front());
    const int64_t axis = op.getAxis();
    if (!type || isPower(type.getDimSize(axis)))
      return;
    OpBuilder builder(op);
    // Of all elements of several axes: the padding may lie between them.
    auto reshaped = [&](Value source) -> RankedTensorType {
      auto reshape = source.getDefiningOp<ReshapeOp>();
      return type.getRank() == 1 && reshape ? writtenType(reshape.getSrc()) : RankedTensorType();
    };
    RankedTensorType from = reshaped(op.getSrcs().front());
    if (!from || !llvm::all_of(op.getSrcs(), [&](Value source) {
          RankedTensorType other = reshaped(source);
          return other && other.getShape() == from.getShape();
        }))
      return combineInside(op, inside(builder, op.getLoc(), type, axis));
    const int64_t count = padded(from).getNumElements();
    auto flat = [&](Value value) -> Value {
      auto type = RankedTensorType::get({count}, getElementTypeOrSelf(value.getType()));
      return ReshapeOp::create(builder, op.getLoc(), type, value, false, false);
    };
    SmallVector<Value> sources;
    for (Value source : op.getSrcs())
      sources.push_back(flat(source.getDefiningOp<ReshapeOp>().getSrc()));
    op.getSrcsMutable().assign(sources);
    combineInside(op, flat(inside(builder, op.getLoc(), from)));
  }

  void rewriteScan(ScanOp op) {
    RankedTensorType type = writtenType(op.getSrcs().front());
    // From the first element on the padding comes last.
    if (!type || !op.getReverse() || isPower(type.getDimSize(op.getAxis())))
      return;
    OpBuilder builder(op);
    combineInside(op, inside(builder, op.getLoc(), type, op.getAxis()));
  }

  /// Whether all of a value's padding is zero.
  bool hasZeroPadding(Value value) const {
    if (isZero(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast_if_present<LoadOp>(op))
      return load.getOther() && isZero(load.getOther());
    return isa_and_present<CastOpInterface, TransOp, FpToFpOp>(op) &&
           hasZeroPadding(op->getOperand(0));
  }

  /// Makes an operand zero where it is padded along one axis, counted from the last.
  void clear(OpOperand &operand, int64_t axisFromLast) {
    Value value = operand.get();
    RankedTensorType type = writtenType(value);
    if (!type || hasZeroPadding(value))
      return;
    const int64_t axis = type.getRank() - axisFromLast;
    if (isPower(type.getDimSize(axis)))
      return;
    OpBuilder builder(operand.getOwner());
    Location loc = operand.getOwner()->getLoc();
    operand.set(select(builder, loc, inside(builder, loc, type, axis), value,
                       zero(builder, loc, value.getType())));
  }

  template <typename Op> void rewriteProduct(Op op) {
    clear(op.getAMutable(), 1);
    clear(op.getBMutable(), 2);
    // A scale of zero is a number; one of the padding might be none.
    if constexpr (std::is_same_v<Op, DotScaledOp>)
      for (MutableOperandRange scale : {op.getAScaleMutable(), op.getBScaleMutable()})
        if (!scale.empty())
          clear(scale[0], 1);
  }

  void rewritePrint(PrintOp op) {
    Builder builder(op.getContext());
    SmallVector<Type> types;
    for (Value value : op.getArgs()) {
      RankedTensorType type = writtenType(value);
      types.push_back(type ? type : value.getType());
    }
    op.setWrittenAttr(builder.getTypeArrayAttr(types));
  }

  void rewriteAssert(AssertOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value mask = inside(builder, loc, writtenType(op.getCondition()));
    Value all = constant(builder, loc, mask.getType(), builder.getBoolAttr(true));
    Value outside = arith::XOrIOp::create(builder, loc, mask, all);
    op.getConditionMutable().assign(arith::OrIOp::create(builder, loc, op.getCondition(), outside));
  }

  // ---- Moving elements

  void rewriteReshape(ReshapeOp op) {
    RankedTensorType from = writtenType(op.getSrc()), to = writtenType(op.getResult());
    if (op->use_empty())
      return dead.push_back(op);
    op.setAllowReorder(false);
    if (keepsNumbers(from.getShape(), to.getShape()))
      return;
    // Gathered: of each element of the result the number among all that are written, and where
    // that is in the padded source.
    OpBuilder builder(op);
    Location loc = op.getLoc();
    RankedTensorType source = padded(from), target = padded(to);
    auto line = RankedTensorType::get({target.getNumElements()}, builder.getI32Type());
    auto number = [&](int64_t value) {
      return constant(builder, loc, line, builder.getI32IntegerAttr(int32_t(value)));
    };
    Value at = MakeRangeOp::create(builder, loc, line, 0, uint32_t(line.getDimSize(0)));
    Value place = renumber(builder, loc, at, target.getShape(), to.getShape(), number);
    place = arith::MinUIOp::create(builder, loc, place, number(to.getNumElements() - 1));
    place = renumber(builder, loc, place, from.getShape(), source.getShape(), number);
    Type element = to.getElementType();
    Value flat =
        ReshapeOp::create(builder, loc, RankedTensorType::get({source.getNumElements()}, element),
                          op.getSrc(), false, false);
    Value chosen = GatherOp::create(builder, loc, RankedTensorType::get(line.getShape(), element),
                                    flat, place, 0, false);
    op.getSrcMutable().assign(chosen);
  }

  /// The row-major number in the shape `to` of the coordinates that a number has in `from`.
  static Value renumber(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> from,
                        ArrayRef<int64_t> to, llvm::function_ref<Value(int64_t)> number) {
    Value result;
    int64_t step = 1;
    for (size_t axis = from.size(); axis-- > 0;) {
      Value digit = value;
      if (axis > 0) {
        value = arith::DivUIOp::create(builder, loc, digit, number(from[axis]));
        digit = arith::RemUIOp::create(builder, loc, digit, number(from[axis]));
      }
      digit = arith::MulIOp::create(builder, loc, digit, number(step));
      result = result ? arith::AddIOp::create(builder, loc, result, digit) : digit;
      step *= to[axis];
    }
    return result;
  }

  void rewriteRange(MakeRangeOp op) {
    const int64_t extent = op.getType().getDimSize(0), start = int32_t(op.getStart());
    if (start + extent <= std::numeric_limits<int32_t>::max()) {
      op.setEnd(uint32_t(start + extent));
      return;
    }
    // The padding wraps around.
    OpBuilder builder(op);
    Value at = MakeRangeOp::create(builder, op.getLoc(), op.getType(), 0, uint32_t(extent));
    Value first = constant(builder, op.getLoc(), op.getType(), op.getStartAttr());
    Value sum = arith::AddIOp::create(builder, op.getLoc(), first, at);
    written[sum] = writtenType(op);
    op.replaceAllUsesWith(sum);
    dead.push_back(op);
  }

  void rewriteConstant(arith::ConstantOp op) {
    auto values = cast<DenseElementsAttr>(op.getValue());
    auto type = cast<RankedTensorType>(op.getType());
    if (values.isSplat())
      return op.setValueAttr(values.resizeSplat(type));
    RankedTensorType from = writtenType(op);
    SmallVector<Attribute> all;
    auto given = values.getValues<Attribute>();
    for (int64_t at = 0; at < type.getNumElements(); ++at) {
      // The last element of each axis again and again.
      int64_t rest = at, place = 0, step = 1;
      for (int64_t axis = type.getRank(); axis-- > 0;) {
        const int64_t coordinate = rest % type.getDimSize(axis);
        rest /= type.getDimSize(axis);
        place += std::min(coordinate, from.getDimSize(axis) - 1) * step;
        step *= from.getDimSize(axis);
      }
      all.push_back(given[place]);
    }
    op.setValueAttr(DenseElementsAttr::get(type, all));
  }

  // ---- Code for single elements

  /// Groups of elements are the same with the padding if no group crosses the end of a row.
  LogicalResult verifyGroups(Operation *op, RankedTensorType type, int64_t pack) {
    if (type.getShape().back() % pack == 0)
      return success();
    return op->emitError() << nameOf(op) << " takes groups of " << pack
                           << " elements, which cross the rows of a block of " << shapeText(type);
  }

  /// Code that may fail, read memory or run long does not run for the padding.
  void rewriteMap(MapElementwiseOp op, RankedTensorType type) {
    Region &region = op.getScalarOp();
    const bool isHarmless =
        region.hasOneBlock() && llvm::all_of(region.front(), [](Operation &inner) {
          return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
        });
    if (isHarmless)
      return;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    const unsigned pack = unsigned(op.getPack());
    op.getSrcsMutable().append(inside(builder, loc, type));
    Block *body = &region.front();
    SmallVector<Location> locations(body->getNumArguments(), loc);
    Block *entry = builder.createBlock(body, body->getArgumentTypes(), locations);
    SmallVector<Value> arguments(entry->getArguments());
    Value isInside = entry->addArgument(builder.getI1Type(), loc);
    for (unsigned i = 1; i < pack; ++i)
      entry->addArgument(builder.getI1Type(), loc);
    Block *skip = builder.createBlock(&region, region.end());
    SmallVector<Value> zeros;
    for (Type result : op.getResultTypes())
      zeros.append(pack, zero(builder, loc, getElementTypeOrSelf(result)));
    MapElementwiseReturnOp::create(builder, loc, zeros);
    builder.setInsertionPointToEnd(entry);
    cf::CondBranchOp::create(builder, loc, isInside, body, arguments, skip, ValueRange());
  }

  // ---- All of them

  LogicalResult refuse(Operation *op) {
    RankedTensorType type;
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                           SmallVector<Value>(op->getResults())))
      if (!type)
        type = writtenType(value);
    return op->emitError() << nameOf(op) << " takes blocks whose extents are powers of two, found "
                           << shapeText(type);
  }

  LogicalResult rewrite(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](LoadOp op) { return rewriteLoad(op), success(); })
        .Case([&](AccessOpInterface op) { return rewriteMasked(op, op.getPtr(), op.getMask()); })
        .Case<DescriptorGatherOp, DescriptorScatterOp>(
            [&](auto op) { return rewriteRows(op, op.getXOffsetsMutable()), success(); })
        .Case([&](ReduceOp op) { return rewriteReduce(op), success(); })
        .Case([&](ScanOp op) { return rewriteScan(op), success(); })
        .Case<DotOp, DotScaledOp>([&](auto op) { return rewriteProduct(op), success(); })
        .Case([&](PrintOp op) { return rewritePrint(op), success(); })
        .Case([&](AssertOp op) { return rewriteAssert(op), success(); })
        .Case([&](ReshapeOp op) { return rewriteReshape(op), success(); })
        .Case([&](MakeRangeOp op) { return rewriteRange(op), success(); })
        .Case([&](arith::ConstantOp op) {
          if (!isa<DenseElementsAttr>(op.getValue()))
            return refuse(op);
          return rewriteConstant(op), success();
        })
        .Case([&](MapElementwiseOp op) {
          RankedTensorType type = writtenType(op.getResult().front());
          if (failed(verifyGroups(op, type, op.getPack())))
            return failure();
          return rewriteMap(op, type), success();
        })
        .Case([&](ElementwiseInlineAsmOp op) {
          if (!op.getPure())
            return refuse(op);
          return verifyGroups(op, writtenType(op.getResult().front()), op.getPackedElement());
        })
        .Default([&](Operation *op) {
          // Without a function to combine them, elements in no order are counted.
          if (op->hasTrait<OrderInsensitive>())
            return rewriteMasked(op, op->getOperand(0),
                                 op->getNumOperands() > 1 ? op->getOperand(1) : Value());
          return op->getNumRegions() == 0 && !isa<CallOp>(op) && !isMemoryEffectFree(op)
                     ? refuse(op)
                     : success();
        });
  }

  void remark() {
    // Not by the operation, which would be shown in all its length.
    mlir::emitRemark(function.getLoc())
        << (paddedElements - elements) * 100 / paddedElements
        << " % of the elements of tensors in kernel '" << function.getName()
        << "' are padding; tensors of " << shapeText(worst) << " are computed as "
        << shapeText(padded(worst));
  }

  FuncOp function;
  DenseMap<Value, RankedTensorType> written;
  SmallVector<Operation *> dead;
  int64_t elements = 0, paddedElements = 0;
  RankedTensorType worst;
};

struct PadTiles : impl::PadTilesBase<PadTiles> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const auto isPadded = [](Type type) { return !paddedDescriptorParts(type).empty(); };
    const bool receivesAny = llvm::any_of(module.getOps<FuncOp>(), [&](FuncOp function) {
      return function.isPublic() && llvm::any_of(function.getArgumentTypes(), isPadded);
    });
    if ((receivesAny && failed(receiveDescriptors(module))) ||
        failed(rewriteDescriptors(module, paddedDescriptorParts)))
      return signalPassFailure();
    for (auto function : module.getOps<FuncOp>())
      if (failed(Padding(function).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tl::tt
