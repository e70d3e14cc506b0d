// SPDX-License-Identifier: MIT
//
// Loads of a loop that feed products are started `distance` iterations before the products that
// need them, as asynchronous copies into a ring of buffers in shared memory.
//
//     before                           after
//     for i                            copies of iterations 0 ... distance - 1
//       a = load ...                   for i
//       m = local_alloc a                wait until the copies of i are there
//       d = warp_group_dot m, ...        d = warp_group_dot ring[i % buffers], ...
//       w = warp_group_dot_wait d        copies of i + distance into ring[(i + distance) % buffers]
//
// BufferRings.h says why what is read has arrived, and why nobody reads a buffer that is being
// written; StagedLoop.h, what becomes of the loop.
//
// Why a load may move up. It reads what it read before, as nothing in the loop writes memory, or
// only memory of other parameters. Copies of iterations that the loop does not have are left out,
// and so are the loads that give them their addresses, or are too small to be copied and wait in
// registers.
//
// Products stay in flight where all that an iteration does with their result is to hand it to the
// next one, which adds to it: an instruction may follow another one that adds to the same
// registers without waiting. What they read must lie in rings, which are kept one iteration longer.
//
// Groups of warps take turns where a product needs, by way of other computations, what the product
// before it makes (attention: the weights follow from the scores). A group that has the turn
// multiplies, and computes while others have it:
//
//     for i
//       scores = warp_group_dot ...        multiplies for iteration i: the turn ends
//       ...                                computes
//       d = warp_group_dot weights, ...    multiplies: the turn begins
//
// so a turn is the second product and the first one of the next iteration. Left to themselves, all
// groups would multiply at the same time, and then all compute.
#include "analysis/AxisInfo.h"
#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Dialect.h"
#include "dialect/Hints.h"
#include "dialect/MatrixProducts.h"
#include "layout/Queries.h"
#include "passes/BufferRings.h"
#include "passes/GpuPasses.h"
#include "passes/StagedLoop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "passes/GpuPasses.h.inc"

namespace {

constexpr int64_t leastCopyBytes = 4; // of one asynchronous copy of a thread
constexpr unsigned mostGroups = 15;   // of four warps, that can take turns

/// Whether shared memory, or a view of it, is used by `op` or after it.
bool isUsedFrom(Value memory, Operation *op) {
  return llvm::any_of(memory.getUsers(), [&](Operation *user) {
    if (isa<MemDescTransOp>(user))
      return isUsedFrom(user->getResult(0), op);
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    return !here || !here->isBeforeInBlock(op);
  });
}

/// A product and its wait, the only thing of the loop that uses it; `carried` is the number of the
/// value that hands it on.
struct CarriedProduct {
  WarpGroupDotWaitOp wait;
  unsigned carried;
};

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, const AxisInfoAnalysis &axes, GpuAttr gpu, unsigned loopNumber)
      : loop(loop), axes(axes), gpu(gpu), loopNumber(loopNumber) {}

  /// Makes a pipeline of up to `stages` stages, as far as there is shared memory for it, and says
  /// whether it has. Failure: the loop may be half changed.
  FailureOr<bool> run(unsigned stages) {
    if (loop.getUnsignedCmp() || !findLoads() || !canRunAhead())
      return false;
    findCarriedLoads(stages - 1);
    SmallVector<CarriedProduct> carried = carriedProducts();
    SmallVector<RingGroup> groups = makeGroups(!carried.empty());
    const std::optional<LateProduct> late = findLateProduct();
    if (late)
      groups = groupsOf(*late);
    unsigned distance = stages - 1;
    while (bytesOfRings(groups, distance) + otherBytes() > gpu.getSharedBytes())
      if (--distance == 0)
        return false;
    for (CarriedProduct &product : carried)
      product.wait.setPendings(unsigned(carried.size()));
    StagedLoop staged(loop, distance);
    loop = staged.get();
    for (RingGroup &group : groups)
      group.distance = distance;
    runAhead(staged);
    BufferRings rings(staged, groups, gpu.getWarps(), gpu.getWarps() * gpu.getLanes());
    loop = staged.get();
    const unsigned lateNumber = late ? makeLate(staged, *late) : 0;
    const Value start = late ? loop.getInitArgs()[lateNumber] : Value();
    const bool turns =
        !late && !groups[0].isInFlight && llvm::all_of(groups, canTakeTurns) && takeTurns();
    if (failed(staged.expand(BufferRings::withCondition)))
      return failure();
    loop = staged.get();
    Operation *end = late ? endLate(lateNumber, start) : loop.getOperation();
    finish(carried, rings, turns, end);
    return true;
  }

