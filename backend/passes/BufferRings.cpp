// SPDX-License-Identifier: MIT
#include "passes/BufferRings.h"

#include "analysis/TensorStores.h"
#include "dialect/Barrier.h"
#include "dialect/GpuTarget.h"
#include "dialect/Hints.h"
#include "dialect/Transfers.h"
#include "layout/NamedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

namespace {

Value constant(OpBuilder &b, Location where, int64_t value) {
  return arith::ConstantIntOp::create(b, where, value, 32);
}

MemDescType barrierType(MLIRContext *context, ArrayRef<int64_t> shape) {
  LinearLayout layout = rowMajorShared({1}, {0});
  return MemDescType::get(context, shape, IntegerType::get(context, 64),
                          SharedLayoutAttr::get(context, layout));
}

} // namespace

std::optional<unsigned> swizzleOfBlocks(MemDescType type) {
  if (type.getShape().size() != 2)
    return {};
  unsigned bits = tt::getElementBits(type.getElementType());
  for (unsigned bytes : {128u, 64u, 32u})
    if (type.getShape()[1] * bits / 8 >= bytes &&
        type.getLayout().getMap() ==
            hardwareSwizzledShared(type.getShape().vec(), {1, 0}, bits, bytes))
      return bytes;
  return {};
}

uint64_t bytesOf(MemDescType type) {
  return uint64_t(ShapedType::getNumElements(type.getShape())) *
         tt::memoryBytes(type.getElementType());
}

static uint64_t bytesOf(RankedTensorType type) {
  return uint64_t(type.getNumElements()) * tt::memoryBytes(type);
}

uint64_t bytesKeptBy(Operation *op) {
  if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op))
    return bytesOf(cast<RankedTensorType>(reduce.getSrc().getType()));
  if (!isa<tt::DescriptorStoreOp>(op))
    return 0;
  const StorePath path = storePathOf(op);
  return path.goesOn ? path.bytes() : 0;
}

uint64_t bytesMovedThrough(Operation *op) {
  Value moved;
  if (auto conversion = dyn_cast<ConvertLayoutOp>(op))
    moved = conversion.getResult();
  else if (auto store = dyn_cast<tt::DescriptorStoreOp>(op); store && !storePathOf(op).goesOn)
    moved = store.getSrc();
  return moved ? bytesOf(cast<RankedTensorType>(moved.getType())) : 0;
}

uint64_t bytesOf(const RingGroup &group) {
  uint64_t bytes = 0;
  for (const PipelinedLoad &one : group.loads)
    bytes += bytesOf(LocalAllocOp(one.alloc).getType());
  return bytes;
}

/// Of a load: how many blocks of a cluster bring parts of it for each other.
static unsigned blocksOf(const PipelinedLoad &one) {
  constexpr int64_t rowsOfSwizzle = 8; // a pattern's
  const unsigned blocks = tt::blocksOf(one.load, tt::multicastName);
  return LocalAllocOp(one.alloc).getType().getShape()[0] % (rowsOfSwizzle * blocks) ? 1 : blocks;
}

static void shareAmong(Operation *op, unsigned blocks) {
  if (blocks > 1)
    op->setAttr(tt::multicastName, OpBuilder(op).getI32IntegerAttr(int32_t(blocks)));
}

unsigned RingGroup::blocks() const {
  unsigned most = 1;
  if (isDescribed())
    for (const PipelinedLoad &one : loads)
      most = std::max(most, blocksOf(one));
  return most;
}

bool isReadByWarpGroupProducts(LocalAllocOp alloc) {
  SmallVector<Value> views = {alloc.getResult()};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (user->getBlock() != alloc->getBlock())
        return false;
      if (isa<WarpGroupDotOp>(user))
        continue;
      const bool isInRegisters = isa<LocalLoadOp, tt::TransOp>(user);
      if (!isInRegisters && !isa<MemDescTransOp>(user))
        return false;
      views.push_back(user->getResult(0));
    }
  return true;
}

