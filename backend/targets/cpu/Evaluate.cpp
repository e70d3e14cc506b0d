// SPDX-License-Identifier: MIT
//
// The central function of the CPU target: the elements of a tensor at the lanes of an index. A
// value that has a slot is read from it; everything else is computed from its operands at the index
// that they are needed at. Results are remembered at the loop level on which they depend, so
// invariant parts leave the inner loops while the code is being written.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

namespace {
llvm::Constant *laneNumbers(llvm::Type *type, unsigned lanes) {
  llvm::SmallVector<llvm::Constant *, 64> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::get(type, lane));
  return llvm::ConstantVector::get(numbers);
}
} // namespace

llvm::Value *FunctionLowering::toVector(Nest &nest, const Lanes &lanes) {
  if (lanes.isVector() || nest.lanes == 1)
    return lanes.value;
  if (lanes.isSpread()) {
    auto *type = llvm::FixedVectorType::get(builder.getInt64Ty(), nest.lanes);
    return builder.CreateGEP(lanes.pointee, lanes.value, builder.CreateSExt(lanes.offsets, type));
  }
  llvm::Value *splat = builder.CreateVectorSplat(nest.lanes, lanes.value);
  if (lanes.isUniform())
    return splat;
  llvm::Type *type = lanes.stride->getType();
  llvm::Value *offsets = builder.CreateMul(builder.CreateVectorSplat(nest.lanes, lanes.stride),
                                           laneNumbers(type, nest.lanes));
  if (lanes.value->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), lanes.value, offsets);
  return builder.CreateAdd(splat, offsets);
}

Lanes FunctionLowering::evaluate(Nest &nest, mlir::Value value, const Index &index) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return Lanes::uniform(scalar(value));
  // Masks first: what they are depends on the loop that is being emitted.
  if (nest.mode != MaskMode::tested)
    if (auto known = knownMask(nest, value, index))
      return *known;
  unsigned level = index.level();
  auto &entries = nest.levels[level].values[value];
  for (auto &[known, lanes] : entries)
    if (known == index)
      return lanes;
  Lanes lanes = compute(nest, value, index);
  nest.levels[level].values[value].push_back({index, lanes});
  return lanes;
}

Lanes FunctionLowering::compute(Nest &nest, mlir::Value value, const Index &index) {
  mlir::Type element = elementType(value.getType());
  if (auto copy = nest.copies.find(value); copy != nest.copies.end())
    return evaluateSlot(nest, *copy->second, element, index);
  if (!nest.producing.contains(value))
    if (auto slot = slots.find(value); slot != slots.end())
      return evaluateSlot(nest, *slot->second, element, index);
  if (auto moved = source(nest, value, index))
    return evaluate(nest, moved->first, moved->second);

  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    throw Error(TL_INTERNAL_ERROR, "a tensor block argument has no memory");
  if (mlir::isa<mlir::arith::ConstantOp>(operation))
    return evaluateConstant(nest, value, index);
  if (mlir::isa<mlir::ub::PoisonOp>(operation))
    return Lanes::uniform(llvm::Constant::getNullValue(registerType(context, element)));
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(operation))
    return Lanes::uniform(scalar(splat.getSrc()));
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(operation)) {
    Lanes lanes = linear(nest, index);
    at(nest, index.level());
    llvm::Type *type = withLanes(registerType(context, element), lanes.isVector() ? nest.lanes : 1);
    lanes.value = builder.CreateAdd(
        builder.CreateTrunc(lanes.value, type),
        llvm::ConstantInt::get(type, uint64_t(int64_t(int32_t(range.getStart()))), true));
    if (lanes.isAffine())
      lanes.stride = builder.CreateTrunc(lanes.stride, registerType(context, element));
    return lanes;
  }
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    return evaluateLoad(nest, load, index);
  if (auto join = mlir::dyn_cast<tt::JoinOp>(operation)) {
    llvm::SmallVector<int64_t> shape = {elementCount(join.getLhs().getType()), 2};
    auto parts = split(nest, index, shape);
    return evaluateJoin(nest, join.getLhs(), join.getRhs(), linear(nest, Index{parts[1]}),
                        Index{parts[0]}, index.level());
  }
  if (auto cat = mlir::dyn_cast<tt::CatOp>(operation)) {
    llvm::SmallVector<int64_t> shape = {2, elementCount(cat.getLhs().getType())};
    auto parts = split(nest, index, shape);
    return evaluateJoin(nest, cat.getLhs(), cat.getRhs(), linear(nest, Index{parts[0]}),
                        Index{parts[1]}, index.level());
  }
  return evaluateElementwise(nest, mlir::cast<mlir::OpResult>(value), index);
}

