// SPDX-License-Identifier: MIT
//
// Reductions. Over the innermost axis: several vector accumulators in the loop, folded into one
// scalar at its end. Over another axis: whole vectors of results stay in registers while the loop
// runs down the axis. The combining region is emitted on vectors in both, whatever it computes.
//
// A deterministic launch combines in an order that the extent of the axis alone decides. Over the
// innermost axis element i goes to partial result i modulo 32, and these are folded in halves:
// their number is that of the lanes times that of the accumulators, so CPUs with other vectors
// agree. Over another axis, as over one of less than 8 elements, it is one after the other.
#include "passes/FuseMultiplyAdd.h"
#include "targets/cpu/CarriedValues.h"
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"

namespace tl::backend::cpu {

using llvm::Value;
namespace arith = mlir::arith;

/// The bits of the source's linear index that are the axis: [low, high).
void FunctionLowering::reducedField(tt::ReduceOp reduce, unsigned &low, unsigned &high) {
  auto shape = shapeOf(reduce.getSrcs()[0].getType());
  low = 0;
  for (size_t d = reduce.getAxis() + 1; d < shape.size(); ++d)
    low += bitsOf(shape[d]);
  high = low + bitsOf(shape[reduce.getAxis()]);
}

/// Whether lanes run along the axis: it is the innermost one, and long enough or the only one.
bool FunctionLowering::reducesInnermost(tt::ReduceOp reduce) {
  unsigned low, high;
  reducedField(reduce, low, high);
  auto shape = shapeOf(reduce.getSrcs()[0].getType());
  unsigned bits = bitsOf(elementCount(reduce.getSrcs()[0].getType()));
  if (lowering.options.deterministic && reduce.getAxis() + 1 != shape.size())
    return false;
  const unsigned shortest = lowering.options.deterministic ? 8 : std::min(8u, features.lanes(4));
  return low == 0 && (high == bits || (int64_t(1) << high) >= shortest);
}

unsigned FunctionLowering::fixedPartials(tt::ReduceOp reduce) {
  if (!lowering.options.deterministic || !reduce || !reducesInnermost(reduce))
    return 0;
  const int64_t extent = shapeOf(reduce.getSrcs()[0].getType()).back();
  if (extent < 8 || !isVectorisable(reduce.getCombineOp()))
    return 1;
  return unsigned(std::min<int64_t>(extent, 32));
}

unsigned FunctionLowering::fixedPartials(llvm::ArrayRef<FusionRoot> roots) {
  for (const FusionRoot &root : roots)
    if (unsigned partials = fixedPartials(mlir::dyn_cast_or_null<tt::ReduceOp>(root.operation)))
      return partials;
  return 0;
}

bool FunctionLowering::cutsPartials(unsigned partials, const Slice &slice) {
  return partials && slice.cuts & (partials - 1) & ~1u;
}

/// The neutral element where the region is one operation that has one, else null.
llvm::Constant *FunctionLowering::identity(tt::ReduceOp reduce) {
  mlir::Block &body = reduce.getCombineOp().front();
  if (reduce.getSrcs().size() != 1 || !llvm::hasNItems(body.without_terminator(), 1))
    return nullptr;
  mlir::Operation &operation = body.front();
  mlir::Value x = body.getArgument(0), y = body.getArgument(1);
  if (operation.getNumOperands() != 2 ||
      body.getTerminator()->getOperand(0).getDefiningOp() != &operation ||
      !((operation.getOperand(0) == x && operation.getOperand(1) == y) ||
        (operation.getOperand(0) == y && operation.getOperand(1) == x)))
    return nullptr;
  mlir::Type element = operation.getResult(0).getType();
  llvm::Type *type = registerType(context, element);
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(element)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    std::optional<llvm::APFloat> value;
    if (mlir::isa<arith::AddFOp>(operation))
      value = llvm::APFloat::getZero(semantics, true);
    else if (mlir::isa<arith::MulFOp>(operation))
      value = llvm::APFloat::getOne(semantics);
    else if (mlir::isa<arith::MaxNumFOp, arith::MinNumFOp>(operation))
      value = llvm::APFloat::getNaN(semantics);
    else if (mlir::isa<arith::MaximumFOp, arith::MinimumFOp>(operation) && element.isF32())
      value = llvm::APFloat::getInf(semantics, mlir::isa<arith::MaximumFOp>(operation));
    // The formats without a negative zero or without infinities start from their first element.
    if (!value || memoryBytes(element) == 1)
      return nullptr;
    if (type->isIntegerTy())
      return llvm::ConstantInt::get(type, value->bitcastToAPInt());
    return llvm::ConstantFP::get(context, *value);
  }
  if (!element.isInteger())
    return nullptr;
  if (auto neutral = arith::getNeutralElement(&operation))
    return llvm::cast<llvm::Constant>(constant(*neutral, element));
  return nullptr;
}