std::optional<SmallVector<LoopRings::Shape>> LoopRings::shapesOf(ArrayRef<RingGroup> groups) {
  SmallVector<Shape> shapes;
  for (const RingGroup &group : groups) {
    if (!group.lastWait || !group.isDescribed())
      return {};
    Shape shape{{}, group.stage, group.blocks(), group.isInFlight};
    for (const PipelinedLoad &each : group.loads)
      shape.types.push_back(LocalAllocOp(each.alloc).getType());
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

bool LoopRings::fits(scf::ForOp loop, ArrayRef<RingGroup> groups, unsigned asked) const {
  return end && stages == asked && end->getBlock() == loop->getBlock() &&
         end->isBeforeInBlock(loop) && shapes && shapes == shapesOf(groups);
}

BufferRings::BufferRings(StagedLoop &loop, ArrayRef<RingGroup> groups, unsigned warps,
                         unsigned threads, LoopRings &rings)
    : loop(loop), rings(rings), goesOn(rings.end), buffers(groups[0].buffers()) {
  SmallVector<Stage> stages = {Stage::ahead, Stage::main};
  if (llvm::any_of(groups, [](const RingGroup &group) { return group.stage == Stage::late; }))
    stages.push_back(Stage::late);
  if (!goesOn) {
    rings.shapes = LoopRings::shapesOf(groups);
    rings.distance = groups[0].distance;
    rings.areShort = groups[0].isShort;
  }
  rings.start = startOfLoop();
  rings.lower = loop.get().getLowerBound();
  rings.upper = loop.get().getUpperBound();
  loop.carryPositions(buffers, stages, rings.start);
  makeBarriers(groups, warps, threads);
  for (const RingGroup &group : groups)
    if (group.lastWait)
      useSharedBarriers(group);
    else
      useProgramBarrier(group);
  // All threads see barriers and rings as they are made.
  if (rings.barriers && !areInClusters && !goesOn) {
    OpBuilder b(begin());
    BarrierOp::create(b, loop.get().getLoc(), AddrSpace::Local);
  }
}

/// The first buffer, or the one after those that the loop before, or around, has used. The latter
/// then carries that.
RingPosition BufferRings::startOfLoop() {
  if (goesOn) {
    if (!rings.next)
      goOn();
    return *rings.next;
  }
  IRRewriter rewriter(loop.get()->getContext());
  rewriter.setInsertionPoint(begin());
  Value zero = constant(rewriter, loop.get().getLoc(), 0);
  if (!rings.around)
    return {zero, zero};
  const unsigned first = rings.around.getNumRegionIterArgs();
  rings.around = cast<scf::ForOp>(*rings.around.replaceWithAdditionalYields(
      rewriter, {zero, zero}, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
        return SmallVector<Value>(carried.begin(), carried.end()); // until there is the next one
      }));
  return {rings.around.getRegionIterArg(first), rings.around.getRegionIterArg(first + 1)};
}

Value BufferRings::numberBefore(OpBuilder &b, Location where, Value number) const {
  Value isFirst =
      arith::CmpIOp::create(b, where, arith::CmpIPredicate::eq, number, constant(b, where, 0));
  Value before = arith::SubIOp::create(b, where, number, constant(b, where, 1));
  return arith::SelectOp::create(b, where, isFirst, constant(b, where, buffers - 1), before);
}

/// After the last loop that has used the rings: its last buffers become free, and the position goes
/// on.
void BufferRings::goOn() {
  OpBuilder b(rings.end->getContext());
  b.setInsertionPointAfter(rings.end);
  Location where = rings.end->getLoc();
  RingPosition next = rings.main;
  unsigned empty = buffers;
  for (const LoopRings::Shape &shape : *rings.shapes) {
    const bool isLate = shape.stage == Stage::late;
    if (isLate || shape.isInFlight) {
      Value runs =
          arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, rings.lower, rings.upper);
      Value last = isLate ? rings.late.number : numberBefore(b, where, rings.main.number);
      shareAmong(ArriveBarrierOp::create(b, where, barrierAt(b, where, empty, last), 1u, runs,
                                         /*each_warp=*/true),
                 shape.blocks);
      if (isLate) { // what precedes a late stage has begun even if there are no iterations
        next.number = arith::SelectOp::create(b, where, runs, next.number, rings.start.number);
        next.parity = arith::SelectOp::create(b, where, runs, next.parity, rings.start.parity);
      }
    }
    empty += 2 * buffers;
  }
  rings.next = next;
}

