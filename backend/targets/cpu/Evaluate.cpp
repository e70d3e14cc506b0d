// SPDX-License-Identifier: MIT
//
// The central function of the CPU target: the elements of a tensor at the lanes of an index. A
// value that has a buffer is read from it; everything else is computed from its operands at the
// index that they are needed at. Results are remembered at the loop level on which they depend, so
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

static Lanes compute(FunctionLowering &f, Nest &nest, mlir::Value value, const Index &index);
static Lanes evaluateJoin(FunctionLowering &f, Nest &nest, mlir::Value low, mlir::Value high,
                          Lanes which, const Index &index, unsigned level);
static Lanes evaluateElementwise(FunctionLowering &f, Nest &nest, mlir::OpResult result,
                                 const Index &index);
static llvm::Value *divideByUniform(FunctionLowering &f, Nest &nest, const Lanes &dividend,
                                    llvm::Value *divisor);
static Lanes spreadOf(FunctionLowering &f, Nest &nest, tt::AddPtrOp add, const Lanes &pointer,
                      const Lanes &offset);
static Lanes evaluateConstant(FunctionLowering &f, Nest &nest, mlir::Value value,
                              const Index &index);

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
  Lanes lanes = compute(*this, nest, value, index);
  nest.levels[level].values[value].push_back({index, lanes});
  return lanes;
}

static Lanes compute(FunctionLowering &f, Nest &nest, mlir::Value value, const Index &index) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  mlir::Type element = elementType(value.getType());
  if (auto copy = nest.copies.find(value); copy != nest.copies.end())
    return f.loadBuffer(nest, *copy->second, element, index);
  if (!nest.producing.contains(value))
    if (auto buffer = f.buffers.find(value); buffer != f.buffers.end())
      return f.loadBuffer(nest, *buffer->second, element, index);
  if (auto moved = f.source(nest, value, index))
    return f.evaluate(nest, moved->first, moved->second);

  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    throw Error(TL_INTERNAL_ERROR, "a tensor block argument has no memory");
  if (mlir::isa<mlir::arith::ConstantOp>(operation))
    return evaluateConstant(f, nest, value, index);
  if (mlir::isa<mlir::ub::PoisonOp>(operation))
    return Lanes::uniform(llvm::Constant::getNullValue(registerType(context, element)));
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(operation))
    return Lanes::uniform(f.scalar(splat.getSrc()));
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(operation)) {
    Lanes lanes = f.linear(nest, index);
    f.at(nest, index.level());
    llvm::Type *type = withLanes(registerType(context, element), lanes.isVector() ? nest.lanes : 1);
    lanes.value = builder.CreateAdd(
        builder.CreateTrunc(lanes.value, type),
        llvm::ConstantInt::get(type, uint64_t(int64_t(int32_t(range.getStart()))), true));
    if (lanes.isAffine())
      lanes.stride = builder.CreateTrunc(lanes.stride, registerType(context, element));
    return lanes;
  }
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    return f.evaluateLoad(nest, load, index);
  if (auto join = mlir::dyn_cast<tt::JoinOp>(operation)) {
    llvm::SmallVector<int64_t> shape = {elementCount(join.getLhs().getType()), 2};
    auto parts = f.split(nest, index, shape);
    return evaluateJoin(f, nest, join.getLhs(), join.getRhs(), f.linear(nest, Index{parts[1]}),
                        Index{parts[0]}, index.level());
  }
  if (auto cat = mlir::dyn_cast<tt::CatOp>(operation)) {
    llvm::SmallVector<int64_t> shape = {2, elementCount(cat.getLhs().getType())};
    auto parts = f.split(nest, index, shape);
    return evaluateJoin(f, nest, cat.getLhs(), cat.getRhs(), f.linear(nest, Index{parts[0]}),
                        Index{parts[1]}, index.level());
  }
  return evaluateElementwise(f, nest, mlir::cast<mlir::OpResult>(value), index);
}

/// low where `which` is 0, high where it is 1.
static Lanes evaluateJoin(FunctionLowering &f, Nest &nest, mlir::Value low, mlir::Value high,
                          Lanes which, const Index &index, unsigned level) {
  llvm::IRBuilder<> &builder = f.builder;
  if (auto *known = which.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(which.value) : nullptr)
    return f.evaluate(nest, known->isZero() ? low : high, index);
  Lanes a = f.evaluate(nest, low, index), b = f.evaluate(nest, high, index);
  f.at(nest, level);
  llvm::Value *selector = f.toVector(nest, which);
  selector = builder.CreateICmpNE(selector, llvm::Constant::getNullValue(selector->getType()));
  if (which.isUniform() && a.isUniform() && b.isUniform())
    return Lanes::uniform(builder.CreateSelect(which.isUniform() && nest.lanes > 1
                                                   ? builder.CreateICmpNE(which.value, f.i64(0))
                                                   : selector,
                                               b.value, a.value));
  llvm::Value *chosen = builder.CreateSelect(selector, f.toVector(nest, b), f.toVector(nest, a));
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

static Lanes evaluateElementwise(FunctionLowering &f, Nest &nest, mlir::OpResult result,
                                 const Index &index) {
  mlir::Operation *operation = result.getOwner();
  llvm::SmallVector<Lanes, 4> operands;
  // A select whose condition is known needs only one arm; the mask of the full part is.
  if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(operation)) {
    Lanes condition = f.evaluate(nest, select.getCondition(), index);
    if (auto *known =
            condition.isUniform() ? llvm::dyn_cast<llvm::ConstantInt>(condition.value) : nullptr)
      return f.evaluate(nest, known->isZero() ? select.getFalseValue() : select.getTrueValue(),
                        index);
  }
  for (mlir::Value operand : operation->getOperands())
    operands.push_back(f.evaluate(nest, operand, index));
  f.at(nest, index.level());
  Lanes affine = f.affineOf(operation, operands, false);
  if (affine.value)
    return affine;
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(operation))
    if (Lanes spread = spreadOf(f, nest, add, operands[0], operands[1]); spread.value)
      return spread;
  bool uniform = nest.lanes == 1 ||
                 llvm::all_of(operands, [](const Lanes &lanes) { return lanes.isUniform(); });
  if (auto division = mlir::dyn_cast<mlir::arith::DivFOp>(operation);
      division && f.features.fma && isSameAlongRows(division.getRhs()))
    if (mlir::Type type = elementType(division.getType()); type.isF32() || type.isF64()) {
      llvm::Value *quotient = divideByUniform(f, nest, operands[0], operands[1].value);
      return uniform ? Lanes::uniform(quotient) : Lanes::vector(quotient);
    }
  Values values;
  for (const Lanes &lanes : operands)
    values.push_back(uniform ? lanes.value : f.toVector(nest, lanes));
  llvm::Value *value = f.emitElementwise(operation, values);
  return uniform ? Lanes::uniform(value) : Lanes::vector(value);
}