/// A maximum (or minimum) that skips NaN takes three instructions a vector, one that lets a NaN in
/// the second operand lose takes one and differs only if every element is NaN: then it gives the
/// infinity that it began with. So the loop uses that, and where the infinity comes out the exact
/// loop runs. Running it again must read the same values: nothing may be written by the nest.
bool FunctionLowering::isFastExtremum(llvm::ArrayRef<FusionRoot> roots, const FusionRoot &root) {
  auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(root.operation);
  if (lowering.options.deterministic || !reduce || !identity(reduce) ||
      reduce.getSrcs().size() != 1 ||
      mlir::isa<mlir::RankedTensorType>(reduce->getResult(0).getType()))
    return false;
  mlir::Operation &operation = reduce.getCombineOp().front().front();
  mlir::Type element = operation.getResult(0).getType();
  if (!mlir::isa<arith::MaxNumFOp, arith::MinNumFOp>(operation) ||
      !(element.isF32() || element.isF64()))
    return false;
  return llvm::all_of(
      roots, [](const FusionRoot &other) { return other.kind == FusionRoot::Kind::reduce; });
}

/// What accumulators begin with, if they need not begin with an element.
static llvm::Constant *neutralElement(FunctionLowering &f, tt::ReduceOp reduce,
                                      const Accumulators &accumulators) {
  llvm::Constant *neutral = f.identity(reduce);
  if (accumulators.fast)
    return llvm::ConstantFP::getInfinity(
        neutral->getType(), mlir::isa<arith::MaxNumFOp>(reduce.getCombineOp().front().front()));
  return neutral;
}

void FunctionLowering::beginReduce(Nest &nest, const FusionRoot &root, Accumulators &accumulators,
                                   unsigned unroll) {
  auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
  llvm::Constant *neutral = neutralElement(*this, reduce, accumulators);
  accumulators.parts.assign(unroll, {});
  for (unsigned u = 0; u < unroll; ++u)
    for (mlir::Value source : reduce.getSrcs()) {
      llvm::Type *type = registerType(context, elementType(source.getType()));
      llvm::Type *vector = withLanes(type, nest.lanes);
      llvm::Constant *start = neutral ? neutral : llvm::Constant::getNullValue(type);
      if (nest.lanes > 1)
        start = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(nest.lanes), start);
      llvm::AllocaInst *variable = stackVariable(vector, "partial");
      atTail(nest);
      builder.CreateStore(start, variable);
      accumulators.parts[u].push_back(variable);
    }
}

static Values fastCombine(FunctionLowering &f, mlir::Region &region,
                          llvm::ArrayRef<Value *> arguments);

