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
  unsigned index;
  SmallVector<Step> steps;
  Type scalar; // i64 for pointers, else the element type
};

/// The tensor `start` advanced by the scalar `amount`.
Value advance(OpBuilder &builder, Location loc, Value start, Value amount) {
  Value amounts =
      SplatOp::create(builder, loc, withElementType(start.getType(), amount.getType()), amount);
  if (isa<PointerType>(getElementTypeOrSelf(start.getType())))
    return AddPtrOp::create(builder, loc, start.getType(), start, amounts);
  return arith::AddIOp::create(builder, loc, start, amounts);
}

/// The carried scalar after one trip.
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

void scalarize(scf::ForOp loop) {
  SmallVector<Candidate> candidates;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    Candidate candidate;
    candidate.index = index;
    Type element = type.getElementType();
    candidate.scalar =
        isa<PointerType>(element) ? IntegerType::get(loop.getContext(), 64) : element;
    if ((isa<PointerType, IntegerType>(element)) &&
        findSteps(argument, loop.getYieldedValues()[index], candidate.steps))
      candidates.push_back(std::move(candidate));
  }
  if (candidates.empty())
    return;

  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> starts(loop.getInitArgs());
  SmallVector<Value> inits(starts);
  for (const Candidate &candidate : candidates)
    inits[candidate.index] =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(candidate.scalar, 0));

  // The new loop takes the old body; only the types of some carried values differ.
  auto replacement = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                                        loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  replacement.getRegion().takeBody(loop.getRegion());
  Block *body = replacement.getBody();
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPointToStart(body);
  for (const Candidate &candidate : candidates) {
    BlockArgument carried = replacement.getRegionIterArg(candidate.index);
    Location where = carried.getLoc();
    // The steps end at the old argument: they are read before it gets its new type.
    OpBuilder atEnd(yield);
    BlockArgument amount = body->insertArgument(carried.getArgNumber(), candidate.scalar, where);
    yield.setOperand(candidate.index, nextAmount(atEnd, where, amount, candidate));
    carried.replaceAllUsesWith(advance(builder, where, starts[candidate.index], amount));
    body->eraseArgument(carried.getArgNumber());
  }

  builder.setInsertionPointAfter(replacement);
  SmallVector<Value> results(replacement.getResults());
  for (const Candidate &candidate : candidates)
    results[candidate.index] =
        loop.getResult(candidate.index).use_empty()
            ? Value()
            : advance(builder, loc, starts[candidate.index], results[candidate.index]);
  for (auto [old, value] : llvm::zip(loop.getResults(), results))
    if (value)
      old.replaceAllUsesWith(value);
  loop.erase();
}

struct ScalarizeInduction : impl::ScalarizeInductionBase<ScalarizeInduction> {
  void runOnOperation() override {
    // Inner loops first: an outer one then sees the amount by which an inner one advanced.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      scalarize(loop);
  }
};

} // namespace
} // namespace tl::tt