private:
  // ---- What can be pipelined

  bool findLoads() {
    for (Operation &op : *loop.getBody()) {
      auto alloc = dyn_cast<LocalAllocOp>(op);
      Operation *load = alloc && alloc.getSrc() ? alloc.getSrc().getDefiningOp() : nullptr;
      if (!load || load->getBlock() != loop.getBody())
        continue;
      auto plain = dyn_cast<tt::LoadOp>(load);
      auto described = dyn_cast<tt::DescriptorLoadOp>(load);
      if (plain ? !plain.getIsVolatile() && isCopied(plain, alloc)
                : described && isCopied(described, alloc))
        loads.push_back({load, alloc});
    }
    return !loads.empty();
  }

  /// Whether threads can copy it by pieces that are large enough.
  bool isCopied(tt::LoadOp load, LocalAllocOp alloc) {
    auto type = cast<RankedTensorType>(load.getType());
    unsigned bytes = tt::getElementBits(type.getElementType()) / 8;
    SharedAccess access = sharedAccess(layoutOf(type), alloc.getType().getLayout().getMap(), bytes);
    int64_t width = 1;
    for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis)
      width = std::max(width, axes.vectorWidth(load.getPtr(), load.getMask(), axis));
    return std::min<int64_t>(width, access.elements) * bytes >= leastCopyBytes;
  }

  /// Whether TMA can bring it, for products that say when they have read it.
  bool isCopied(tt::DescriptorLoadOp load, LocalAllocOp alloc) {
    auto made = load.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
    return made && load->hasOneUse() && !loop->isAncestor(made) &&
           swizzleOfBlocks(alloc.getType()) && areProductsWaitedFor(alloc);
  }

  /// Whether products of groups of warps alone read it, each with a wait of its own.
  static bool areProductsWaitedFor(LocalAllocOp alloc) {
    return isReadByWarpGroupProducts(alloc) && llvm::all_of(readersOf(alloc), waitFor);
  }

  /// Whether what the loads follow from, in this iteration and those before, can be computed ahead.
  /// Loads of pointers' parts among that run ahead themselves, and are none that are copied.
  bool canRunAhead() {
    SmallVector<Value> operands;
    for (PipelinedLoad &one : loads)
      llvm::append_range(operands, one.load->getOperands());
    LoopSlice slice(loop);
    if (!slice.add(operands, isLoadOfPointers))
      return false;
    llvm::erase_if(loads,
                   [&](PipelinedLoad &one) { return slice.operations().contains(one.load); });
    return !loads.empty() && !writesWhatRunsAhead(slice);
  }

  /// Loads that are not copied, such as those of scales, run ahead as well and are carried in
  /// registers, as far as there are few.
  void findCarriedLoads(unsigned distance) {
    constexpr unsigned fewRegisters = 8; // of a thread, for a load
    for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
      LoopSlice slice(loop);
      if (std::max(1u, registersOf(load.getType())) * distance > fewRegisters ||
          isPipelined(load) || !slice.add(load.getResult(), isLoadOfPointers) ||
          llvm::any_of(slice.operations(), [&](Operation *op) { return isPipelined(op); }) ||
          writesWhatRunsAhead(slice))
        continue;
      carriedLoads.push_back(load);
    }
  }

  bool isPipelined(Operation *op) {
    return llvm::any_of(loads, [&](PipelinedLoad &one) { return one.load == op; });
  }

  static bool isLoadOfPointers(Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    return load && !load.getIsVolatile();
  }

  /// Whether the loop may write what it loads ahead.
  bool writesWhatRunsAhead(const LoopSlice &slice) {
    DenseSet<Value> read; // parameters; null: it may be any
    auto reads = [&](Operation *op) {
      if (auto load = dyn_cast<tt::LoadOp>(op))
        read.insert(ownParameterOf(load.getPtr()));
      else if (auto described = dyn_cast<tt::DescriptorLoadOp>(op))
        read.insert(
            ownParameterOf(described.getDesc().getDefiningOp<tt::MakeTensorDescOp>().getBase()));
    };
    for (PipelinedLoad &one : loads)
      reads(one.load);
    for (Operation *op : slice.operations())
      reads(op);
    return loop.getBody()
        ->walk([&](Operation *op) {
          // Shared memory is the passes' own.
          if (isa<TTGDialect>(op->getDialect()) || !writesMemory(op))
            return WalkResult::advance();
          auto store = dyn_cast<tt::StoreOp>(op);
          Value written = store ? ownParameterOf(store.getPtr()) : Value();
          return written && !read.contains(Value()) && !read.contains(written)
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  /// Bytes of shared memory that are in use in the loop beside what its loads go to, at most: what
  /// it and those around it allocate, and what the largest conversion moves data through.
  uint64_t otherBytes() {
    uint64_t bytes = 0, moved = 0;
    // Producers keep the rings for all loops around this one that have them.
    scf::ForOp whole = loop;
    for (Operation *at = loop; at; at = at->getParentOp())
      if (at->hasAttr("tt.warp_specialize"))
        whole = cast<scf::ForOp>(at);
    whole.getBody()->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
        if (llvm::none_of(loads, [&](PipelinedLoad &one) { return one.alloc == alloc; }))
          bytes += bytesOf(alloc.getType());
      } else if (auto conversion = dyn_cast<ConvertLayoutOp>(op)) {
        RankedTensorType type = conversion.getType();
        moved = std::max(moved, uint64_t(type.getNumElements()) *
                                    llvm::divideCeil(tt::getElementBits(type.getElementType()), 8));
      }
    });
    for (Operation *at = loop; !isa<tt::FuncOp>(at); at = at->getParentOp())
      for (Operation &op : *at->getBlock())
        if (auto alloc = dyn_cast<LocalAllocOp>(op);
            alloc && alloc->isBeforeInBlock(at) && isUsedFrom(alloc.getResult(), at))
          bytes += bytesOf(alloc.getType());
    return bytes + moved;
  }

  /// Products that may stay in flight: all or none of the loop's, so that waiting for one does not
  /// mean waiting for all.
  SmallVector<CarriedProduct> carriedProducts() {
    DenseSet<Value> inRings;
    for (PipelinedLoad &one : loads) {
      inRings.insert(one.alloc.getResult());
      for (Operation *user : one.alloc->getUsers())
        if (auto view = dyn_cast<MemDescTransOp>(user))
          inRings.insert(view.getResult());
    }
    SmallVector<CarriedProduct> found;
    for (auto wait : loop.getBody()->getOps<WarpGroupDotWaitOp>()) {
      auto dot = wait.getInputs()[0].getDefiningOp<WarpGroupDotOp>();
      auto sum = dot ? dyn_cast<BlockArgument>(dot.getC()) : BlockArgument();
      if (!sum || sum.getOwner() != loop.getBody() || !sum.hasOneUse() ||
          !inRings.contains(dot.getA()) || !inRings.contains(dot.getB()) ||
          !wait.getOutputs()[0].hasOneUse() ||
          loop.getTiedLoopYieldedValue(sum)->get() != wait.getOutputs()[0])
        return {};
      found.push_back({wait, sum.getArgNumber() - loop.getNumInductionVars()});
    }
    return found;
  }

  // ---- Groups and stages

  /// The wait for a product, if it waits for this one alone.
  static WarpGroupDotWaitOp waitFor(WarpGroupDotOp dot) {
    if (!dot.getD().hasOneUse())
      return nullptr;
    auto wait = dyn_cast<WarpGroupDotWaitOp>(*dot.getD().user_begin());
    return wait && wait->getBlock() == dot->getBlock() && wait.getInputs().size() == 1
               ? wait
               : WarpGroupDotWaitOp();
  }

  static SmallVector<WarpGroupDotOp> readersOf(LocalAllocOp alloc) {
    SmallVector<WarpGroupDotOp> readers;
    SmallVector<Value> views = {alloc.getResult()};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (auto dot = dyn_cast<WarpGroupDotOp>(user))
          readers.push_back(dot);
        else
          views.push_back(user->getResult(0));
      }
    return readers;
  }

  /// What TMA brings, and what threads copy. Barriers in shared memory order the former, and the
  /// latter where that pays.
  SmallVector<RingGroup> makeGroups(bool isInFlight) {
    RingGroup described, copied;
    for (PipelinedLoad &one : loads)
      (one.isDescribed() ? described : copied).loads.push_back(one);
    const bool drift =
        !isInFlight && isDriftingWorthIt() && llvm::all_of(copied.loads, [](PipelinedLoad &one) {
          return one.load->hasOneUse() && areProductsWaitedFor(one.alloc);
        });
    SmallVector<RingGroup> groups;
    for (RingGroup *group : {&described, &copied}) {
      if (group->loads.empty())
        continue;
      group->isInFlight = isInFlight;
      for (PipelinedLoad &one : group->loads) {
        if (group == &copied && !drift) {
          // Whoever else wants the value waits for it as well.
          for (Operation *user : one.load->getUsers())
            earlier(group->firstReader, loop.getBody()->findAncestorOpInBlock(*user));
          continue;
        }
        for (Operation *user : LocalAllocOp(one.alloc)->getUsers())
          if (isa<LocalLoadOp>(user))
            earlier(group->firstReader, user);
        for (WarpGroupDotOp dot : readersOf(one.alloc)) {
          earlier(group->firstReader, dot);
          WarpGroupDotWaitOp wait = waitFor(dot);
          if (!group->lastWait || group->lastWait->isBeforeInBlock(wait))
            group->lastWait = wait;
        }
      }
      groups.push_back(*group);
    }
    return groups;
  }

  static void earlier(Operation *&first, Operation *op) {
    if (!first || op->isBeforeInBlock(first))
      first = op;
  }

  /// Whether a group of warps that has the turn does not wait for others: what it reads next has
  /// been copied by all of them before they wait for theirs.
  static bool canTakeTurns(const RingGroup &group) {
    return group.lastWait && (group.isDescribed() || group.distance > 1);
  }

  /// That threads arrive at barriers in shared memory for their copies costs as much as a part of
  /// the work that a group of warps does with a product's result, or to have an operand in
  /// registers; where that is little, or all that the program does, its barrier is cheaper.
  bool isDriftingWorthIt() {
    constexpr unsigned enoughRegisters = 64; // of a result
    return llvm::any_of(loop.getBody()->getOps<WarpGroupDotOp>(), [&](WarpGroupDotOp dot) {
      WarpGroupDotWaitOp wait = waitFor(dot);
      return wait && registersOf(dot.getType()) >= enoughRegisters &&
             (isAheadOfProduct(wait) || (gpu.getWarps() >= 8 && dot.readsAFromRegisters()));
    });
  }

  /// Of 32 bits, in which a thread holds a value.
  static unsigned registersOf(Type type) {
    unsigned bytes = std::max(1u, tt::getElementBits(type) / 8);
    auto tensor = dyn_cast<RankedTensorType>(type);
    return (tensor ? 1u << layoutOf(tensor).inBits("register") : 1u) * std::max(4u, bytes) / 4;
  }

  static uint64_t bytesOfRings(ArrayRef<RingGroup> groups, unsigned distance) {
    constexpr unsigned bytesOfBarriers = 2 * 8;
    uint64_t bytes = 0;
    for (RingGroup group : groups) {
      group.distance = distance;
      bytes += group.buffers() * (bytesOf(group) + bytesOfBarriers);
    }
    return bytes;
  }

  /// Whether another product of the loop needs the result.
  bool isAheadOfProduct(WarpGroupDotWaitOp wait) {
    llvm::SetVector<Operation *> users;
    users.insert(wait);
    for (size_t i = 0; i < users.size(); ++i)
      for (Operation *user : users[i]->getUsers()) {
        Operation *there = loop.getBody()->findAncestorOpInBlock(*user);
        if (isa_and_nonnull<WarpGroupDotOp>(there))
          return true;
        if (there)
          users.insert(there);
      }
    return false;
  }

  /// What copies and loads that are carried follow from.
  void runAhead(StagedLoop &staged) {
    LoopSlice slice(staged.get());
    for (const PipelinedLoad &one : loads)
      slice.add(one.load->getOperands(), isLoadOfPointers);
    for (tt::LoadOp load : carriedLoads)
      slice.add(load.getResult(), isLoadOfPointers);
    // What is loaded, such as what copies get their addresses from, is on its way while the
    // iteration waits for its own copies.
    LoopSlice early(staged.get());
    for (Operation *op : slice.operations())
      if (isLoadOfPointers(op))
        early.add(op->getResults(), isLoadOfPointers);
    for (Operation *op : slice.operations()) {
      staged.setStage(op, Stage::ahead);
      staged.setRank(op, early.operations().contains(op) ? StagedLoop::aheadRank
                                                         : StagedLoop::copiesRank);
    }
  }

  // ---- Late products

  /// A product that goes on while what the next iteration multiplies it with is computed.
  struct LateProduct {
    WarpGroupDotOp first, late; // the one it needs, and itself
  };

  /// The second of two products, if there are registers for what it reads and what the first one of
  /// the next iteration makes.
  std::optional<LateProduct> findLateProduct() {
    constexpr unsigned enoughRegisters = 200; // of 240 for a thread
    auto dots = llvm::to_vector(loop.getBody()->getOps<WarpGroupDotOp>());
    if (dots.size() != 2 || gpu.getWarps() < 8)
      return {};
    auto [first, late] = LateProduct{dots[0], dots[1]};
    WarpGroupDotWaitOp firstWait = waitFor(first), lateWait = waitFor(late);
    auto weights = dyn_cast<RankedTensorType>(late.getA().getType());
    if (!firstWait || !lateWait || !weights || !isAheadOfProduct(firstWait) ||
        !lateWait.getOutputs()[0].hasOneUse() || !isFromOutside(first.getC()))
      return {};
    unsigned bytes = tt::getElementBits(weights.getElementType()) / 8;
    if (registersOf(first.getType()) + registersOf(late.getType()) +
            2 * registersOf(weights) * bytes / 4 >
        enoughRegisters)
      return {};
    // Every load is of one of them.
    for (PipelinedLoad &one : loads)
      if (!one.isDescribed() ||
          !tensorMapRecipeOf(one.load->getOperand(0).getDefiningOp<tt::MakeTensorDescOp>()) ||
          readersOf(one.alloc).size() != 1)
        return {};
    for (Value operand : {Value(first.getA()), Value(first.getB()), Value(late.getB())})
      if (!isFromOutside(operand) && !isFromLoad(operand))
        return {};
    auto sum = carriedFrom(lateWait.getOutputs()[0]);
    if (!sum)
      return {};
    // What follows from its result is what it is added to, and nothing else.
    for (Operation *op : followersOf(*sum))
      if (op == first || op->getNumRegions() || !isMemoryEffectFree(op) ||
          llvm::any_of(op->getUsers(), [&](Operation *user) { return isa<scf::YieldOp>(user); }))
        return {};
    return LateProduct{first, late};
  }

  bool isFromOutside(Value value) { return value.getParentRegion() != &loop.getRegion(); }

  bool isFromLoad(Value memory) {
    while (auto view = memory.getDefiningOp<MemDescTransOp>())
      memory = view.getSrc();
    return llvm::any_of(loads,
                        [&](PipelinedLoad &one) { return one.alloc == memory.getDefiningOp(); });
  }

  /// The loop's argument that carries a value, used by nothing else.
  std::optional<BlockArgument> carriedFrom(Value value) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (OpOperand &operand : yield->getOpOperands())
      if (operand.get() == value)
        return loop.getRegionIterArg(operand.getOperandNumber());
    return {};
  }

  /// Operations of the loop that follow from a value, up to products.
  SmallVector<Operation *> followersOf(Value value) {
    llvm::SetVector<Operation *> found;
    SmallVector<Value> open = {value};
    while (!open.empty())
      for (Operation *user : open.pop_back_val().getUsers()) {
        Operation *there = loop.getBody()->findAncestorOpInBlock(*user);
        if (isa<WarpGroupDotOp, scf::YieldOp>(there))
          continue;
        if (found.insert(there))
          llvm::append_range(open, there->getResults());
      }
    return found.takeVector();
  }

  /// A ring for each load's product.
  SmallVector<RingGroup> groupsOf(const LateProduct &product) {
    SmallVector<RingGroup> groups;
    for (WarpGroupDotOp dot : {product.first, product.late}) {
      RingGroup group;
      for (PipelinedLoad &one : loads)
        if (readersOf(one.alloc)[0] == dot)
          group.loads.push_back(one);
      if (group.loads.empty())
        continue;
      group.firstReader = dot;
      group.lastWait = waitFor(dot);
      const bool isLate = dot == product.late;
      group.stage = isLate ? Stage::late : Stage::main;
      group.waitsRank = isLate ? StagedLoop::mainEndRank : StagedLoop::firstRank;
      group.releasesRank = isLate ? StagedLoop::lateEndRank : StagedLoop::mainRank;
      groups.push_back(group);
    }
    return groups;
  }

  /// Returns the number of the value that carries what the late product makes.
  unsigned makeLate(StagedLoop &staged, const LateProduct &product) {
    WarpGroupDotOp first = product.first, late = product.late;
    WarpGroupDotWaitOp firstWait = waitFor(first), lateWait = waitFor(late);
    staged.setRank(first, StagedLoop::firstRank);
    firstWait.setPendings(1);
    for (Operation *op : {late.getOperation(), lateWait.getOperation()})
      staged.setStage(op, Stage::late);
    staged.setRank(lateWait, StagedLoop::lateEndRank);
    BlockArgument sum = *carriedFrom(lateWait.getOutputs()[0]);
    for (Operation *op : followersOf(sum))
      staged.setRank(op, StagedLoop::endRank);
    // What it reads from registers stays there as long as it goes on: the next values are not
    // brought into their final form before.
    for (Operation *op = late.getA().getDefiningOp();
         isa_and_nonnull<arith::TruncFOp, tt::FpToFpOp, ConvertLayoutOp>(op) && op->hasOneUse();
         op = op->getOperand(0).getDefiningOp())
      staged.setRank(op, StagedLoop::endRank);
    return sum.getArgNumber() - loop.getNumInductionVars();
  }

  /// The last late product comes after the loop, which ends an iteration earlier: all else that
  /// this would do is for an iteration that there is not. `start` is the sum if there is none.
  Operation *endLate(unsigned number, Value start) {
    // Before the loop no other product follows the first one.
    for (auto wait : loop->getBlock()->getOps<WarpGroupDotWaitOp>())
      if (wait->isBeforeInBlock(loop))
        wait.setPendings(0);
    OpBuilder b(loop);
    Location where = loop.getLoc();
    Value bound = loop.getUpperBound();
    Value one = arith::ConstantOp::create(b, where, b.getIntegerAttr(bound.getType(), 1));
    Value last = arith::SubIOp::create(b, where, bound, one);
    loop.setUpperBound(last);
    loop->setAttr("tt.warp_specialize", b.getUnitAttr());

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
    Value runs =
        arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, loop.getLowerBound(), bound);
    Value result = loop.getResult(number);
    auto end = scf::IfOp::create(
        b, where, runs,
        [&](OpBuilder &inner, Location) {
          for (Operation &op : loop.getBody()->without_terminator())
            if (needed.contains(&op))
              inner.clone(op, map);
          scf::YieldOp::create(inner, where, map.lookup(wait.getOutputs()[0]));
        },
        [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, where, start); });
    result.replaceUsesWithIf(end.getResult(0),
                             [&](OpOperand &use) { return !end->isAncestor(use.getOwner()); });
    return end;
  }

  // ---- Turns

  /// Makes groups take turns, if there are several and the loop has two products, the second of
  /// which needs the first.
  bool takeTurns() {
    auto dots = llvm::to_vector(loop.getBody()->getOps<WarpGroupDotOp>());
    if (gpu.getWarps() < 8 || gpu.getWarps() / 4 > mostGroups || dots.size() != 2 ||
        !waitFor(dots[0]) || !isAheadOfProduct(waitFor(dots[0])))
      return false;
    // A turn has gaps, between the second product and the next one: they cost more than they bring
    // where groups have little to compute for what they multiply.
    if (2 * registersOf(dots[1].getType()) > registersOf(dots[0].getType()))
      return false;
    OpBuilder b(dots[1]);
    Location where = dots[1].getLoc();
    WaitForTurnOp::create(b, where, loopNumber);
    // Who begins: the last group passes the turn on, to the first one, without having had it.
    b.setInsertionPointAfter(dots[0]);
    Value iteration = loop.getInductionVar();
    Value zero = arith::ConstantOp::create(b, where, b.getZeroAttr(iteration.getType()));
    Value later = arith::CmpIOp::create(b, where, arith::CmpIPredicate::ne, iteration, zero);
    Value always = arith::ConstantIntOp::create(b, where, 1, 1);
    PassTurnOp::create(b, where, always, later, loopNumber);
    return true;
  }

  /// After the loop all but the last group pass on the turn that they still have.
  void endTurns(OpBuilder &b) {
    Location where = loop.getLoc();
    Value ran = arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                      loop.getUpperBound());
    Value never = arith::ConstantIntOp::create(b, where, 0, 1);
    PassTurnOp::create(b, where, never, ran, loopNumber);
  }

  /// `end`: the last operation that reads the rings.
  void finish(ArrayRef<CarriedProduct> carried, BufferRings &rings, bool turns, Operation *end) {
    OpBuilder b(loop->getContext());
    b.setInsertionPointAfter(end);
    if (turns)
      endTurns(b);
    Location where = loop.getLoc();
    for (const CarriedProduct &product : carried) {
      Value result = loop.getResult(product.carried);
      auto wait =
          WarpGroupDotWaitOp::create(b, where, TypeRange{result.getType()}, ValueRange{result}, 0u);
      result.replaceAllUsesExcept(wait.getOutputs()[0], wait);
    }
    rings.finish(b);
  }

  scf::ForOp loop;
  const AxisInfoAnalysis &axes;
  GpuAttr gpu;
  const unsigned loopNumber; // in the kernel
  SmallVector<PipelinedLoad> loads;
  SmallVector<tt::LoadOp> carriedLoads;
};

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  using PipelineLoopsBase::PipelineLoopsBase;

  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    // What is known of values does not hold for a loop that has been replaced by another one.
    const AxisInfoAnalysis *axes = &getAnalysis<AxisInfoAnalysis>();
    std::optional<AxisInfoAnalysis> again;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (auto [number, loop] : llvm::enumerate(loops)) {
      int64_t stages = numStages;
      if (auto own = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
        stages = own.getInt();
      if (stages <= 1)
        continue;
      FailureOr<bool> changed =
          LoopPipeliner(loop, *axes, gpu, unsigned(number)).run(unsigned(stages));
      if (failed(changed))
        return signalPassFailure();
      if (*changed)
        axes = &again.emplace(getOperation());
    }
    // What no ring took, threads need not read from memory again.
    SmallVector<LocalAllocOp> allocs;
    getOperation().walk([&](LocalAllocOp alloc) { allocs.push_back(alloc); });
    for (LocalAllocOp alloc : allocs) {
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (auto read = dyn_cast<LocalLoadOp>(user);
            read && alloc.getSrc() && read.getType() == alloc.getSrc().getType()) {
          read.replaceAllUsesWith(alloc.getSrc());
          read.erase();
        }
      if (alloc->use_empty())
        alloc.erase();
    }
  }
};

} // namespace
} // namespace tl::ttg