/// Of a group's loads, in turn.
SmallVector<Value> BufferRings::ringsOf(const RingGroup &group) {
  OpBuilder b(begin());
  SmallVector<Value> own;
  for (const PipelinedLoad &each : group.loads) {
    if (!goesOn) {
      MemDescType type = LocalAllocOp(each.alloc).getType();
      SmallVector<int64_t> shape = {int64_t(group.buffers())};
      llvm::append_range(shape, type.getShape());
      auto ring = MemDescType::get(b.getContext(), shape, type.getElementType(), type.getLayout());
      rings.memory.push_back(
          LocalAllocOp::create(b, each.load->getLoc(), ring, Value(), /*ordered=*/true));
    }
    own.push_back(rings.memory[nextMemory++]);
  }
  return own;
}

/// Barriers for all groups that have some lie side by side.
void BufferRings::makeBarriers(ArrayRef<RingGroup> groups, unsigned warps, unsigned threads) {
  SmallVector<unsigned> arrivals;
  for (const RingGroup &group : groups)
    if (group.lastWait) {
      arrivals.append(group.buffers(), group.isDescribed() ? 1 : threads);
      arrivals.append(group.buffers(), warps * group.blocks());
      areInClusters |= group.blocks() > 1;
    }
  if (arrivals.empty() || goesOn)
    return;
  OpBuilder b(begin());
  Location where = loop.get().getLoc();
  rings.barriers =
      LocalAllocOp::create(b, where, barrierType(b.getContext(), {int64_t(arrivals.size()), 1}),
                           Value(), /*ordered=*/false);
  for (auto [i, count] : llvm::enumerate(arrivals))
    InitBarrierOp::create(b, where, barrierAt(b, where, i, constant(b, where, 0)), count);
  if (areInClusters)
    ClusterBarrierOp::create(b, where);
}

/// What is copied before the loop goes to buffers that nobody has read.
void BufferRings::dropFirstWaits() {
  SmallVector<WaitBarrierOp> first;
  for (Operation *index : rings.barriers.getUsers())
    for (Operation *user : index->getUsers()) {
      auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
      if (auto wait = dyn_cast<WaitBarrierOp>(user); wait && branch &&
                                                     branch->getBlock() == loop.get()->getBlock() &&
                                                     branch->isBeforeInBlock(loop.get()))
        first.push_back(wait);
    }
  for (WaitBarrierOp wait : first)
    wait.erase();
}

Value BufferRings::barrierAt(OpBuilder &b, Location where, unsigned first, Value number) {
  Value index = arith::AddIOp::create(b, where, number, constant(b, where, first));
  return MemDescIndexOp::create(b, where, barrierType(b.getContext(), {1}), rings.barriers, index);
}

/// Views of memory are made where it is read, not where it is written.
static void moveViewsBehind(Value memory, Operation *place) {
  for (Operation *user : memory.getUsers())
    if (isa<MemDescTransOp>(user)) {
      user->moveAfter(place);
      moveViewsBehind(user->getResult(0), user);
    }
}

void BufferRings::setStageOfViews(Operation *buffer, Value memory, Stage stage) {
  loop.setStage(buffer, stage);
  for (Operation *user : memory.getUsers())
    if (isa<MemDescTransOp>(user))
      setStageOfViews(user, user->getResult(0), stage);
}

/// Who reads the loads' memory reads buffers of the rings, those of the reading stage.
void BufferRings::readFromRings(OpBuilder &b, const RingGroup &group, ValueRange own) {
  Value number = loop.position(group.stage).number;
  for (auto [each, ring] : llvm::zip(group.loads, own)) {
    LocalAllocOp alloc = each.alloc;
    Value buffer = MemDescIndexOp::create(b, alloc.getLoc(), alloc.getType(), ring, number);
    moveViewsBehind(alloc.getResult(), buffer.getDefiningOp());
    setStageOfViews(buffer.getDefiningOp(), alloc.getResult(), group.stage);
    alloc.getResult().replaceAllUsesWith(buffer);
    // Who else wants the value reads it there, too.
    if (each.load->hasOneUse())
      continue;
    Value loaded = each.load->getResult(0);
    Value value = LocalLoadOp::create(b, each.load->getLoc(), loaded.getType(), buffer);
    loaded.replaceAllUsesExcept(value, alloc);
  }
}