void FunctionLowering::accumulate(Nest &nest, const FusionRoot &root, Accumulators &accumulators,
                                  llvm::ArrayRef<Lanes> values, unsigned accumulator,
                                  Value *first) {
  auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
  atTail(nest);
  auto &variables = accumulators.parts[accumulator];
  // What a masked load gives past the bound is often the neutral element.
  if (values.size() == 1 && values[0].isUniform() &&
      values[0].value == neutralElement(*this, reduce, accumulators))
    return;
  // A product that only sums read goes into this one unrounded.
  if (lowering.options.fpFusion && !lowering.options.deterministic && features.fma &&
      tt::addsUnseenProducts(reduce))
    if (auto *product = llvm::dyn_cast<llvm::BinaryOperator>(values[0].value);
        product && product->getOpcode() == llvm::Instruction::FMul &&
        product->getType() == variables[0]->getAllocatedType()) {
      Value *sum = builder.CreateLoad(product->getType(), variables[0]);
      sum = builder.CreateIntrinsic(llvm::Intrinsic::fma, {product->getType()},
                                    {product->getOperand(0), product->getOperand(1), sum});
      builder.CreateStore(sum, variables[0]);
      return;
    }
  Values arguments;
  for (llvm::AllocaInst *variable : variables)
    arguments.push_back(builder.CreateLoad(variable->getAllocatedType(), variable));
  for (const Lanes &lanes : values)
    arguments.push_back(toVector(nest, lanes));
  if (accumulators.fast) {
    builder.CreateStore(fastCombine(*this, reduce.getCombineOp(), arguments)[0], variables[0]);
    return;
  }
  Values results = emitScalarRegion(nest, reduce.getCombineOp(), arguments);
  size_t count = variables.size();
  for (size_t k = 0; k < count; ++k) {
    Value *next = results[k];
    if (first)
      next = builder.CreateSelect(first, arguments[count + k], next);
    builder.CreateStore(next, variables[k]);
  }
}

/// The larger (or smaller) of two numbers, the first if the second is NaN.
static Values fastCombine(FunctionLowering &f, mlir::Region &region,
                          llvm::ArrayRef<Value *> arguments) {
  llvm::IRBuilder<> &builder = f.builder;
  bool largest = mlir::isa<arith::MaxNumFOp>(region.front().front());
  Value *wins = builder.CreateFCmp(largest ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::FCMP_OLT,
                                   arguments[1], arguments[0]);
  return {builder.CreateSelect(wins, arguments[1], arguments[0])};
}

/// A region on vectors where it can be, else (one lane) with its branches.
Values FunctionLowering::emitScalarRegion(Nest &nest, mlir::Region &region,
                                          llvm::ArrayRef<Value *> arguments) {
  if (isVectorisable(region))
    return emitRegion(region, arguments);
  Values results = emitBranchingRegion(*this, region, arguments);
  Level &level = nest.levels.back();
  level.setup = level.tail = builder.GetInsertBlock();
  return results;
}

/// Folds the lanes of vectors into lane 0, halving them.
static Values horizontal(FunctionLowering &f, Values vectors, unsigned lanes,
                         llvm::function_ref<Values(llvm::ArrayRef<Value *>)> combine) {
  llvm::IRBuilder<> &builder = f.builder;
  while (lanes > 1) {
    lanes /= 2;
    llvm::SmallVector<int, 64> low, high;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      low.push_back(lane);
      high.push_back(lane + lanes);
    }
    Values halves;
    for (auto &indices : {low, high})
      for (Value *vector : vectors)
        halves.push_back(builder.CreateShuffleVector(vector, indices));
    if (lanes == 1)
      for (Value *&half : halves)
        half = builder.CreateExtractElement(half, uint64_t(0));
    vectors = combine(halves);
  }
  return vectors;
}

