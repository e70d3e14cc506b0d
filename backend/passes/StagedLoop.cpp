// SPDX-License-Identifier: MIT
#include "passes/StagedLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tl::ttg {

bool LoopSlice::add(ValueRange values, llvm::function_ref<bool(Operation *)> mayRunAhead) {
  SmallVector<Value> open(values);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
        open.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != loop.getBody())
      continue;
    if (op->getNumRegions() || !(isMemoryEffectFree(op) || (mayRunAhead && mayRunAhead(op))))
      return false;
    all.insert(op);
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

StagedLoop::StagedLoop(scf::ForOp loop, unsigned distance) : loop(loop), distance(distance) {
  countIterations();
  yieldOperations();
}

Stage StagedLoop::stageOf(Operation *op) const {
  auto found = stages.find(op);
  return found == stages.end() ? Stage::main : found->second;
}

/// Each operation has one after this, not after those of its stage that use it.
void StagedLoop::copyBefore(Operation *place) {
  for (Operation &op : *loop.getBody()) {
    if (&op == place)
      break;
    if (stageOf(&op) == Stage::main && ranks.try_emplace(&op, mainRank).first->second == mainRank)
      ranks[&op] = firstRank;
  }
  for (auto &[op, rank] : ranks)
    if (rank == copiesRank)
      rank = earlyCopiesRank;
}

void StagedLoop::completeRanks() {
  constexpr Rank usual[] = {aheadRank, mainRank, lateRank};
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    const Stage stage = stageOf(&op);
    Rank &rank = ranks.try_emplace(&op, usual[size_t(stage)]).first->second;
    for (Operation *user : op.getUsers()) {
      Operation *there = loop.getBody()->findAncestorOpInBlock(*user);
      if (there && stageOf(there) == stage && !isa<scf::YieldOp>(there))
        rank = std::min(rank, ranks.lookup(there));
    }
  }
}

/// From 0 to its trip count, which is computed without overflow.
void StagedLoop::countIterations() {
  if (getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1)
    return;
  OpBuilder b(loop);
  Location where = loop.getLoc();
  Type narrow = loop.getInductionVar().getType(), wide = b.getI64Type();
  auto widen = [&](Value value) -> Value {
    if (narrow.isIndex())
      return arith::IndexCastOp::create(b, where, wide, value);
    return narrow == wide ? value : arith::ExtSIOp::create(b, where, wide, value).getResult();
  };
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value one = arith::ConstantIntOp::create(b, where, 1, 64);
  // ceil((upper - lower) / step), as unsigned numbers: 0 where upper <= lower.
  Value distance = arith::SubIOp::create(b, where, widen(loop.getUpperBound()), widen(lower));
  Value lastOne =
      arith::DivUIOp::create(b, where, arith::SubIOp::create(b, where, distance, one), widen(step));
  Value runs =
      arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, lower, loop.getUpperBound());
  Value tripCount = arith::AddIOp::create(b, where, lastOne, one);
  // Of 2^32 numbers, in steps of 3 and more there are fewer than 2^31.
  const bool fits = narrow.isInteger(32) && getConstantIntValue(step).value_or(1) >= 3;
  Type counter = fits ? narrow : wide;
  if (fits)
    tripCount = arith::TruncIOp::create(b, where, counter, tripCount);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, where, b.getIntegerAttr(counter, value));
  };
  tripCount = arith::SelectOp::create(b, where, runs, tripCount, constant(0));
  auto counting =
      scf::ForOp::create(b, where, constant(0), tripCount, constant(1), loop.getInitArgs());
  counting->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = counting.getBody();
  if (loop.getInitArgs().empty())
    body->getTerminator()->erase();
  b.setInsertionPointToStart(body);
  Value count =
      narrow.isIndex()    ? arith::IndexCastOp::create(b, where, narrow, counting.getInductionVar())
      : narrow == counter ? counting.getInductionVar()
                          : arith::TruncIOp::create(b, where, narrow, counting.getInductionVar());
  Value number =
      arith::AddIOp::create(b, where, lower, arith::MulIOp::create(b, where, count, step));
  SmallVector<Value> arguments = {number};
  llvm::append_range(arguments, counting.getRegionIterArgs());
  for (auto [from, to] : llvm::zip(loop.getBody()->getArguments(), arguments))
    from.replaceAllUsesWith(to);
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  loop.replaceAllUsesWith(counting.getResults());
  loop.erase();
  loop = counting;
}

/// Makes every yielded value one that an operation of the loop makes: the stages are those of
/// operations.
void StagedLoop::yieldOperations() {
  OpBuilder b(loop);
  Operation *yield = loop.getBody()->getTerminator();
  Value always;
  for (OpOperand &operand : yield->getOpOperands()) {
    Operation *maker = operand.get().getDefiningOp();
    if (maker && maker->getBlock() == loop.getBody())
      continue;
    if (!always)
      always = arith::ConstantIntOp::create(b, loop.getLoc(), 1, 1);
    OpBuilder inLoop(yield);
    operand.set(
        arith::SelectOp::create(inLoop, loop.getLoc(), always, operand.get(), operand.get()));
  }
}