/// low where `which` is 0, high where it is 1.
Lanes FunctionLowering::evaluateJoin(Nest &nest, mlir::Value low, mlir::Value high, Lanes which,
                                     const Index &index, unsigned level) {
  if (auto *known = which.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(which.value) : nullptr)
    return evaluate(nest, known->isZero() ? low : high, index);
  Lanes a = evaluate(nest, low, index), b = evaluate(nest, high, index);
  at(nest, level);
  llvm::Value *selector = toVector(nest, which);
  selector = builder.CreateICmpNE(selector, llvm::Constant::getNullValue(selector->getType()));
  if (which.isUniform() && a.isUniform() && b.isUniform())
    return Lanes::uniform(builder.CreateSelect(
        which.isUniform() && nest.lanes > 1 ? builder.CreateICmpNE(which.value, i64(0)) : selector,
        b.value, a.value));
  llvm::Value *chosen = builder.CreateSelect(selector, toVector(nest, b), toVector(nest, a));
  return nest.lanes == 1 ? Lanes::uniform(chosen) : Lanes::vector(chosen);
}

std::optional<std::pair<mlir::Value, Index>> FunctionLowering::source(Nest &nest, mlir::Value value,
                                                                      const Index &index) {
  using Result = std::optional<std::pair<mlir::Value, Index>>;
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return std::nullopt;
  return llvm::TypeSwitch<mlir::Operation *, Result>(operation)
      .Case<tt::ExpandDimsOp, tt::ReshapeOp>(
          [&](auto moved) -> Result { return {{moved.getSrc(), index}}; })
      .Case([&](tt::ReduceOp reduce) -> Result { // over one element
        return {{reduce.getSrcs()[mlir::cast<mlir::OpResult>(value).getResultNumber()], index}};
      })
      .Case([&](tt::BroadcastOp broadcast) -> Result {
        auto from = shapeOf(broadcast.getSrc().getType()), to = shapeOf(value.getType());
        auto parts = split(nest, index, to);
        Index moved;
        for (size_t d = 0; d < to.size(); ++d)
          if (from[d] == to[d])
            moved.digits.append(parts[d]);
        return {{broadcast.getSrc(), moved}};
      })
      .Case([&](tt::TransOp trans) -> Result {
        auto parts = split(nest, index, shapeOf(value.getType()));
        llvm::SmallVector<Digits> from(parts.size());
        for (auto [to, dimension] : llvm::enumerate(trans.getOrder()))
          from[dimension] = parts[to];
        Index moved;
        for (Digits &digits : from)
          moved.digits.append(digits);
        return {{trans.getSrc(), moved}};
      })
      .Case([&](tt::SplitOp split) -> Result {
        Index moved = index;
        Digit digit;
        digit.extent = 2;
        digit.base = i64(mlir::cast<mlir::OpResult>(value).getResultNumber());
        moved.digits.push_back(digit);
        return {{split.getSrc(), moved}};
      })
      .Case([&](tt::GatherOp gather) -> Result {
        auto indicesShape = shapeOf(gather.getIndices().getType());
        auto sourceShape = shapeOf(gather.getSrc().getType());
        size_t axis = gather.getAxis();
        Lanes where = evaluate(nest, gather.getIndices(), index);
        auto parts = split(nest, index, indicesShape);
        at(nest, index.level());
        Index moved;
        for (size_t d = 0; d < sourceShape.size(); ++d) {
          if (d != axis) {
            if (indicesShape[d] < sourceShape[d]) {
              Digit zero;
              zero.extent = sourceShape[d] / indicesShape[d];
              zero.base = i64(0);
              moved.digits.push_back(zero);
            }
            moved.digits.append(parts[d]);
            continue;
          }
          if (sourceShape[d] == 1)
            continue;
          // Indices out of range are the kernel's error; they are kept inside of the tensor.
          Digit digit;
          digit.extent = sourceShape[d];
          digit.level = index.level();
          digit.general = !where.isUniform();
          llvm::Value *position = digit.general ? toVector(nest, where) : where.value;
          if (nest.lanes == 1)
            digit.general = false;
          llvm::Type *type = withLanes(builder.getInt64Ty(), digit.general ? nest.lanes : 1);
          position = builder.CreateZExtOrTrunc(position, type);
          digit.base =
              builder.CreateAnd(position, llvm::ConstantInt::get(type, sourceShape[d] - 1));
          moved.digits.push_back(digit);
        }
        return {{gather.getSrc(), moved}};
      })
      .Default([](mlir::Operation *) -> Result { return std::nullopt; });
}

