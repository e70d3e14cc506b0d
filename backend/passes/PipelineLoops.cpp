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
// Copies are started early in an iteration, after the first products that go on by themselves;
// where there are none, and copies are further ahead than one iteration, at its end.
//
// Where the GPU has no asynchronous copies, or two buffers have no room, what is loaded ahead waits
// in registers (LoadsAhead.h). Where it has those in lane order, this is done for loads whose lanes
// are in another one, beside the copies of the others.
//
// Products stay in flight where all that an iteration does with their result is to hand it to the
// next one, which adds to it: an instruction may follow another one that adds to the same
// registers without waiting. What they read must lie in rings, which are kept one iteration longer.
// An operand in registers must not be in flight from one iteration to the next: assemblers before
// 13.1 compute the next one in the same registers (tests/ptxas/operands_in_flight.py).
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
// groups would multiply at the same time, and then all compute. Where there are registers for it, a
// group has both at once instead (LateProduct.h).
#include "analysis/AxisInfo.h"
#include "analysis/LayoutInference.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Dialect.h"
#include "dialect/Hints.h"
#include "dialect/MatrixProducts.h"
#include "dialect/ProducerWarps.h"
#include "dialect/SharedMemoryUse.h"
#include "dialect/Traits.h"
#include "dialect/Transfers.h"
#include "layout/Queries.h"
#include "passes/BufferRings.h"
#include "passes/GpuPasses.h"
#include "passes/LaneCopies.h"
#include "passes/LateProduct.h"
#include "passes/LoadedOperands.h"
#include "passes/LoadsAhead.h"
#include "passes/LoopProducts.h"
#include "passes/Passes.h"
#include "passes/PipelinedLoads.h"
#include "passes/StagedLoop.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "passes/GpuPasses.h.inc"