void StagedLoop::carryPositions(unsigned buffers, ArrayRef<Stage> stages, RingPosition start) {
  firstPosition = unsigned(loop.getInitArgs().size());
  IRRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  Location where = loop.getLoc();
  Value zero = arith::ConstantIntOp::create(rewriter, where, 0, 32);
  Value one = arith::ConstantIntOp::create(rewriter, where, 1, 32);
  Value count = arith::ConstantIntOp::create(rewriter, where, buffers, 32);
  auto next = [&](OpBuilder &b, Location where, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> values;
    for (Stage stage : stages) {
      Value number = carried[2 * size_t(stage)], parity = carried[2 * size_t(stage) + 1];
      Value sum = arith::AddIOp::create(b, where, number, one);
      Value wraps = arith::CmpIOp::create(b, where, arith::CmpIPredicate::eq, sum, count);
      Value nextNumber = arith::SelectOp::create(b, where, wraps, zero, sum);
      Value other = arith::XOrIOp::create(b, where, parity, one);
      Value nextParity = arith::SelectOp::create(b, where, wraps, other, parity);
      values.append({nextNumber, nextParity});
      for (Value made : {sum, wraps, nextNumber, other, nextParity})
        setStage(made.getDefiningOp(), stage);
    }
    return values;
  };
  SmallVector<Value> starts;
  for (size_t i = 0; i < stages.size(); ++i)
    starts.append({start.number, start.parity});
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false, next));
}

RingPosition StagedLoop::position(Stage stage) const {
  auto carried = scf::ForOp(loop).getRegionIterArgs().drop_front(firstPosition + 2 * size_t(stage));
  return {carried[0], carried[1]};
}

RingPosition StagedLoop::positionAfter(Stage stage) const {
  auto results = scf::ForOp(loop).getResults().drop_front(firstPosition + 2 * size_t(stage));
  return {results[0], results[1]};
}

/// What runs ahead has gone too far when the loop ends. If it is used after the loop, it is
/// computed once more beside what does not run ahead.
void StagedLoop::carryForLater() {
  SmallVector<unsigned> again; // numbers of carried values
  DenseSet<Operation *> slice;
  SmallVector<Value> open;
  auto carry = [&](unsigned number) {
    if (!llvm::is_contained(again, number)) {
      again.push_back(number);
      open.push_back(loop.getYieldedValues()[number]);
    }
  };
  for (OpResult result : loop->getResults())
    if (!result.use_empty() &&
        runsAhead(loop.getYieldedValues()[result.getResultNumber()].getDefiningOp()))
      carry(result.getResultNumber());
  const unsigned used = unsigned(again.size());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
        carry(argument.getArgNumber() - loop.getNumInductionVars());
    } else if (Operation *op = value.getDefiningOp();
               op->getBlock() == loop.getBody() && slice.insert(op).second) {
      llvm::append_range(open, op->getOperands());
    }
  }
  if (again.empty())
    return;
  SmallVector<Value> starts;
  for (unsigned number : again)
    starts.push_back(loop.getInitArgs()[number]);
  SmallVector<Value> yielded(loop.getYieldedValues());
  SmallVector<Operation *> order;
  for (Operation &op : *loop.getBody())
    if (slice.contains(&op))
      order.push_back(&op);
  IRRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  unsigned first = unsigned(loop.getInitArgs().size());
  auto next = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> copies) {
    IRMapping map;
    for (auto [number, copy] : llvm::zip(again, copies))
      map.map(loop.getRegionIterArgs()[number], copy);
    for (Operation *op : order)
      b.clone(*op, map);
    SmallVector<Value> values;
    for (unsigned number : again)
      values.push_back(map.lookup(yielded[number]));
    return values;
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false, next));
  for (unsigned i = 0; i < used; ++i)
    loop.getResult(again[i]).replaceAllUsesWith(loop.getResult(first + i));
}

/// What both compute from the iteration's number alone is computed twice; otherwise the loop would
/// carry it from one to the other.
void StagedLoop::separateStages() {
  llvm::SetVector<Operation *> both;
  for (Operation &op : loop.getBody()->without_terminator())
    if (runsAhead(&op) && isPure(&op) && !op.getNumRegions() &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          return operand == loop.getInductionVar() || both.contains(operand.getDefiningOp()) ||
                 operand.getParentBlock() != loop.getBody();
        }))
      both.insert(&op);
  auto isLate = [&](OpOperand &use) {
    Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
    return !runsAhead(user) && !isa<scf::YieldOp>(user);
  };
  for (Operation *op : llvm::reverse(both)) {
    if (llvm::none_of(op->getUses(), isLate))
      continue;
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    op->replaceUsesWithIf(b.clone(*op)->getResults(), isLate);
  }
}

LogicalResult StagedLoop::expand(
    llvm::function_ref<Operation *(RewriterBase &, Operation *, Value)> withCondition) {
  carryForLater();
  separateStages();
  completeRanks();
  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.predicateFn = [&](RewriterBase &rewriter, Operation *op, Value condition) {
    return withCondition(rewriter, op, condition);
  };
  options.getScheduleFn = [&](scf::ForOp loop,
                              std::vector<std::pair<Operation *, unsigned>> &schedule) {
    auto numberOf = [&](Operation *op) {
      const Stage stage = stageOf(op);
      return stage == Stage::ahead ? 0 : stage == Stage::main ? distance : distance + 1;
    };
    for (unsigned rank = aheadRank; rank <= storesRank; ++rank)
      for (Operation &op : loop.getBody()->without_terminator())
        if (ranks.lookup(&op) == rank)
          schedule.push_back({&op, numberOf(&op)});
  };
  IRRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  const DictionaryAttr asked = loop->getDiscardableAttrDictionary();
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(pipelined))
    return loop->emitOpError("could not be pipelined");
  loop = *pipelined;
  loop->setDiscardableAttrs(asked);
  return success();
}

} // namespace tl::ttg