/// The load's descriptor with the swizzle of memory of this type, and the blocks that share it.
Value BufferRings::describe(const PipelinedLoad &load, MemDescType type) {
  Operation *made = cast<tt::DescriptorLoadOp>(load.load).getDesc().getDefiningOp();
  auto number = IntegerType::get(made->getContext(), 32);
  auto swizzle = IntegerAttr::get(number, *swizzleOfBlocks(type));
  const unsigned blocks = blocksOf(load);
  for (Operation *op = made; op; op = op->getNextNode())
    if (op->getAttr(swizzleName) == swizzle && tt::blocksOf(op, tt::multicastName) == blocks &&
        OperationEquivalence::isEquivalentTo(
            op, made, OperationEquivalence::exactValueMatch, /*markEquivalent=*/nullptr,
            OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs))
      return op->getResult(0);
  OpBuilder b(made);
  b.setInsertionPointAfter(made);
  Operation *swizzled = b.clone(*made);
  swizzled->setAttr(swizzleName, swizzle);
  if (blocks > 1)
    swizzled->setAttr(tt::multicastName, IntegerAttr::get(number, blocks));
  return swizzled->getResult(0);
}

void BufferRings::copy(OpBuilder &b, const PipelinedLoad &each, Value ring, Value number,
                       Value barrier) {
  Location where = each.load->getLoc();
  MemDescType type = LocalAllocOp(each.alloc).getType();
  Value buffer = MemDescIndexOp::create(b, where, type, ring, number);
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(each.load))
    shareAmong(AsyncDescriptorLoadOp::create(b, where, describe(each, type), load.getIndices(),
                                             buffer, barrier),
               blocksOf(each));
  else if (auto load = dyn_cast<tt::LoadOp>(each.load)) {
    auto made =
        AsyncCopyOp::create(b, where, load.getPtr(), buffer, load.getMask(), load.getOther());
    if (load.getMask() && areZeros(load.getOther()))
      made->setAttr(copiesZerosName, b.getUnitAttr());
  }
}

/// Takes away the load that copies have replaced.
static void eraseLoad(const PipelinedLoad &each) {
  LocalAllocOp(each.alloc).erase();
  Operation *descriptor = nullptr;
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(each.load))
    descriptor = load.getDesc().getDefiningOp();
  each.load->erase();
  if (descriptor && descriptor->use_empty())
    descriptor->erase();
}

/// Whether the copies of distance - 1 iterations after this one have been started, which is whether
/// there are these iterations; null if nobody needs to know.
Value BufferRings::startedUntil(OpBuilder &b, const RingGroup &group) {
  if (!group.areCopiesCounted || group.distance == 1)
    return Value();
  Location where = loop.get().getLoc();
  Value iteration = loop.get().getInductionVar();
  Value later = arith::ConstantOp::create(
      b, where, b.getIntegerAttr(iteration.getType(), int64_t(group.distance) - 1));
  Value last = arith::SubIOp::create(b, where, loop.get().getUpperBound(), later);
  return arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, iteration, last);
}

/// Whether wgmma reads what the group's copies write, which then has to be handed to it.
static bool areReadByProducts(const RingGroup &group) {
  return llvm::any_of(group.loads, [](PipelinedLoad one) { return isReadByProducts(one.alloc); });
}

void BufferRings::useProgramBarrier(const RingGroup &group) {
  SmallVector<Value> own = ringsOf(group);
  Location where = loop.get().getLoc();
  OpBuilder b(group.firstReader);
  AsyncWaitOp::create(b, where, group.distance - 1, startedUntil(b, group));
  if (areReadByProducts(group))
    FenceAsyncSharedOp::create(b, where);
  BarrierOp::create(b, where, AddrSpace::Local);
  readFromRings(b, group, own);

  Operation *last = nullptr;
  Value number = loop.position(Stage::ahead).number;
  if (group.isInFlight && group.isShort) {
    const auto isEarlier = [](const PipelinedLoad &one, const PipelinedLoad &other) {
      return one.load->isBeforeInBlock(other.load);
    };
    b.setInsertionPoint(llvm::min_element(group.loads, isEarlier)->load);
    loop.setRank(BarrierOp::create(b, where, AddrSpace::Local), StagedLoop::copiesRank);
  }
  for (auto [each, ring] : llvm::zip(group.loads, own)) {
    b.setInsertionPoint(each.load);
    Operation *before = each.load->getPrevNode();
    copy(b, each, ring, number, Value());
    for (Operation *op = before ? before->getNextNode() : &each.load->getBlock()->front();
         op != each.load; op = op->getNextNode()) {
      loop.setStage(op, Stage::ahead);
      loop.setRank(op, StagedLoop::copiesRank);
    }
    if (!last || last->isBeforeInBlock(each.load->getPrevNode()))
      last = each.load->getPrevNode();
    eraseLoad(each);
  }
  b.setInsertionPointAfter(last);
  Operation *commit = AsyncCommitGroupOp::create(b, where);
  loop.setStage(commit, Stage::ahead);
  loop.setRank(commit, StagedLoop::copiesRank);
  copiesGoOn = true;
}