Lanes FunctionLowering::evaluateElementwise(Nest &nest, mlir::OpResult result, const Index &index) {
  mlir::Operation *operation = result.getOwner();
  llvm::SmallVector<Lanes, 4> operands;
  // A select whose condition is known needs only one arm; the mask of the full part is.
  if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(operation)) {
    Lanes condition = evaluate(nest, select.getCondition(), index);
    if (auto *known =
            condition.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(condition.value) : nullptr)
      return evaluate(nest, known->isZero() ? select.getFalseValue() : select.getTrueValue(),
                      index);
  }
  for (mlir::Value operand : operation->getOperands())
    operands.push_back(evaluate(nest, operand, index));
  at(nest, index.level());
  Lanes affine = affineOf(operation, operands, false);
  if (affine.value)
    return affine;
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(operation))
    if (Lanes spread = spreadOf(nest, add, operands[0], operands[1]); spread.value)
      return spread;
  bool uniform = nest.lanes == 1 ||
                 llvm::all_of(operands, [](const Lanes &lanes) { return lanes.isUniform(); });
  if (auto division = mlir::dyn_cast<mlir::arith::DivFOp>(operation);
      division && features.fma && isSameAlongRows(division.getRhs()))
    if (mlir::Type type = elementType(division.getType()); type.isF32() || type.isF64()) {
      llvm::Value *quotient = divideByUniform(nest, operands[0], operands[1].value);
      return uniform ? Lanes::uniform(quotient) : Lanes::vector(quotient);
    }
  Values values;
  for (const Lanes &lanes : operands)
    values.push_back(uniform ? lanes.value : toVector(nest, lanes));
  llvm::Value *value = emitElementwise(operation, values);
  return uniform ? Lanes::uniform(value) : Lanes::vector(value);
}

/// Times the rounded reciprocal, so within 1.5 ULP of the quotient (`/` is promised to 2, as
/// upstream's; tl::div_rn rounds correctly). A divisor near the ends of the range is scaled first,
/// so that the reciprocal is a normal number. What is exact stays exact: a power of two has an
/// exact reciprocal. In a loop along the row all but two products are done once; in others the same
/// is computed for each lane, so that the quotient is one value.
llvm::Value *FunctionLowering::divideByUniform(Nest &nest, const Lanes &dividend,
                                               llvm::Value *divisor) {
  auto number = [&](double value) { return llvm::ConstantFP::get(divisor->getType(), value); };
  const double limit = divisor->getType()->getScalarType()->isFloatTy() ? 0x1p64 : 0x1p512;
  llvm::Value *magnitude = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
  llvm::Value *scale =
      builder.CreateSelect(builder.CreateFCmpOGT(magnitude, number(limit)), number(1 / limit),
                           builder.CreateSelect(builder.CreateFCmpOLT(magnitude, number(1 / limit)),
                                                number(limit), number(1)));
  llvm::Value *reciprocal = builder.CreateFDiv(number(1), builder.CreateFMul(divisor, scale));
  const bool vectors = dividend.isVector() || divisor->getType()->isVectorTy();
  auto spread = [&](llvm::Value *value) {
    return vectors && !value->getType()->isVectorTy() ? builder.CreateVectorSplat(nest.lanes, value)
                                                      : value;
  };
  llvm::Value *q = builder.CreateFMul(spread(dividend.value), spread(reciprocal));
  return builder.CreateFMul(q, spread(scale));
}