void FunctionLowering::endReduce(Nest &nest, const FusionRoot &root, Accumulators &accumulators,
                                 const Index &index) {
  auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
  atTail(nest);
  auto combine = [&](llvm::ArrayRef<Value *> both) {
    mlir::Region &region = reduce.getCombineOp();
    return accumulators.fast ? fastCombine(*this, region, both) : emitRegion(region, both);
  };
  llvm::SmallVector<Values, 4> parts;
  for (auto &variables : accumulators.parts) {
    Values values;
    for (llvm::AllocaInst *variable : variables)
      values.push_back(builder.CreateLoad(variable->getAllocatedType(), variable));
    parts.push_back(values);
  }
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    for (size_t u = 0; u < half; ++u) {
      Values both = parts[u];
      both.append(parts[u + half]);
      parts[u] = combine(both);
    }
    parts.resize(half);
  }
  Values results = horizontal(*this, parts[0], nest.lanes, combine);
  for (auto [result, value] : llvm::zip(reduce.getResults(), results)) {
    if (mlir::isa<mlir::RankedTensorType>(result.getType())) {
      storeBuffer(nest, *buffers.lookup(result), elementType(result.getType()), index,
                  Lanes::uniform(value));
      continue;
    }
    llvm::AllocaInst *&variable = reduced[result];
    if (!variable)
      variable = stackVariable(value->getType(), "reduced");
    atTail(nest);
    builder.CreateStore(value, variable);
  }
}

/// After the nest: scalar results become values.
void FunctionLowering::finishReduce(const FusionRoot &root, const Copies &copies) {
  if (fast.erase(root.operation)) {
    auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
    llvm::AllocaInst *variable = reduced.lookup(reduce->getResult(0));
    Value *found = builder.CreateLoad(variable->getAllocatedType(), variable);
    bool largest = mlir::isa<arith::MaxNumFOp>(reduce.getCombineOp().front().front());
    Value *suspect =
        builder.CreateFCmpOEQ(found, llvm::ConstantFP::getInfinity(found->getType(), largest));
    auto *exact = llvm::BasicBlock::Create(context, "exact", code);
    auto *after = llvm::BasicBlock::Create(context, "extremum", code);
    auto *branch = builder.CreateCondBr(suspect, exact, after);
    branch->setMetadata(llvm::LLVMContext::MD_prof,
                        llvm::MDBuilder(context).createBranchWeights(1, 1000));
    enterBlock(exact);
    emitNest(root, copies, true);
    builder.CreateBr(after);
    enterBlock(after);
  }
  for (mlir::Value result : root.operation->getResults())
    if (auto variable = reduced.find(result); variable != reduced.end())
      setScalar(result, builder.CreateLoad(variable->second->getAllocatedType(), variable->second));
}

static void emitReduce(FunctionLowering &f, tt::ReduceOp reduce) {
  Scratch &scratch = f.scratch;
  auto shape = shapeOf(reduce.getSrcs()[0].getType());
  if (shape[reduce.getAxis()] == 1) {
    // Nothing to combine: the results are the sources with one dimension less.
    for (auto [source, result] : llvm::zip(reduce.getSrcs(), reduce.getResults())) {
      if (mlir::isa<mlir::RankedTensorType>(result.getType())) {
        f.materialise(result);
        continue;
      }
      f.flush();
      Nest nest = f.newNest(1);
      Value *value = f.evaluate(nest, source, Index{}).value;
      f.leaveNest(nest);
      f.setScalar(result, value);
    }
    return;
  }
  FusionRoot root;
  root.kind = FusionRoot::Kind::reduce;
  root.operation = reduce;
  if (FunctionLowering::cutsPartials(f.fixedPartials(reduce), f.sliceOf(root))) {
    f.flush();
    for (mlir::Value source : reduce.getSrcs())
      f.materialise(source);
    f.flush();
  }
  f.addRoot(root);
  for (mlir::Value result : reduce.getResults())
    if (mlir::isa<mlir::RankedTensorType>(result.getType()))
      f.buffers[result] = scratch.allocate(f.bufferBytes(result.getType()));
}

void addReduction(EmitterTable &table) { table.add<emitReduce>(); }

} // namespace tl::backend::cpu