void BufferRings::useSharedBarriers(const RingGroup &group) {
  SmallVector<Value> own = ringsOf(group);
  const unsigned full = nextBarrier, empty = full + group.buffers();
  nextBarrier += 2 * group.buffers();
  Location where = group.loads[0].load->getLoc();

  // Readers wait.
  OpBuilder b(group.firstReader);
  // Late readers follow what has been computed for them: they wait where that ends.
  RingPosition read = loop.position(Stage::main);
  Operation *before = group.firstReader->getPrevNode();
  Operation *wait = WaitBarrierOp::create(b, where, barrierAt(b, where, full, read.number),
                                          read.parity, Value(), /*one_warp=*/false);
  for (Operation *op = wait; op != before; op = op->getPrevNode())
    loop.setRank(op, group.waitsRank);
  if (!group.isDescribed() && areReadByProducts(group))
    FenceAsyncSharedOp::create(b, where);
  readFromRings(b, group, own);

  // They have read.
  b.setInsertionPointAfter(group.lastWait);
  Value number = loop.position(group.stage).number, condition;
  if (group.isInFlight) { // the buffer of the iteration before, if there was one
    Value iteration = loop.get().getInductionVar();
    Value zero = arith::ConstantOp::create(b, where, b.getZeroAttr(iteration.getType()));
    condition = arith::CmpIOp::create(b, where, arith::CmpIPredicate::ne, iteration, zero);
    number = numberBefore(b, where, number);
  }
  Operation *release =
      ArriveBarrierOp::create(b, where, barrierAt(b, where, empty, number), 1u, condition,
                              /*each_warp=*/true);
  shareAmong(release, group.blocks());
  for (Operation *op = group.lastWait->getNextNode();; op = op->getNextNode()) {
    loop.setStage(op, group.stage);
    loop.setRank(op, group.releasesRank);
    if (op == release)
      break;
  }

  // The next ones are copied when that is so: in the end all in one place, so that one condition is
  // enough.
  Operation *lastLoad = group.loads[0].load;
  for (const PipelinedLoad &each : group.loads)
    if (lastLoad->isBeforeInBlock(each.load))
      lastLoad = each.load;
  b.setInsertionPointAfter(lastLoad);
  RingPosition written = loop.position(Stage::ahead);
  Value always = arith::ConstantIntOp::create(b, where, 1, 1);
  auto branch = scf::IfOp::create(b, where, always, /*withElseRegion=*/false);
  for (Operation *op : {always.getDefiningOp(), branch.getOperation()}) {
    loop.setStage(op, Stage::ahead);
    loop.setRank(op, StagedLoop::copiesRank);
  }
  b.setInsertionPointToStart(branch.thenBlock());
  Value turn = arith::XOrIOp::create(b, where, written.parity, constant(b, where, 1));
  const bool isDescribed = group.isDescribed();
  WaitBarrierOp::create(b, where, barrierAt(b, where, empty, written.number), turn, Value(),
                        /*one_warp=*/isDescribed);
  Value filled = barrierAt(b, where, full, written.number);
  if (isDescribed)
    BarrierExpectOp::create(b, where, filled, unsigned(bytesOf(group)));
  for (auto [each, ring] : llvm::zip(group.loads, own))
    copy(b, each, ring, written.number, filled);
  if (!isDescribed)
    AsyncCopyArriveOp::create(b, where, filled);
  for (const PipelinedLoad &each : group.loads)
    eraseLoad(each);
}

