// SPDX-License-Identifier: MIT
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_SCALARIZEINDUCTION
#include "passes/Passes.h.inc"

namespace {

/// The scalar that a tensor has everywhere, made before `builder`'s position; null if it is not
/// uniform.
Value uniformValue(OpBuilder &builder, Value tensor) {
  if (auto splat = tensor.getDefiningOp<SplatOp>())
    return splat.getSrc();
  SplatElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant)
    return arith::ConstantOp::create(builder, tensor.getLoc(),
                                     cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  return {};
}

bool isUniform(Value tensor) {
  SplatElementsAttr constant;
  return tensor.getDefiningOp<SplatOp>() ||
         (matchPattern(tensor, m_Constant(&constant)) && constant);
}

/// One step of a chain from the carried value to the yielded one.
struct Step {
  Value tensor;          // by how much, in every lane
  bool subtract = false; // instead of add
};

/// The steps from `from` to `to`: additions of uniform tensors, nothing else.
bool findSteps(Value from, Value to, SmallVectorImpl<Step> &steps) {
  while (to != from) {
    Operation *op = to.getDefiningOp();
    if (!op)
      return false;
    Step step;
    if (auto add = dyn_cast<AddPtrOp>(op)) {
      step.tensor = add.getOffset();
      to = add.getPtr();
    } else if (auto add = dyn_cast<arith::AddIOp>(op)) {
      bool left = isUniform(add.getLhs());
      step.tensor = left ? add.getLhs() : add.getRhs();
      to = left ? add.getRhs() : add.getLhs();
    } else if (auto sub = dyn_cast<arith::SubIOp>(op)) {
      step.tensor = sub.getRhs();
      step.subtract = true;
      to = sub.getLhs();
    } else {
      return false;
    }
    if (!isUniform(step.tensor))
      return false;
    steps.push_back(step);
  }
  return !steps.empty();
}

/// A carried tensor that can be replaced by its first value and a scalar.
struct Candidate {
  unsigned index;     // among the carried values
  unsigned forwarded; // among the values that a while loop hands to its body
  SmallVector<Step> steps;
  Type scalar; // i64 for pointers, else the element type
};

/// The type of the scalar for a carried tensor; null if it is no tensor of pointers or integers.
Type scalarFor(Type carried) {
  auto type = dyn_cast<RankedTensorType>(carried);
  if (!type)
    return {};
  Type element = type.getElementType();
  if (isa<PointerType>(element))
    return IntegerType::get(type.getContext(), 64);
  return isa<IntegerType>(element) ? element : Type();
}

/// The tensor `start` advanced by the scalar `amount`.
Value advance(OpBuilder &builder, Location loc, Value start, Value amount) {
  Value amounts =
      SplatOp::create(builder, loc, withElementType(start.getType(), amount.getType()), amount);
  if (isa<PointerType>(getElementTypeOrSelf(start.getType())))
    return AddPtrOp::create(builder, loc, start.getType(), start, amounts);
  return arith::AddIOp::create(builder, loc, start, amounts);
}

/// The carried scalar after one iteration.
Value nextAmount(OpBuilder &builder, Location loc, Value amount, const Candidate &candidate) {
  for (const Step &step : candidate.steps) {
    Value by = uniformValue(builder, step.tensor);
    // Offsets of pointers are signed; a narrow one is extended before it is added up.
    if (by.getType() != candidate.scalar)
      by = arith::ExtSIOp::create(builder, loc, candidate.scalar, by);
    amount = step.subtract ? Value(arith::SubIOp::create(builder, loc, amount, by))
                           : Value(arith::AddIOp::create(builder, loc, amount, by));
  }
  return amount;
}

/// Gives a block a scalar in place of the tensor argument at `index`, which is built again from the
/// scalar for its uses.
BlockArgument replaceArgument(Block *block, unsigned index, Type scalar, Value start) {
  BlockArgument tensor = block->getArgument(index);
  BlockArgument amount = block->insertArgument(index, scalar, tensor.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  if (!tensor.use_empty())
    tensor.replaceAllUsesWith(advance(builder, tensor.getLoc(), start, amount));
  block->eraseArgument(index + 1);
  return amount;
}

/// Replaces the results of a loop; those of `candidates`, at `position`, are built from scalars.
void replaceResults(Operation *loop, Operation *replacement, ValueRange starts,
                    ArrayRef<Candidate> candidates, unsigned Candidate::*position) {
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(replacement);
  SmallVector<Value> results(replacement->getResults());
  for (const Candidate &candidate : candidates) {
    Value &result = results[candidate.*position];
    if (!loop->getResult(candidate.*position).use_empty())
      result = advance(builder, loop->getLoc(), starts[candidate.index], result);
  }
  for (auto [old, value] : llvm::zip(loop->getResults(), results))
    if (!old.use_empty())
      old.replaceAllUsesWith(value);
  loop->erase();
}

/// The first values of a loop, with zero for each candidate.
SmallVector<Value> initialValues(OpBuilder &builder, Location loc, ValueRange starts,
                                 ArrayRef<Candidate> candidates) {
  SmallVector<Value> inits(starts);
  for (const Candidate &candidate : candidates)
    inits[candidate.index] =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(candidate.scalar, 0));
  return inits;
}

void scalarize(scf::ForOp loop) {
  SmallVector<Candidate> candidates;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto position = static_cast<unsigned>(index);
    Candidate candidate{position, position, {}, scalarFor(argument.getType())};
    if (candidate.scalar && findSteps(argument, loop.getYieldedValues()[index], candidate.steps))
      candidates.push_back(std::move(candidate));
  }
  if (candidates.empty())
    return;

