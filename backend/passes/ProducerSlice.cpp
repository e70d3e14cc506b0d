// SPDX-License-Identifier: MIT
#include "passes/ProducerSlice.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/ProducerWarps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

bool isCopying(Operation *op) {
  if (auto wait = dyn_cast<WaitBarrierOp>(op))
    return wait.getOneWarp();
  return isa<AsyncDescriptorLoadOp, BarrierExpectOp>(op);
}

/// What all come to.
static bool isMeeting(Operation *op) { return isa<JoinWarpsOp, ClusterBarrierOp>(op); }

bool ProducerSlice::collect() {
  kernel.walk([&](Operation *op) {
    if (isCopying(op) || isMeeting(op) || isa<tt::AssertOp>(op))
      need(op);
  });
  while (!open.empty() && possible)
    follow(open.pop_back_val());
  return possible;
}

void ProducerSlice::clone(Block &from, OpBuilder &b, IRMapping &map) {
  for (Operation &op : from) {
    if (!needed.contains(&op) || isa<scf::YieldOp, LocalAllocOp>(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, b, map);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneBranch(branch, b, map);
    else
      b.clone(op, map);
  }
}

void ProducerSlice::need(Operation *op) {
  if (!needed.insert(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    needAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    needAll(branch.getCondition());
  } else if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
    possible &= !alloc.getSrc();
  } else {
    possible &= !op->getNumRegions() && op->getNumSuccessors() == 0 && isForOneWarp(op);
    needAll(op->getOperands());
  }
  Operation *parent = op->getParentOp();
  if (parent != kernel)
    need(parent);
  else
    possible &= op->getBlock() == &kernel.getBody().front();
}

void ProducerSlice::needAll(ValueRange values) {
  for (Value value : values)
    if (seen.insert(value).second)
      open.push_back(value);
}

void ProducerSlice::follow(Value value) {
  if (isa<RankedTensorType>(value.getType())) {
    possible = false;
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
      need(loop);
      if (argument != loop.getInductionVar())
        needAll(
            {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
    } else {
      possible &= argument.getOwner() == &kernel.getBody().front();
    }
  } else {
    Operation *op = value.getDefiningOp();
    need(op);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      needAll({loop.getInitArgs()[number], loop.getYieldedValues()[number],
               Value(loop.getRegionIterArg(number))});
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      needAll({branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
  }
}

/// Scalars, from parameters and from memory that stays as it is.
bool ProducerSlice::isForOneWarp(Operation *op) {
  if (isCopying(op) || isMeeting(op) || isa<MemDescIndexOp>(op))
    return true;
  if (auto made = dyn_cast<tt::MakeTensorDescOp>(op))
    return tensorMapRecipeOf(made).has_value();
  if (isa<tt::AssertOp>(op) || isMemoryEffectFree(op))
    return true;
  auto load = dyn_cast<tt::LoadOp>(op);
  if (!load || load.getIsVolatile())
    return false;
  Value parameter = ownParameterOf(load.getPtr());
  bool writes = false;
  kernel.getBody().walk([&](Operation *other) { writes |= mayWrite(other, parameter); });
  return !writes;
}

/// With the carried values that the producer needs.
void ProducerSlice::cloneLoop(scf::ForOp loop, OpBuilder &b, IRMapping &map) {
  SmallVector<unsigned> carried;
  SmallVector<Value> starts;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (seen.contains(argument)) {
      carried.push_back(unsigned(i));
      starts.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
    }
  auto copy = scf::ForOp::create(
      b, loop.getLoc(), map.lookupOrDefault(loop.getLowerBound()),
      map.lookupOrDefault(loop.getUpperBound()), map.lookupOrDefault(loop.getStep()), starts,
      [&](OpBuilder &inner, Location where, Value number, ValueRange arguments) {
        map.map(loop.getInductionVar(), number);
        for (auto [i, argument] : llvm::zip(carried, arguments))
          map.map(loop.getRegionIterArg(i), argument);
        clone(*loop.getBody(), inner, map);
        SmallVector<Value> next;
        for (unsigned i : carried)
          next.push_back(map.lookupOrDefault(loop.getYieldedValues()[i]));
        scf::YieldOp::create(inner, where, next);
      });
  copy.setUnsignedCmp(loop.getUnsignedCmp());
  for (auto [number, i] : llvm::enumerate(carried))
    map.map(loop.getResult(i), copy.getResult(unsigned(number)));
}

void ProducerSlice::cloneBranch(scf::IfOp branch, OpBuilder &b, IRMapping &map) {
  SmallVector<OpResult> results;
  for (OpResult result : branch->getResults())
    if (seen.contains(result))
      results.push_back(result);
  auto side = [&](Block *block) {
    return [&, block](OpBuilder &inner, Location where) {
      SmallVector<Value> values;
      if (block)
        clone(*block, inner, map);
      for (OpResult result : results)
        values.push_back(
            map.lookupOrDefault(block->getTerminator()->getOperand(result.getResultNumber())));
      scf::YieldOp::create(inner, where, values);
    };
  };
  Value condition = map.lookupOrDefault(branch.getCondition());
  const bool hasElse = branch.elseBlock();
  auto copy = hasElse ? scf::IfOp::create(b, branch.getLoc(), condition, side(branch.thenBlock()),
                                          side(branch.elseBlock()))
                      : scf::IfOp::create(b, branch.getLoc(), condition, side(branch.thenBlock()));
  for (auto [number, result] : llvm::enumerate(results))
    map.map(result, copy.getResult(unsigned(number)));
}

} // namespace tl::ttg