Operation *BufferRings::withCondition(RewriterBase &rewriter, Operation *op, Value condition) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto both = [&](Value other) -> Value {
    return other ? arith::AndIOp::create(rewriter, op->getLoc(), condition, other).getResult()
                 : condition;
  };
  auto restrict = [&](Value pointers, MutableOperandRange masks) {
    Value mask = condition;
    if (auto tensor = dyn_cast<RankedTensorType>(pointers.getType()))
      mask = tt::SplatOp::create(rewriter, op->getLoc(), tensor.clone(rewriter.getI1Type()), mask);
    if (!masks.empty())
      mask = arith::AndIOp::create(rewriter, op->getLoc(), mask, masks[0].get());
    masks.assign(mask);
  };
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    restrict(copy.getSrc(), copy.getMaskMutable());
  } else if (auto load = dyn_cast<tt::LoadOp>(op)) {
    restrict(load.getPtr(), load.getMaskMutable());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    branch.getConditionMutable().assign(both(branch.getCondition()));
  } else if (auto wait = dyn_cast<WaitBarrierOp>(op)) {
    wait.getConditionMutable().assign(both(wait.getCondition()));
  } else if (auto arrive = dyn_cast<ArriveBarrierOp>(op)) {
    arrive.getConditionMutable().assign(both(arrive.getCondition()));
  }
  return op; // what is left computes something nobody uses, or commits an empty group
}

void BufferRings::finish(OpBuilder &b) {
  Location where = loop.get().getLoc();
  rings.end = &*std::prev(b.getInsertionPoint());
  rings.main = loop.positionAfter(Stage::main);
  if (rings.shapes && llvm::any_of(*rings.shapes, [](const LoopRings::Shape &shape) {
        return shape.stage == Stage::late;
      }))
    rings.late = loop.positionAfter(Stage::late);
  rings.next.reset();
  if (!goesOn)
    rings.first = loop.get();
  if (rings.barriers && !rings.around && !goesOn)
    dropFirstWaits();
  Operation *last = rings.end; // of all that use the rings
  if (rings.around) {
    goOn();
    Operation *yield = rings.around.getBody()->getTerminator();
    const unsigned first = yield->getNumOperands() - 2;
    yield->setOperands(first, 2, {rings.next->number, rings.next->parity});
    last = rings.around;
  }
  if (goesOn) {
    for (Operation *op : llvm::reverse(rings.endsOfLife))
      op->moveAfter(last);
    return;
  }
  b.setInsertionPointAfter(last);
  if (copiesGoOn)
    AsyncWaitOp::create(b, where, 0u, Value());
  if (areInClusters)
    ClusterBarrierOp::create(b, where);
  if (rings.barriers) {
    for (unsigned i = 0; i < nextBarrier; ++i)
      InvalBarrierOp::create(b, where, barrierAt(b, where, i, constant(b, where, 0)));
    LocalDeallocOp::create(b, where, rings.barriers);
  }
  for (Value ring : rings.memory)
    LocalDeallocOp::create(b, where, ring);
  for (Operation *op = last->getNextNode(); op != &*b.getInsertionPoint(); op = op->getNextNode())
    rings.endsOfLife.push_back(op);
}

bool stayValid(LocalAllocOp barriers) {
  return llvm::none_of(barriers->getUsers(), [](Operation *index) {
    return llvm::any_of(index->getUsers(), llvm::IsaPred<InvalBarrierOp>);
  });
}

bool areBarriers(LocalAllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), [](Operation *index) {
    return llvm::any_of(index->getUsers(), llvm::IsaPred<InitBarrierOp>);
  });
}

void keepLastBarriers(ModuleOp module) {
  for (auto kernel : module.getOps<tt::FuncOp>()) {
    if (!kernel.isPublic() || !kernel.getBody().hasOneBlock())
      continue;
    LocalAllocOp last;
    kernel.walk([&](LocalAllocOp alloc) {
      if (areBarriers(alloc))
        last = alloc;
    });
    Block &entry = kernel.getBody().front();
    if (!last || last->getBlock() != &entry)
      continue;
    SmallVector<Operation *> ends, indices;
    for (Operation *user : last->getUsers())
      if (isa<LocalDeallocOp>(user))
        user->moveBefore(entry.getTerminator());
      else
        for (Operation *through : user->getUsers())
          if (isa<InvalBarrierOp>(through)) {
            ends.push_back(through);
            indices.push_back(user);
          }
    for (Operation *end : ends)
      end->erase();
    for (Operation *index : indices) {
      if (!isOpTriviallyDead(index))
        continue;
      Operation *number = index->getOperand(1).getDefiningOp();
      index->erase();
      if (number && isOpTriviallyDead(number))
        number->erase();
    }
  }
}

} // namespace tl::ttg
