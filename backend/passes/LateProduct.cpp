// SPDX-License-Identifier: MIT
#include "passes/LateProduct.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Hints.h"
#include "dialect/ProducerWarps.h"
#include "passes/LoopProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

namespace {

/// Registers of a thread that are none of results and weights.
constexpr unsigned otherRegisters = 40;

/// The loop's argument that carries a value on.
BlockArgument carriedFrom(scf::ForOp loop, Value value) {
  for (OpOperand &operand : loop.getBody()->getTerminator()->getOpOperands())
    if (operand.get() == value)
      return loop.getRegionIterArg(operand.getOperandNumber());
  return {};
}

/// Operations of the loop that follow from a value, up to products and what is carried on.
SmallVector<Operation *> followersOf(scf::ForOp loop, Value value) {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> open = {value};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      Operation *there = loop.getBody()->findAncestorOpInBlock(*user);
      if (!isa<WarpGroupDotOp, scf::YieldOp>(there) && found.insert(there))
        llvm::append_range(open, there->getResults());
    }
  return found.takeVector();
}

bool isFromLoad(Value memory, ArrayRef<PipelinedLoad> loads) {
  while (auto view = memory.getDefiningOp<MemDescTransOp>())
    memory = view.getSrc();
  return llvm::any_of(loads, [&](const PipelinedLoad &one) {
    return LocalAllocOp(one.alloc).getResult() == memory;
  });
}

/// Whether TMA brings it by a map that the launch makes, for one product alone.
bool isForProducer(const PipelinedLoad &one) {
  auto load = dyn_cast<tt::DescriptorLoadOp>(one.load);
  auto made = load ? load.getDesc().getDefiningOp<tt::MakeTensorDescOp>() : tt::MakeTensorDescOp();
  return made && tensorMapRecipeOf(made) && load->hasOneUse() && readersOf(one.alloc).size() == 1;
}

Value hasIterations(OpBuilder &b, scf::ForOp loop, Value bound) {
  return arith::CmpIOp::create(b, loop.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(),
                               bound);
}

/// Computes a product before the loop only if the loop has iterations, without which its operands
/// are not there. Nobody uses what is in its place then.
void computeIfRuns(scf::ForOp loop, WarpGroupDotWaitOp wait) {
  auto dot = wait.getInputs()[0].getDefiningOp<WarpGroupDotOp>();
  OpBuilder b(wait);
  Value runs = hasIterations(b, loop, loop.getUpperBound());
  auto computed = scf::IfOp::create(b, wait.getLoc(), dot.getType(), runs, true);
  wait.getOutputs()[0].replaceAllUsesWith(computed.getResult(0));
  b.setInsertionPointToStart(computed.thenBlock());
  auto end = scf::YieldOp::create(b, wait.getLoc(), wait.getOutputs());
  dot->moveBefore(end);
  wait->moveBefore(end);
  b.setInsertionPointToStart(computed.elseBlock());
  scf::YieldOp::create(b, wait.getLoc(), dot.getC());
}

/// Neither touches global memory nor might go on for ever.
bool isQuiet(Operation *op) {
  const bool isOnChip = isa<TTGDialect>(op->getDialect());
  return !isa<LoopLikeOpInterface>(op) && (isOnChip || !accessesMemory(op));
}

/// Whether an atomic says that all reads before it are done, of which those of a late product are
/// not.
bool isReleased(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](tt::AtomicOpInterface atomic) {
        return releases(atomic) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the first iteration may be computed where the loop has none. What it does to memory then
/// gets a condition (BufferRings::withCondition): loads, copies, and the first sides of branches.
bool maySpeculate(scf::ForOp loop, ArrayRef<PipelinedLoad> copied) {
  auto check = [&](Operation *op) {
    const bool isOwn = op->getBlock() == loop.getBody();
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && isOwn) {
      auto isLoud = [](Operation *inner) {
        return isQuiet(inner) ? WalkResult::advance() : WalkResult::interrupt();
      };
      return branch.getElseRegion().walk(isLoud).wasInterrupted() ? WalkResult::interrupt()
                                                                  : WalkResult::skip();
    }
    auto isOf = [&](const PipelinedLoad &one) { return one.load == op; };
    const bool getsCondition = (isOwn && isa<tt::LoadOp>(op)) || llvm::any_of(copied, isOf);
    return getsCondition || isQuiet(op) ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !loop.getBody()->walk<WalkOrder::PreOrder>(check).wasInterrupted();
}

} // namespace