/// Integer and pointer arithmetic that keeps the affine form; a null value if it does not. Where it
/// `goesOn`, neighbouring offsets may count on past the end of their type.
Lanes FunctionLowering::affineOf(mlir::Operation *operation, llvm::ArrayRef<Lanes> operands,
                                 bool goesOn) {
  if (llvm::none_of(operands, [](const Lanes &lanes) { return lanes.isAffine(); }) ||
      llvm::any_of(operands,
                   [](const Lanes &lanes) { return lanes.isVector() || lanes.isSpread(); }))
    return {};
  auto zero = [&](const Lanes &lanes) {
    return lanes.isAffine() ? lanes.stride : llvm::Constant::getNullValue(lanes.value->getType());
  };
  // Whether the extension of a narrow number is that of its base and stride.
  bool counts = llvm::any_of(operands, [](const Lanes &lanes) { return lanes.goesOn; });
  auto extends = [&](mlir::Value narrow, const Lanes &lanes) {
    if (ramps.of(narrow).extends())
      return true;
    auto *stride = llvm::dyn_cast<llvm::ConstantInt>(lanes.stride);
    counts = goesOn && stride && stride->isOne() && stride->getBitWidth() >= 32;
    return counts;
  };
  Lanes result =
      llvm::TypeSwitch<mlir::Operation *, Lanes>(operation)
          .Case([&](mlir::arith::AddIOp) {
            return Lanes::affine(builder.CreateAdd(operands[0].value, operands[1].value),
                                 builder.CreateAdd(zero(operands[0]), zero(operands[1])));
          })
          .Case([&](mlir::arith::SubIOp) {
            return Lanes::affine(builder.CreateSub(operands[0].value, operands[1].value),
                                 builder.CreateSub(zero(operands[0]), zero(operands[1])));
          })
          .Case([&](mlir::arith::MulIOp) -> Lanes {
            const Lanes &a = operands[0], &b = operands[1];
            if (a.isAffine() && b.isAffine())
              return {};
            const Lanes &moving = a.isAffine() ? a : b, &factor = a.isAffine() ? b : a;
            return Lanes::affine(builder.CreateMul(moving.value, factor.value),
                                 builder.CreateMul(moving.stride, factor.value));
          })
          .Case([&](mlir::arith::TruncIOp trunc) -> Lanes {
            llvm::Type *type = registerType(context, elementType(trunc.getType()));
            if (type->isIntegerTy(1))
              return {};
            return Lanes::affine(builder.CreateTrunc(operands[0].value, type),
                                 builder.CreateTrunc(operands[0].stride, type));
          })
          .Case([&](mlir::arith::ExtSIOp extend) -> Lanes {
            if (!extends(extend.getIn(), operands[0]))
              return {};
            llvm::Type *type = registerType(context, elementType(extend.getType()));
            return Lanes::affine(builder.CreateSExt(operands[0].value, type),
                                 builder.CreateSExt(operands[0].stride, type));
          })
          .Case([&](tt::AddPtrOp add) -> Lanes {
            mlir::Type pointee =
                mlir::cast<tt::PointerType>(elementType(add.getPtr().getType())).getPointeeType();
            const Lanes &pointer = operands[0], &offset = operands[1];
            if (offset.isAffine() && offset.value->getType()->getIntegerBitWidth() < 64 &&
                !extends(add.getOffset(), offset))
              return {};
            llvm::Value *size = i64(memoryBytes(pointee));
            auto bytes = [&](llvm::Value *elements) {
              return builder.CreateMul(builder.CreateSExtOrTrunc(elements, builder.getInt64Ty()),
                                       size);
            };
            llvm::Value *base =
                builder.CreateGEP(memoryType(context, pointee), pointer.value, offset.value);
            llvm::Value *stride = pointer.isAffine() ? pointer.stride : i64(0);
            if (offset.isAffine())
              stride = builder.CreateAdd(stride, bytes(offset.stride));
            return Lanes::affine(base, stride);
          })
          .Case([&](tt::BitcastOp cast) -> Lanes {
            if (mlir::isa<tt::PointerType>(elementType(cast.getType())) ||
                operands[0].value->getType() == registerType(context, elementType(cast.getType())))
              return operands[0];
            return {};
          })
          .Default([](mlir::Operation *) { return Lanes{}; });
  result.goesOn = counts;
  return result;
}