/// Times the rounded reciprocal, so within 1.5 ULP of the quotient (`/` is promised to 2, as
/// upstream's; tl::div_rn rounds correctly). A divisor near the ends of the range is scaled first,
/// so that the reciprocal is a normal number. What is exact stays exact: a power of two has an
/// exact reciprocal. In a loop along the row all but two products are done once; in others the same
/// is computed for each lane, so that the quotient is one value.
static llvm::Value *divideByUniform(FunctionLowering &f, Nest &nest, const Lanes &dividend,
                                    llvm::Value *divisor) {
  llvm::IRBuilder<> &builder = f.builder;
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

/// Pointers that have one base and a vector of narrow offsets, as long as what is added to them is
/// the same for all lanes; a null value if they do not.
static Lanes spreadOf(FunctionLowering &f, Nest &nest, tt::AddPtrOp add, const Lanes &pointer,
                      const Lanes &offset) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
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
  return Lanes::spread(pointer.value, f.toVector(nest, offset), pointee);
}

Lanes FunctionLowering::loadBuffer(Nest &nest, ScratchBuffer &buffer, mlir::Type element,
                                   const Index &index) {
  scratch.use(buffer);
  Lanes position = linear(nest, index);
  at(nest, index.level());
  llvm::Type *type = memoryType(context, element);
  llvm::Value *address = builder.CreateGEP(type, buffer.pointer, position.value);
  llvm::Align align(memoryBytes(element));
  if (position.isUniform())
    return Lanes::uniform(fromMemory(builder.CreateAlignedLoad(type, address, align), element));
  auto *vectorType = llvm::FixedVectorType::get(type, nest.lanes);
  if (position.isAffine()) {
    auto *stride = llvm::cast<llvm::ConstantInt>(position.stride);
    if (stride->isOne())
      return Lanes::vector(
          fromMemory(builder.CreateAlignedLoad(vectorType, address, align), element));
    address = builder.CreateGEP(type, buffer.pointer, toVector(nest, position));
  }
  llvm::Value *mask =
      llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes));
  return Lanes::vector(
      fromMemory(builder.CreateMaskedGather(vectorType, address, align, mask), element));
}

void FunctionLowering::storeBuffer(Nest &nest, ScratchBuffer &buffer, mlir::Type element,
                                   const Index &index, Lanes value) {
  scratch.use(buffer);
  Lanes position = linear(nest, index);
  atTail(nest);
  llvm::Type *type = memoryType(context, element);
  llvm::Align align(memoryBytes(element));
  llvm::Value *stored =
      toMemory(position.isUniform() ? value.value : toVector(nest, value), element);
  llvm::Value *address = builder.CreateGEP(type, buffer.pointer, position.value);
  if (position.isUniform() ||
      (position.isAffine() && llvm::cast<llvm::ConstantInt>(position.stride)->isOne())) {
    builder.CreateAlignedStore(stored, address, align);
    return;
  }
  if (position.isAffine())
    address = builder.CreateGEP(type, buffer.pointer, toVector(nest, position));
  llvm::Value *mask =
      llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder.getInt1Ty(), nest.lanes));
  builder.CreateMaskedScatter(stored, address, align, mask);
}

static Lanes evaluateConstant(FunctionLowering &f, Nest &nest, mlir::Value value,
                              const Index &index) {
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  mlir::Type element = elementType(value.getType());
  mlir::Attribute attribute = value.getDefiningOp<mlir::arith::ConstantOp>().getValue();
  auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!elements)
    unsupported(value.getDefiningOp(), "the cpu target takes only dense tensor constants");
  if (elements.isSplat())
    return Lanes::uniform(f.constant(elements.getSplatValue<mlir::Attribute>(), element));
  llvm::SmallVector<llvm::Constant *> values;
  llvm::Type *type = memoryType(context, element);
  for (mlir::Attribute one : elements.getValues<mlir::Attribute>()) {
    auto *number = llvm::cast<llvm::Constant>(f.constant(one, element));
    values.push_back(element.isInteger(1) ? llvm::ConstantInt::get(type, number->isOneValue())
                                          : number);
  }
  auto *data = llvm::ConstantArray::get(llvm::ArrayType::get(type, values.size()), values);
  auto *global = new llvm::GlobalVariable(f.lowering.module, data->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, data, "constant");
  global->setAlignment(llvm::Align(64));
  ScratchBuffer *buffer = scratch.external(global, 0, true);
  f.buffers[value] = buffer;
  return f.loadBuffer(nest, *buffer, element, index);
}

} // namespace tl::backend::cpu