std::optional<LateProduct> LateProduct::find(scf::ForOp loop, ArrayRef<PipelinedLoad> loads,
                                             GpuAttr gpu, unsigned stages) {
  auto dots = llvm::to_vector(loop.getBody()->getOps<WarpGroupDotOp>());
  const auto own = registersBesideProducers(gpu);
  if (dots.size() != 2 || !own)
    return {};
  WarpGroupDotOp first = dots[0], late = dots[1];
  WarpGroupDotWaitOp firstWait = waitFor(first), lateWait = waitFor(late);
  auto weights = dyn_cast<RankedTensorType>(late.getA().getType());
  auto isFromOutside = [&](Value value) { return value.getParentRegion() != &loop.getRegion(); };
  if (!firstWait || !lateWait || !weights || !isAheadOfProduct(firstWait) ||
      !lateWait.getOutputs()[0].hasOneUse() || !isFromOutside(first.getC()))
    return {};
  unsigned bytes = tt::memoryBytes(weights);
  if (registersOf(first.getType()) + registersOf(late.getType()) +
          2 * registersOf(weights) * bytes / 4 >
      own->others - otherRegisters)
    return {};
  uint64_t ringBytes = 0;
  for (const PipelinedLoad &one : loads)
    ringBytes += (stages + 1) * bytesOf(LocalAllocOp(one.alloc).getType());
  if (2 * ringBytes <= gpu.getSharedBytes() &&
      registersOf(first.getType()) + registersOf(late.getType()) +
              registersOf(weights) * bytes / 4 + otherRegisters <=
          registersOfTwoPrograms(gpu))
    return {};
  if (!llvm::all_of(loads, isForProducer) || isReleased(loop) || !maySpeculate(loop, loads))
    return {};
  for (Value operand : {Value(first.getA()), Value(first.getB()), Value(late.getB())})
    if (!isFromOutside(operand) && !isFromLoad(operand, loads))
      return {};
  BlockArgument sum = carriedFrom(loop, lateWait.getOutputs()[0]);
  if (!sum)
    return {};
  for (Operation *op : followersOf(loop, sum))
    if (op == first || op->getNumRegions() || !isMemoryEffectFree(op) ||
        llvm::any_of(op->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); }))
      return {};
  return LateProduct(first, late);
}

SmallVector<RingGroup> LateProduct::makeGroups(ArrayRef<PipelinedLoad> loads) const {
  SmallVector<RingGroup> groups;
  for (WarpGroupDotOp dot : {first, late}) {
    RingGroup group;
    for (const PipelinedLoad &one : loads)
      if (readersOf(one.alloc)[0] == dot)
        group.loads.push_back(one);
    if (group.loads.empty())
      continue;
    const bool isLate = dot == late;
    group.firstReader = dot;
    group.lastWait = waitFor(dot);
    group.stage = isLate ? Stage::late : Stage::main;
    group.waitsRank = isLate ? StagedLoop::mainEndRank : StagedLoop::firstRank;
    group.releasesRank = isLate ? StagedLoop::lateEndRank : StagedLoop::mainRank;
    groups.push_back(group);
  }
  return groups;
}

void LateProduct::setStages(StagedLoop &staged) {
  scf::ForOp loop = staged.get();
  for (auto wait : loop->getBlock()->getOps<WarpGroupDotWaitOp>())
    earlier.insert(wait);
  WarpGroupDotWaitOp firstWait = waitFor(first), lateWait = waitFor(late);
  staged.setRank(first, StagedLoop::firstRank);
  firstWait.setPendings(1);
  for (Operation *op : {late.getOperation(), lateWait.getOperation()})
    staged.setStage(op, Stage::late);
  staged.setRank(lateWait, StagedLoop::lateEndRank);
  BlockArgument sum = carriedFrom(loop, lateWait.getOutputs()[0]);
  for (Operation *op : followersOf(loop, sum))
    staged.setRank(op, StagedLoop::endRank);
  auto isForm = [](Operation *op) { // the same numbers, narrower or in other threads
    return op && op->getNumOperands() == 1 && op->getNumResults() == 1 && op->hasOneUse() &&
           op->getOperand(0).getType() != op->getResult(0).getType();
  };
  for (Operation *op = late.getA().getDefiningOp(); isForm(op);
       op = op->getOperand(0).getDefiningOp())
    staged.setRank(op, StagedLoop::endRank);
  number = sum.getArgNumber() - loop.getNumInductionVars();
  start = loop.getInitArgs()[number];
}

Operation *LateProduct::finish(scf::ForOp loop) const {
  // Before the loop no other product follows the first one.
  for (auto wait : llvm::make_early_inc_range(loop->getBlock()->getOps<WarpGroupDotWaitOp>()))
    if (wait->isBeforeInBlock(loop) && !earlier.contains(wait)) {
      wait.setPendings(0);
      computeIfRuns(loop, wait);
    }
  // Without its last iteration, in which all else would be for one that there is not.
  OpBuilder b(loop);
  Location where = loop.getLoc();
  Value bound = loop.getUpperBound();
  Value one = arith::ConstantOp::create(b, where, b.getIntegerAttr(bound.getType(), 1));
  Value last = arith::SubIOp::create(b, where, arith::MaxSIOp::create(b, where, bound, one), one);
  loop.setUpperBound(last);
  loop->setAttr(tt::warpSpecializeName, b.getUnitAttr());

  auto wait = loop.getYieldedValues()[number].getDefiningOp<WarpGroupDotWaitOp>();
  llvm::SetVector<Operation *> needed;
  needed.insert(wait);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == loop.getBody())
        needed.insert(op);
  IRMapping map;
  map.map(loop.getInductionVar(), last);
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    map.map(argument, result);
  b.setInsertionPointAfter(loop);
  auto end = scf::IfOp::create(
      b, where, hasIterations(b, loop, bound),
      [&](OpBuilder &inner, Location) {
        for (Operation &op : loop.getBody()->without_terminator())
          if (needed.contains(&op))
            inner.clone(op, map);
        scf::YieldOp::create(inner, where, map.lookup(wait.getOutputs()[0]));
      },
      [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, where, start); });
  loop.getResult(number).replaceUsesWithIf(
      end.getResult(0), [&](OpOperand &use) { return !end->isAncestor(use.getOwner()); });
  return end;
}

} // namespace tl::ttg