  OpBuilder builder(loop);
  SmallVector<Value> starts(loop.getInitArgs());
  // The new loop takes the old body; only the types of some carried values differ.
  auto replacement = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
      initialValues(builder, loop.getLoc(), starts, candidates), nullptr, loop.getUnsignedCmp());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  replacement.getRegion().takeBody(loop.getRegion());
  Block *body = replacement.getBody();
  Operation *yield = body->getTerminator();
  for (const Candidate &candidate : candidates) {
    BlockArgument amount =
        replaceArgument(body, candidate.index + 1, candidate.scalar, starts[candidate.index]);
    OpBuilder atEnd(yield);
    yield->setOperand(candidate.index, nextAmount(atEnd, amount.getLoc(), amount, candidate));
  }
  replaceResults(loop, replacement, starts, candidates, &Candidate::index);
}

/// A while loop hands its carried values through a condition, which may drop and reorder them. A
/// candidate is handed on as it is, once.
void scalarize(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Candidate> candidates;
  for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments())) {
    Candidate candidate{static_cast<unsigned>(index), 0, {}, scalarFor(argument.getType())};
    if (!candidate.scalar || llvm::count(condition.getArgs(), argument) != 1)
      continue;
    auto found = llvm::find(condition.getArgs(), argument);
    candidate.forwarded = static_cast<unsigned>(found - condition.getArgs().begin());
    if (findSteps(loop.getAfterArguments()[candidate.forwarded],
                  loop.getYieldOp().getOperand(index), candidate.steps))
      candidates.push_back(std::move(candidate));
  }
  if (candidates.empty())
    return;

  OpBuilder builder(loop);
  SmallVector<Value> starts(loop.getInits());
  SmallVector<Type> types(loop.getResultTypes());
  for (const Candidate &candidate : candidates)
    types[candidate.forwarded] = candidate.scalar;
  OperationState state(loop.getLoc(), scf::WhileOp::getOperationName());
  state.addOperands(initialValues(builder, loop.getLoc(), starts, candidates));
  state.addTypes(types);
  state.attributes = loop->getDiscardableAttrDictionary();
  state.addRegion()->takeBody(loop.getBefore());
  state.addRegion()->takeBody(loop.getAfter());
  auto replacement = cast<scf::WhileOp>(builder.create(state));
  Operation *yield = replacement.getYieldOp();
  for (const Candidate &candidate : candidates) {
    Value start = starts[candidate.index];
    BlockArgument before =
        replaceArgument(replacement.getBeforeBody(), candidate.index, candidate.scalar, start);
    condition.getArgsMutable().slice(candidate.forwarded, 1).assign(before);
    BlockArgument amount =
        replaceArgument(replacement.getAfterBody(), candidate.forwarded, candidate.scalar, start);
    OpBuilder atEnd(yield);
    yield->setOperand(candidate.index, nextAmount(atEnd, amount.getLoc(), amount, candidate));
  }
  replaceResults(loop, replacement, starts, candidates, &Candidate::forwarded);
}

struct ScalarizeInduction : impl::ScalarizeInductionBase<ScalarizeInduction> {
  void runOnOperation() override {
    // Inner loops first: an outer one then sees the amount by which an inner one advanced.
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp>(op))
        loops.push_back(op);
    });
    for (Operation *op : loops)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        scalarize(loop);
      else
        scalarize(cast<scf::WhileOp>(op));
  }
};

} // namespace
} // namespace tl::tt