namespace {

constexpr unsigned mostGroups = 15; // of four warps, that can take turns

constexpr unsigned allRegisters = 65536; // of a multiprocessor
constexpr unsigned ofOperands = 80;      // registers of a thread, beside the results of products

/// Whether shared memory, or a view of it, is used by `op` or after it.
bool isUsedFrom(Value memory, Operation *op) {
  return llvm::any_of(memory.getUsers(), [&](Operation *user) {
    if (isa<MemDescTransOp>(user))
      return isUsedFrom(user->getResult(0), op);
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    return !here || !here->isBeforeInBlock(op);
  });
}

/// Whether the loop is known to have so few iterations that most of its pipeline would be its
/// beginning and its end: its memory is better left to other programs. But not where the iterations
/// of a loop around it share its rings, or where TMA brings blocks to where products read them.
bool isShort(scf::ForOp loop) {
  constexpr int64_t few = 2;
  const std::optional<llvm::APInt> iterations = tt::tripCountOf(loop);
  if (!iterations || iterations->ugt(few) ||
      !loop.getBody()->getOps<tt::DescriptorLoadOp>().empty())
    return false;
  for (Operation *at = loop; at; at = at->getParentOp())
    if (tt::isSet(at, tt::warpSpecializeName) || tt::isSet(at, tt::flattenName))
      return false;
  return true;
}

/// Of a loop's pipeline.
unsigned stagesOf(scf::ForOp loop, unsigned defaultStages) {
  if (auto own = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
    return unsigned(std::max<int64_t>(0, own.getInt()));
  return isShort(loop) ? 1 : defaultStages;
}

/// A product and its wait, the only thing of the loop that uses it; `carried` is the number of the
/// value that hands it on.
struct CarriedProduct {
  WarpGroupDotWaitOp wait;
  unsigned carried;
};

class LoopPipeliner {
public:
  /// `defaultStages`: of loops that have no number of their own.
  LoopPipeliner(scf::ForOp loop, const AxisInfoAnalysis &axes, GpuAttr gpu, unsigned defaultStages,
                unsigned loopNumber)
      : loop(loop), axes(axes), gpu(gpu), defaultStages(defaultStages), loopNumber(loopNumber) {}

  /// Makes a pipeline of up to `stages` stages, as far as there is shared memory for it, and says
  /// whether it has. `rings`: those of the loop that became a pipeline before this one, and
  /// afterwards this one's. Failure: the loop may be half changed.
  FailureOr<bool> run(unsigned stages, LoopRings &rings) {
    if (!plan(stages))
      return false;
    groups[0].isShort = rings.areShort;
    const bool goesOn = rings.fits(loop, groups, stages) && canGoOn(rings.first, rings.around) &&
                        hasRoomBeside(rings);
    if (goesOn) {
      around = rings.around;
    } else {
      rings = {};
      rings.stages = stages;
      groups[0].isShort = false;
      around = loopThatSharesRings(stages);
    }
    unsigned distance = goesOn ? rings.distance : stages - 1;
    const bool hasRegisters = !late && groups.size() == 1 && canWaitInRegisters(groups[0]);
    RingGroup waiting; // in registers, beside the copies
    if (loadsWaitInRegisters(module())) {
      waiting = takeUncopied(groups[0]);
      if (groups[0].loads.empty() || (!waiting.loads.empty() && !canWaitInRegisters(waiting)))
        return hasRegisters ? loadAhead(waiting.with(groups[0])) : FailureOr<bool>(false);
      groups[0].areCopiesCounted = true;
      if (!waiting.loads.empty() || llvm::any_of(groups[0].loads, isFilled))
        distance = 1;
    }
    auto hasRoom = [&] {
      return bytesOfRings(groups, distance) + bytesOf(waiting) + otherBytes() <= roomFor(distance);
    };
    while (!goesOn && !hasRoom()) {
      // Who reads by barriers in shared memory pays nothing for a short ring.
      groups[0].isShort = canBeShort() && groups[0].lastWait;
      if (hasRoom())
        break;
      groups[0].isShort = false;
      if (--distance == 0) {
        if (!around)
          return hasRegisters ? loadAhead(waiting.with(groups[0])) : FailureOr<bool>(false);
        around = {}; // rings that end with the loop leave room for what comes after it
        inFollowers.clear();
        distance = stages - 1;
      }
    }
    if (!goesOn)
      groups[0].isShort |= isShortRingWorthIt(distance);
    findCarriedLoads(distance);
    for (CarriedProduct &product : carried)
      product.wait.setPendings(unsigned(carried.size()));
    StagedLoop staged(loop, distance);
    loop = staged.get();
    for (RingGroup &group : groups)
      group.distance = distance;
    runAhead(staged);
    // The rings take the place of the loads, which are no more after this.
    const bool mayTakeTurns = !late && !groups[0].isInFlight && llvm::all_of(groups, canTakeTurns);
    rings.around = around;
    BufferRings made(staged, groups, gpu.getWarps(), gpu.getWarps() * gpu.getLanes(), rings);
    loop = staged.get();
    around = rings.around;
    LoadsAhead ahead(staged, waiting);
    if (late)
      late->setStages(staged);
    const bool turns = mayTakeTurns && takeTurns();
    if (!late && !turns && !groups[0].isInFlight)
      copyEarly(staged, distance);
    if (failed(staged.expand(BufferRings::withCondition)))
      return failure();
    loop = staged.get();
    Operation *end = late ? late->finish(loop) : loop.getOperation();
    finish(made, turns, end);
    OpBuilder b(end->getContext());
    b.setInsertionPointAfter(end);
    ahead.finish(b);
    return true;
  }

  /// The loop around this one, if it has become another one.
  scf::ForOp loopAround() const { return around; }

private:
  ModuleOp module() { return loop->getParentOfType<ModuleOp>(); }

  /// Finds what can be pipelined, and in which groups. False: nothing can.
  bool plan(unsigned stages) {
    if (loop.getUnsignedCmp())
      return false;
    loads = findPipelinedLoads(loop, axes);
    if (loads.empty())
      return false;
    carried = carriedProducts();
    groups = makeGroups(!carried.empty());
    late = LateProduct::find(loop, loads, gpu, stages);
    if (late)
      groups = late->makeGroups(loads);
    return true;
  }

  // ---- What can be pipelined

  /// Whether threads read it to compute operands of such products, and for nothing else. Then they
  /// have read it before the wait.
  static bool isComputedWithForProducts(LocalAllocOp alloc) {
    llvm::SetVector<Value> values;
    values.insert(alloc.getResult());
    for (size_t i = 0; i < values.size(); ++i)
      for (Operation *user : values[i].getUsers()) {
        if (user->getBlock() != alloc->getBlock())
          return false;
        if (auto dot = dyn_cast<WarpGroupDotOp>(user)) {
          if (!waitFor(dot) || dot.getC() == values[i])
            return false;
          continue;
        }
        // A conversion lets all groups of warps wait for each other.
        const bool isOfThreads = isElementwise(user) || user->hasTrait<tt::MovesElements>();
        if (!isa<LocalLoadOp>(user) && (!isOfThreads || isa<ConvertLayoutOp>(user)))
          return false;
        if (user->getNumResults() != 1)
          return false;
        values.insert(user->getResult(0));
      }
    return true;
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
          writesWhatRunsAhead(loads, slice, loop))
        continue;
      carriedLoads.push_back(load);
    }
  }