/// Pointers that have one base and a vector of narrow offsets, as long as what is added to them is
/// the same for all lanes; a null value if they do not.
Lanes FunctionLowering::spreadOf(Nest &nest, tt::AddPtrOp add, const Lanes &pointer,
                                 const Lanes &offset) {
  mlir::Type element =
      mlir::cast<tt::PointerType>(elementType(add.getPtr().getType())).getPointeeType();
  if (memoryBytes(element) < 4) // no processor gathers these
    return {};
  llvm::Type *pointee = memoryType(context, element);
  if (pointer.isSpread() && offset.isUniform())
    return Lanes::spread(builder.CreateGEP(pointee, pointer.value, offset.value), pointer.offsets,
                         pointee);
  const bool narrow = elementType(add.getOffset().getType()).getIntOrFloatBitWidth() < 64;
  if (nest.lanes == 1 || !pointer.isUniform() || offset.isUniform() || !narrow)
    return {};
  return Lanes::spread(pointer.value, toVector(nest, offset), pointee);
}

Lanes FunctionLowering::evaluateSlot(Nest &nest, Slot &slot, mlir::Type element,
                                     const Index &index) {
  scratch.use(slot);
  Lanes position = linear(nest, index);
  at(nest, index.level());
  llvm::Type *type = memoryType(context, element);
  llvm::Value *address = builder.CreateGEP(type, slot.pointer, position.value);
  llvm::Align align(memoryBytes(element));
  if (position.isUniform())
    return Lanes::uniform(fromMemory(builder.CreateAlignedLoad(type, address, align), element));
  auto *vectorType = llvm::FixedVectorType::get(type, nest.lanes);
  if (position.isAffine()) {
    auto *stride = llvm::cast<llvm::ConstantInt>(position.stride);
    if (stride->isOne())
      return Lanes::vector(
          fromMemory(builder.CreateAlignedLoad(vectorType, address, align), element));
    address = builder.CreateGEP(type, slot.pointer, toVector(nest, position));
  }
  llvm::Value *mask =
      llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes));
  return Lanes::vector(
      fromMemory(builder.CreateMaskedGather(vectorType, address, align, mask), element));
}

void FunctionLowering::storeSlot(Nest &nest, Slot &slot, mlir::Type element, const Index &index,
                                 Lanes value) {
  scratch.use(slot);
  Lanes position = linear(nest, index);
  atTail(nest);
  llvm::Type *type = memoryType(context, element);
  llvm::Align align(memoryBytes(element));
  llvm::Value *stored =
      toMemory(position.isUniform() ? value.value : toVector(nest, value), element);
  llvm::Value *address = builder.CreateGEP(type, slot.pointer, position.value);
  if (position.isUniform() ||
      (position.isAffine() && llvm::cast<llvm::ConstantInt>(position.stride)->isOne())) {
    builder.CreateAlignedStore(stored, address, align);
    return;
  }
  if (position.isAffine())
    address = builder.CreateGEP(type, slot.pointer, toVector(nest, position));
  llvm::Value *mask =
      llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes));
  builder.CreateMaskedScatter(stored, address, align, mask);
}

Lanes FunctionLowering::evaluateConstant(Nest &nest, mlir::Value value, const Index &index) {
  mlir::Type element = elementType(value.getType());
  mlir::Attribute attribute = value.getDefiningOp<mlir::arith::ConstantOp>().getValue();
  auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!elements)
    unsupported(value.getDefiningOp(), "the cpu target takes only dense tensor constants");
  if (elements.isSplat())
    return Lanes::uniform(constant(elements.getSplatValue<mlir::Attribute>(), element));
  llvm::SmallVector<llvm::Constant *> values;
  llvm::Type *type = memoryType(context, element);
  for (mlir::Attribute one : elements.getValues<mlir::Attribute>()) {
    auto *number = llvm::cast<llvm::Constant>(constant(one, element));
    values.push_back(element.isInteger(1) ? llvm::ConstantInt::get(type, number->isOneValue())
                                          : number);
  }
  auto *data = llvm::ConstantArray::get(llvm::ArrayType::get(type, values.size()), values);
  auto *global = new llvm::GlobalVariable(lowering.module, data->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, data, "constant");
  global->setAlignment(llvm::Align(64));
  Slot *slot = scratch.external(global, 0, true);
  slots[value] = slot;
  return evaluateSlot(nest, *slot, element, index);
}

} // namespace tl::backend::cpu