  bool isPipelined(Operation *op) {
    return llvm::any_of(loads, [&](PipelinedLoad &one) { return one.load == op; });
  }

  /// Bytes of shared memory that are in use in the loop beside what its loads go to, at most: what
  /// it and those around it allocate, and what the largest conversion moves data through.
  uint64_t otherBytes() {
    uint64_t bytes = 0, moved = 0;
    // Producers keep the rings for all loops around this one that have them, and so does the loop
    // whose iterations share them.
    scf::ForOp whole = loop;
    for (Operation *at = loop; at; at = at->getParentOp())
      if (at == around.getOperation() || tt::isSet(at, tt::warpSpecializeName))
        whole = cast<scf::ForOp>(at);
    whole.getBody()->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
        const bool isInRings =
            llvm::any_of(loads, [&](PipelinedLoad &one) { return one.alloc == alloc; }) ||
            inFollowers.contains(alloc);
        if (!isInRings)
          bytes += bytesOf(alloc.getType());
      }
      moved = std::max(moved, bytesMovedThrough(op));
    });
    loop->getParentOfType<tt::FuncOp>().walk([&](Operation *op) { bytes += bytesKeptBy(op); });
    for (Operation *at = loop; !isa<tt::FuncOp>(at); at = at->getParentOp())
      for (Operation &op : *at->getBlock())
        if (auto alloc = dyn_cast<LocalAllocOp>(op);
            alloc && alloc->isBeforeInBlock(at) && isUsedFrom(alloc.getResult(), at))
          bytes += bytesOf(alloc.getType());
    return bytes + moved;
  }

  /// The loop around this one if its iterations can share rings, and warps of their own may bring
  /// the blocks: it asks for that, and multiplies in no other loop, but for those that can go on
  /// with the rings.
  scf::ForOp loopThatSharesRings(unsigned stages) {
    auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
    if (!outer || !registersBesideProducers(gpu) ||
        !(tt::isSet(outer, tt::flattenName) || tt::isSet(outer, tt::warpSpecializeName)) ||
        !LoopRings::shapesOf(groups) || writesWhatRunsAhead(loads, sliceOfLoads(), outer))
      return {};
    const SmallVector<Operation *> followers = findFollowers(stages, outer);
    auto isElsewhere = [&](Operation *op) {
      Operation *parent = op->getParentOp();
      return isa<WarpGroupDotOp>(op) && parent != loop && parent != outer &&
             !llvm::is_contained(followers, parent);
    };
    bool multipliesElsewhere = false;
    outer.getBody()->walk([&](Operation *op) { multipliesElsewhere |= isElsewhere(op); });
    if (multipliesElsewhere)
      inFollowers.clear();
    return multipliesElsewhere ? scf::ForOp() : outer;
  }

  /// The loops right after this one that will go on with its rings, which those of the loop `whole`
  /// share: they have as many stages.
  SmallVector<Operation *> findFollowers(unsigned stages, scf::ForOp whole) {
    SmallVector<Operation *> followers;
    const auto shapes = LoopRings::shapesOf(groups);
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
      auto later = dyn_cast<scf::ForOp>(op);
      if (!later) {
        if (op->walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted())
          break;
        continue;
      }
      LoopPipeliner other(later, axes, gpu, defaultStages, 0);
      if (stagesOf(later, defaultStages) != stages || !other.plan(stages) ||
          LoopRings::shapesOf(other.groups) != shapes || !other.canGoOn(loop, whole))
        break;
      followers.push_back(later);
      for (const PipelinedLoad &one : other.loads)
        inFollowers.insert(one.alloc);
    }
    return followers;
  }

  /// Whether copies of this loop may come before all that is done from the loop `first` on, and
  /// before all else that an iteration of the loop `whole` does, if there is one.
  bool canGoOn(Operation *first, scf::ForOp whole) {
    LoopSlice slice = sliceOfLoads();
    if (whole)
      return !writesWhatRunsAhead(loads, slice, whole);
    for (Operation *op = first; op != loop; op = op->getNextNode())
      if (writesWhatRunsAhead(loads, slice, op))
        return false;
    return true;
  }

  /// Whether there is room for the rings of a loop before this one beside what lies between the
  /// loops, and in this one. Where a loop around has them, it has been looked for.
  bool hasRoomBeside(const LoopRings &rings) {
    if (rings.around)
      return true;
    uint64_t kept = 0, moved = 0;
    for (Operation *op = rings.end; op != loop; op = op->getNextNode())
      op->walk([&](Operation *inner) {
        if (auto alloc = dyn_cast<LocalAllocOp>(inner))
          kept += bytesOf(alloc.getType());
        moved = std::max(moved, bytesMovedThrough(inner));
      });
    return bytesOfRings(groups, rings.distance) + std::max(kept + moved, otherBytes()) <=
           roomFor(rings.distance);
  }

  /// What the loads follow from.
  LoopSlice sliceOfLoads() {
    LoopSlice slice(loop);
    for (PipelinedLoad &one : loads)
      slice.add(one.load->getOperands(), isLoadOfPointers);
    return slice;
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

  /// What TMA brings, and what threads copy. Barriers in shared memory order the former, and the
  /// latter where that pays.
  SmallVector<RingGroup> makeGroups(bool isInFlight) {
    RingGroup described, copied;
    for (PipelinedLoad &one : loads)
      (one.isDescribed() ? described : copied).loads.push_back(one);
    const bool drift =
        !isInFlight && isDriftingWorthIt() && llvm::all_of(copied.loads, [](PipelinedLoad &one) {
          return one.load->hasOneUse() &&
                 (areProductsWaitedFor(one.alloc) || isComputedWithForProducts(one.alloc));
        });
    SmallVector<RingGroup> groups;
    for (RingGroup *group : {&described, &copied}) {
      if (group->loads.empty())
        continue;
      group->isInFlight = isInFlight;
      for (PipelinedLoad &one : group->loads) {
        const bool isByProducts = group == &described || drift;
        // Whoever else wants the value waits for it as well.
        for (Operation *user : one.load->getUsers())
          if (!isByProducts || user != one.alloc)
            earlier(group->firstReader, loop.getBody()->findAncestorOpInBlock(*user));
        if (!isByProducts)
          continue;
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

  /// Loads of a group that no copies in lane order can bring, which are no longer in it.
  RingGroup takeUncopied(RingGroup &group) {
    RingGroup rest = group;
    auto isCopied = [&](PipelinedLoad &one) {
      auto load = dyn_cast<tt::LoadOp>(one.load);
      return load && isCopiedInLaneOrder(load, LocalAllocOp(one.alloc).getType(), axes);
    };
    llvm::erase_if(rest.loads, isCopied);
    llvm::erase_if(group.loads, [&](PipelinedLoad &one) { return !isCopied(one); });
    return rest;
  }

  /// Lanes that are masked copy zeros, but nothing else: then a warp may make no copy at all, so
  /// that copies cannot be counted.
  static bool isFilled(PipelinedLoad &one) {
    auto load = cast<tt::LoadOp>(one.load);
    return load.getMask() && !areZeros(load.getOther());
  }

  /// Bytes of shared memory that rings may have. Copies in lane order take no registers, so that
  /// these leave room for a second program, which hides more than a longer ring.
  uint64_t roomFor(unsigned distance) {
    const bool leavesRoom = distance > 1 && loadsWaitInRegisters(module());
    return gpu.getSharedBytes() / (leavesRoom ? 2 : 1);
  }

  /// Whether they are plain loads, whose readers are threads that have read when the iteration
  /// ends, and a thread has registers for what it loads beside the results.
  bool canWaitInRegisters(const RingGroup &group) {
    // A program of many threads has fewer registers a thread.
    constexpr unsigned mostRegisters = 256, registerBits = 32;
    const unsigned own = std::min(mostRegisters, allRegisters / (gpu.getWarps() * gpu.getLanes()));
    if (own <= ofOperands)
      return false;
    unsigned bits = 0;
    for (Operation &op : *loop.getBody())
      if (isProductOfThreads(&op))
        bits += registersOf(op.getResult(0).getType()) * registerBits;
    for (const PipelinedLoad &one : group.loads)
      bits += registersOf(one.load->getResult(0).getType()) *
              tt::getElementBits(LocalAllocOp(one.alloc).getType().getElementType());
    auto isReadByThreads = [](const PipelinedLoad &one) {
      return !isReadByProducts(LocalAllocOp(one.alloc));
    };
    return llvm::all_of(group.loads, isReadByThreads) && !group.isDescribed() &&
           !group.isInFlight && !group.lastWait && bits <= (own - ofOperands) * registerBits &&
           bytesOf(group) + otherBytes() <= gpu.getSharedBytes();
  }

  FailureOr<bool> loadAhead(const RingGroup &group) {
    findCarriedLoads(1);
    StagedLoop staged(loop, 1);
    loop = staged.get();
    runAhead(staged);
    LoadsAhead ahead(staged, group);
    if (failed(staged.expand(BufferRings::withCondition)))
      return failure();
    loop = staged.get();
    OpBuilder b(loop->getContext());
    b.setInsertionPointAfter(loop);
    ahead.finish(b);
    return true;
  }

  static uint64_t bytesOfRings(ArrayRef<RingGroup> groups, unsigned distance) {
    constexpr unsigned bytesOfBarriers = 2 * 8;
    uint64_t bytes = 0;
    for (RingGroup group : groups) {
      group.distance = distance;
      bytes += group.buffers() * (bytesOf(group) + (group.lastWait ? bytesOfBarriers : 0));
    }
    return bytes;
  }

  bool canBeShort() {
    return groups.size() == 1 && groups[0].isInFlight && groups[0].blocks() == 1;
  }

  /// Whether a short ring lets a multiprocessor have another program, for which there have to be
  /// registers as well.
  bool isShortRingWorthIt(unsigned distance) {
    if (!canBeShort())
      return false;
    uint64_t own = ofOperands;
    for (auto dot : loop.getBody()->getOps<WarpGroupDotOp>())
      own += registersOf(dot.getType());
    const uint64_t most = allRegisters / (own * gpu.getWarps() * gpu.getLanes());
    auto programs = [&](bool isShort) {
      RingGroup group = groups[0];
      group.isShort = isShort;
      return std::min(most, gpu.getSharedBytes() / (bytesOfRings(group, distance) + otherBytes()));
    };
    return programs(true) > programs(false);
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

  /// Copies have a whole iteration more to come in if they are started as soon as this one has what
  /// it reads, and has begun to multiply.
  static void copyEarly(StagedLoop &staged, unsigned distance) {
    Operation *place = nullptr;
    bool multiplies = false, computes = false; // since all that is read is there
    for (Operation &op : *staged.get().getBody()) {
      if (isa<BarrierOp>(op)) {
        place = distance == 1 ? op.getNextNode() : nullptr;
        multiplies = computes = false;
      } else if (isa<WarpGroupDotOp>(op) && !computes) {
        place = op.getNextNode();
        multiplies = true;
      } else if (multiplies && llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
        computes = true;
      }
    }
    if (place)
      staged.copyBefore(place);
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
  void finish(BufferRings &made, bool turns, Operation *end) {
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
    made.finish(b);
  }

  scf::ForOp loop;
  scf::ForOp around; // whose iterations share the rings
  const AxisInfoAnalysis &axes;
  GpuAttr gpu;
  const unsigned defaultStages;
  const unsigned loopNumber; // in the kernel
  SmallVector<PipelinedLoad> loads;
  SmallVector<CarriedProduct> carried;
  SmallVector<RingGroup> groups;
  std::optional<LateProduct> late;
  DenseSet<Operation *> inFollowers; // memory of loads of loops that will go on with the rings
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
    LoopRings rings;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (auto [number, loop] : llvm::enumerate(loops)) {
      const unsigned stages = stagesOf(loop, numStages);
      if (stages <= 1)
        continue;
      auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
      LoopPipeliner pipeliner(loop, *axes, gpu, numStages, unsigned(number));
      FailureOr<bool> changed = pipeliner.run(stages, rings);
      if (failed(changed))
        return signalPassFailure();
      if (!*changed)
        continue;
      if (pipeliner.loopAround())
        llvm::replace(loops, outer, pipeliner.loopAround());
      axes = &again.emplace(getOperation());
    }
    keepLastBarriers(getOperation());
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
