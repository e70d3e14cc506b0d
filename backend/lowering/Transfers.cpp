// SPDX-License-Identifier: MIT
//
// Copies that go on by themselves. Each thread's own copies go in groups, and a thread sees only
// its own when it has waited: the barrier that others need comes from the plan (SharedMemory.h),
// which takes a wait for a write. Boxes are started by one thread and counted by a barrier in
// shared memory; whoever waits there sees them, so no other barrier is needed.
#include "dialect/Transfers.h"
#include "dialect/GpuTarget.h"
#include "dialect/Hints.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"
#include "lowering/Access.h"
#include "lowering/SharedTensors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

void finishCopies(KernelLowering &kernel) {
  if (kernel.shared.isDivergent())
    return; // a function of scalars
  for (const auto &store : std::exchange(kernel.locals->loaded, {}))
    store();
}

namespace {

/// How a copy goes.
struct CopyWay {
  RegisterGroups neighbours; // in global memory, under one mask
  RegisterGroups groups;     // that one access moves
  bool isCopied = false;     // by the hardware; else loaded and stored
  bool isInLaneOrder = false;
};

/// As wide as neighbours lie together on both sides.
CopyWay wayOf(KernelLowering &kernel, ttg::AsyncCopyOp op) {
  const auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  const LinearLayout &layout = ttg::layoutOf(op.getSrc().getType());
  const LinearLayout &memory = type.getLayout().getMap();
  const unsigned bytes = memoryBytes(type.getElementType());
  const RegisterGroups neighbours = groupsOf(kernel, op.getSrc(), op.getMask());
  CopyWay way{neighbours, neighbours};
  llvm::SmallVector<unsigned> &bits = way.groups.bits;
  const SharedAccess shared = sharedAccess(layout, memory, bytes);
  while (bits.size() > shared.registerBits.size())
    bits.pop_back();
  for (unsigned i = 0; i < bits.size(); ++i)
    if (bits[i] != shared.registerBits[i])
      bits.truncate(i);
  while (way.groups.width() * bytes > 16)
    bits.pop_back();
  const unsigned width = way.groups.width();
  if (const GpuAsyncCopies *copies = kernel.target.asyncCopies)
    way.isCopied = copies->canCopy(width * bytes);
  else if (const GpuLaneCopies *lanes = kernel.target.laneCopies)
    way.isInLaneOrder = way.isCopied =
        lanes->canCopy(width * bytes) && isInLaneOrder(layout, memory, width);
  return way;
}

/// Whether lanes that are masked copy zeros: then warps make a copy whatever their masks are. For a
/// copy that is masked as a whole because it comes before the loop's beginning or after its end,
/// making none costs less.
bool copiesZeros(const CopyWay &way, ttg::AsyncCopyOp op) {
  return way.isInLaneOrder && op->hasAttr(ttg::copiesZerosName);
}

/// Where they are copied from, as many as one copy brings.
llvm::Constant *zerosInMemory(KernelLowering &kernel) {
  constexpr const char *name = ".zeros"; // which no kernel is called
  constexpr unsigned globalMemory = 1, bytes = 16;
  llvm::GlobalVariable *zeros = kernel.module.getNamedGlobal(name);
  if (!zeros) {
    auto *type = llvm::ArrayType::get(kernel.builder.getInt8Ty(), bytes);
    zeros = new llvm::GlobalVariable(kernel.module, type, true, llvm::GlobalValue::InternalLinkage,
                                     llvm::Constant::getNullValue(type), name, nullptr,
                                     llvm::GlobalValue::NotThreadLocal, globalMemory);
    zeros->setAlignment(llvm::Align(bytes));
  }
  return llvm::ConstantExpr::getAddrSpaceCast(zeros, kernel.builder.getPtrTy());
}

/// The fewest copies that a group of the kernel has, of those that are counted: in lane order, and
/// a warp makes them whatever its masks are, or they belong to an iteration that the loop has, as a
/// whole. Those of the latter kind are made if `areStarted`.
unsigned fewestCopies(KernelLowering &kernel, bool areStarted) {
  auto &known = kernel.locals->fewestCopies[areStarted];
  if (known)
    return *known;
  unsigned fewest = ~0u;
  kernel.function.walk([&](ttg::AsyncCommitGroupOp commit) {
    unsigned copies = 0;
    for (mlir::Operation *op = commit->getPrevNode(); op && !mlir::isa<ttg::AsyncCommitGroupOp>(op);
         op = op->getPrevNode()) {
      auto copy = mlir::dyn_cast<ttg::AsyncCopyOp>(op);
      if (!copy)
        continue;
      const CopyWay way = wayOf(kernel, copy);
      if (copy.getMask() && !copiesZeros(way, copy) &&
          !(areStarted && copy.getMask().getDefiningOp<tt::SplatOp>()))
        continue;
      const LinearLayout &layout = ttg::layoutOf(copy.getSrc().getType());
      for (unsigned reg = 0; way.isInLaneOrder && reg < 1u << layout.inBits("register"); ++reg)
        copies += way.groups.isFirst(reg) && !isCopy(layout, reg);
    }
    fewest = std::min(fewest, copies);
  });
  known = fewest == ~0u ? 0 : fewest;
  return *known;
}

/// What no copy can do is loaded and stored; and copies in lane order leave it to the threads to
/// write what is there instead of elements that are masked, unless they copy zeros.
void emitAsyncCopy(KernelLowering &kernel, ttg::AsyncCopyOp op) {
  auto &b = kernel.builder;
  orderAccess(kernel, op.getSrc(), false);
  auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  mlir::Type element = type.getElementType();
  unsigned bytes = memoryBytes(element);
  const LinearLayout &layout = ttg::layoutOf(op.getSrc().getType());
  LinearLayout offsets = sharedOffsets(layout, type.getLayout().getMap());
  LocalTensor memory = kernel.locals->tensors.lookup(op.getDst());
  if (!memory.ordered)
    kernel.shared.mark(SharedEventKind::Start, memory.scratch);

  const Values pointers = kernel.get(op.getSrc());
  const Values masks = kernel.getOptional(op.getMask());
  const Values others = kernel.getOptional(op.getOther());
  const CopyWay way = wayOf(kernel, op);
  const RegisterGroups &global = way.groups;
  const llvm::Align alignment(uint64_t(bytes) * global.width());
  llvm::Type *unit = b.getIntNTy(bytes * 8);
  auto joined = [&b, unit](llvm::ArrayRef<Value *> elements) {
    if (elements.size() == 1)
      return elements[0];
    Value *vector =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(unit, unsigned(elements.size())));
    for (unsigned i = 0; i < elements.size(); ++i)
      vector = b.CreateInsertElement(vector, elements[i], uint64_t(i));
    return vector;
  };
  Value *holder = kernel.threads.isFirstHolder(layout);
  const bool fillsByCopies = copiesZeros(way, op);
  const bool putsOff = !way.isCopied && !holder && !kernel.target.asyncCopies;
  llvm::SmallVector<std::pair<Value *, GlobalAccess>> copied;                      // in lane order
  llvm::MapVector<Value *, llvm::SmallVector<std::pair<Value *, Value *>>> masked; // by predicate
  kernel.emitIf(holder, [&] {
    for (unsigned first = 0; first < pointers.size(); ++first) {
      if (!global.isFirst(first) || isCopy(layout, first))
        continue;
      GlobalAccess access;
      // Neighbours that other accesses move lie at a known distance.
      const auto [leader, distance] = way.neighbours.positionOf(first);
      access.pointer = pointers[leader];
      if (distance)
        access.pointer = b.CreateConstGEP1_64(unit, access.pointer, distance);
      access.elementBytes = bytes;
      access.elements = global.width();
      access.predicate = predicateOf(masks, leader);
      Value *begin = kernel.shared.pointer(memory.scratch.begin, memory.moved);
      Value *to = b.CreateGEP(unit, begin, kernel.threads.coordinate(offsets, first, "offset"));
      Values fill;
      bool zeros = true;
      if (access.predicate && !others.empty())
        for (unsigned i = 0; i < access.elements; ++i) {
          fill.push_back(kernel.toMemory(others[global.registerOf(first, i)], element));
          auto *constant = llvm::dyn_cast<llvm::Constant>(fill.back());
          zeros &= constant && constant->isNullValue();
        }
      if (zeros)
        fill.clear();
      if (way.isInLaneOrder) {
        Value *offset = kernel.threads.coordinateOfWarp(offsets, first, "offset");
        if (fillsByCopies && access.predicate) {
          access.pointer = b.CreateSelect(access.predicate, access.pointer, zerosInMemory(kernel));
          access.predicate = nullptr;
        }
        copied.push_back({b.CreateGEP(unit, begin, offset), access});
        if (access.predicate)
          masked[access.predicate].push_back(
              {to, joined(fill.empty() ? Values(access.elements, llvm::Constant::getNullValue(unit))
                                       : fill)});
        continue;
      }
      if (way.isCopied && fill.empty()) {
        kernel.target.asyncCopies->copy(b, to, access);
        continue;
      }
      Value *vector = joined(kernel.target.memory.load(b, access, fill));
      auto store = [&b, vector, to, alignment] { b.CreateAlignedStore(vector, to, alignment); };
      if (putsOff)
        kernel.locals->loaded.push_back(store);
      else
        store();
    }
    // One after the other: copies of one predicate are made under one branch.
    for (const auto &[to, access] : copied)
      kernel.target.laneCopies->copy(b, to, access);
    for (const auto &[predicate, stores] : masked)
      kernel.emitIf(b.CreateNot(predicate), [&, &stores = stores] {
        for (auto [to, value] : stores)
          b.CreateAlignedStore(value, to, alignment);
      });
  });
}

void emitCommit(KernelLowering &kernel, ttg::AsyncCommitGroupOp) {
  if (kernel.target.asyncCopies)
    kernel.target.asyncCopies->commit(kernel.builder);
}

void emitWait(KernelLowering &kernel, ttg::AsyncWaitOp op) {
  finishCopies(kernel);
  const unsigned groups = op.getNum();
  if (const GpuAsyncCopies *copies = kernel.target.asyncCopies) {
    copies->wait(kernel.builder, groups);
  } else if (const GpuLaneCopies *lanes = kernel.target.laneCopies) {
    Value *areStarted = op.getCondition() ? kernel.scalar(op.getCondition()) : nullptr;
    const unsigned some = groups * fewestCopies(kernel, false),
                   all = groups * fewestCopies(kernel, areStarted != nullptr);
    if (all == some)
      areStarted = nullptr;
    kernel.emitIf(areStarted, [&] { lanes->wait(kernel.builder, all); });
    if (areStarted)
      kernel.emitIf(kernel.builder.CreateNot(areStarted),
                    [&] { lanes->wait(kernel.builder, some); });
  }
  SharedEvent event{SharedEventKind::Wait};
  event.remaining = op.getNum();
  kernel.shared.mark(event);
}

// ---- Barriers in shared memory

const GpuSharedBarriers &barriersOf(KernelLowering &kernel, mlir::Operation *op) {
  if (!kernel.target.sharedBarriers || !kernel.target.tensorCopies)
    kernel.unsupported(op, "has no barriers in shared memory and no copies of boxes");
  return *kernel.target.sharedBarriers;
}

const GpuTensorCopies &tensorCopiesOf(KernelLowering &kernel, mlir::Operation *op) {
  barriersOf(kernel, op);
  return *kernel.target.tensorCopies;
}

const GpuClusters &clustersOf(KernelLowering &kernel, mlir::Operation *op) {
  if (!kernel.target.clusters)
    kernel.unsupported(op, "has no clusters of blocks");
  return *kernel.target.clusters;
}

Scratch scratchOf(KernelLowering &kernel, mlir::Value memory) {
  return kernel.locals->tensors.lookup(memory).scratch;
}

Value *pointerTo(KernelLowering &kernel, mlir::Value memory) {
  LocalTensor local = kernel.locals->tensors.lookup(memory);
  return kernel.shared.pointer(local.scratch.begin, local.moved);
}

void byFirstThread(KernelLowering &kernel, llvm::function_ref<void()> body) {
  kernel.emitIf(kernel.threads.isFirstThread(), body);
}

/// The operation of this kind that comes next, or before, with nothing but pure ones between them.
template <class Op> Op neighbour(Op op, bool isNext) {
  mlir::Operation *other = op;
  do
    other = isNext ? other->getNextNode() : other->getPrevNode();
  while (other && mlir::isPure(other));
  return llvm::dyn_cast_if_present<Op>(other);
}

/// Neighbours make, or end, barriers of one array in one branch, with one address: `body` gets the
/// operation and its barrier. `finish` comes after the last of all neighbours.
template <class Op>
void emitWithNeighbours(KernelLowering &kernel, Op op, llvm::function_ref<void(Op, Value *)> body,
                        llvm::function_ref<void()> finish) {
  auto arrayOf = [](Op one) {
    auto index = one.getBarrier().template getDefiningOp<ttg::MemDescIndexOp>();
    return index ? index.getSrc() : one.getBarrier();
  };
  auto isWith = [&](Op other) { return other && arrayOf(other) == arrayOf(op); };
  const Op next = neighbour(op, /*isNext=*/true);
  if (isWith(next))
    return;
  llvm::SmallVector<Op> all = {op};
  while (isWith(neighbour(all.back(), /*isNext=*/false)))
    all.push_back(neighbour(all.back(), /*isNext=*/false));
  for (Op one : all)
    kernel.shared.writes(scratchOf(kernel, one.getBarrier()));
  auto &b = kernel.builder;
  const uint64_t begin = scratchOf(kernel, all.back().getBarrier()).begin; // the first one's
  kernel.emitInFirstThread(kernel.shared.pointer(begin), [&](Value *first) {
    for (Op one : llvm::reverse(all)) {
      const LocalTensor barrier = kernel.locals->tensors.lookup(one.getBarrier());
      Value *address = b.CreateConstGEP1_64(b.getInt8Ty(), first, barrier.scratch.begin - begin);
      body(one, barrier.moved ? b.CreateGEP(b.getInt8Ty(), address, barrier.moved) : address);
    }
    if (!next)
      finish();
  });
}

void emitInit(KernelLowering &kernel, ttg::InitBarrierOp op) {
  const GpuSharedBarriers &barriers = barriersOf(kernel, op);
  auto &b = kernel.builder;
  emitWithNeighbours<ttg::InitBarrierOp>(
      kernel, op,
      [&](ttg::InitBarrierOp one, Value *barrier) { barriers.init(b, barrier, one.getCount()); },
      [&] { barriers.publish(b); });
}

void emitInvalidate(KernelLowering &kernel, ttg::InvalBarrierOp op) {
  const GpuSharedBarriers &barriers = barriersOf(kernel, op);
  emitWithNeighbours<ttg::InvalBarrierOp>(
      kernel, op,
      [&](ttg::InvalBarrierOp, Value *barrier) { barriers.invalidate(kernel.builder, barrier); },
      [] {});
}

void emitExpect(KernelLowering &kernel, ttg::BarrierExpectOp op) {
  const GpuSharedBarriers &barriers = barriersOf(kernel, op);
  kernel.shared.reads(scratchOf(kernel, op.getBarrier()));
  kernel.emitInFirstThread(pointerTo(kernel, op.getBarrier()), [&](Value *barrier) {
    barriers.expect(kernel.builder, barrier, op.getBytes());
  });
}

/// Emits the body under the condition, if there is one. All threads see it alike.
void ifHolds(KernelLowering &kernel, mlir::Value condition, llvm::function_ref<void()> body) {
  kernel.emitIf(condition ? kernel.scalar(condition) : nullptr, body);
}

void emitArrive(KernelLowering &kernel, ttg::ArriveBarrierOp op) {
  auto &b = kernel.builder;
  const GpuSharedBarriers &barriers = barriersOf(kernel, op);
  auto arrive = [&] { barriers.arrive(b, pointerTo(kernel, op.getBarrier()), op.getCount()); };
  if (!op.getEachWarp()) {
    kernel.shared.barrier(); // all threads have come this far
    ifHolds(kernel, op.getCondition(), [&] { byFirstThread(kernel, arrive); });
    return;
  }
  kernel.shared.reads(scratchOf(kernel, op.getBarrier()));
  kernel.target.threads.warpBarrier(b);
  const unsigned blocks = tt::blocksOf(op, tt::multicastName);
  Value *arrives = b.CreateICmpULT(kernel.threads.lane, kernel.i32(blocks));
  if (op.getCondition())
    arrives = b.CreateAnd(arrives, kernel.scalar(op.getCondition()));
  if (blocks == 1)
    kernel.emitIf(arrives, arrive);
  else
    kernel.emitIf(arrives, [&] {
      clustersOf(kernel, op).arrive(b, pointerTo(kernel, op.getBarrier()), kernel.threads.lane);
    });
}

/// For the plan it is a barrier of the program.
void emitClusterBarrier(KernelLowering &kernel, ttg::ClusterBarrierOp op) {
  const GpuClusters &clusters = clustersOf(kernel, op);
  kernel.shared.mark({SharedEventKind::Barrier});
  clusters.barrier(kernel.builder);
}

void emitCopyArrive(KernelLowering &kernel, ttg::AsyncCopyArriveOp op) {
  barriersOf(kernel, op);
  kernel.shared.reads(scratchOf(kernel, op.getBarrier()));
  kernel.target.asyncCopies->arrive(kernel.builder, pointerTo(kernel, op.getBarrier()));
}

void emitWaitBarrier(KernelLowering &kernel, ttg::WaitBarrierOp op) {
  auto &b = kernel.builder;
  const GpuSharedBarriers &barriers = barriersOf(kernel, op);
  Scratch barrier = scratchOf(kernel, op.getBarrier());
  kernel.shared.reads(barrier);
  auto wait = [&] {
    barriers.wait(b, pointerTo(kernel, op.getBarrier()), kernel.scalar(op.getPhase()));
  };
  ifHolds(kernel, op.getCondition(), [&] {
    // By a whole warp, so that its lanes stay together: reconverge() says what happens otherwise.
    if (op.getOneWarp())
      kernel.emitIf(b.CreateICmpEQ(kernel.threads.warp, kernel.i32(0)), wait);
    else
      wait();
  });
  for (unsigned buffer : kernel.locals->arriving[barrier.buffer()]) {
    SharedEvent event{SharedEventKind::Arrive};
    event.buffer = buffer;
    kernel.shared.mark(event);
  }
}

// ---- Tensor copies

Values reversed(KernelLowering &kernel, mlir::ValueRange coordinates) {
  Values values;
  for (mlir::Value coordinate : llvm::reverse(coordinates))
    values.push_back(kernel.scalar(coordinate));
  return values;
}

void emitTensorLoad(KernelLowering &kernel, ttg::TmaLoadOp op) {
  const GpuTensorCopies &copies = tensorCopiesOf(kernel, op);
  Scratch memory = scratchOf(kernel, op.getDst()), barrier = scratchOf(kernel, op.getBarrier());
  kernel.locals->arriving[barrier.buffer()].insert(memory.buffer());
  // What was read or written there before is done, for TMA too.
  copies.order(kernel.builder, true);
  kernel.shared.reads(barrier);
  kernel.shared.mark(SharedEventKind::Start, memory);
  byFirstThread(kernel, [&] {
    Values coordinates = reversed(kernel, op.getCoordinates());
    Value *to = pointerTo(kernel, op.getDst());
    copies.load(kernel.builder, to, kernel.scalar(op.getMap()), coordinates,
                pointerTo(kernel, op.getBarrier()));
  });
}

template <class Op>
void storeTensor(KernelLowering &kernel, Op op, std::optional<tt::DescriptorReduceKind> kind) {
  const GpuTensorCopies &copies = tensorCopiesOf(kernel, op);
  Scratch memory = scratchOf(kernel, op.getSrc());
  copies.order(kernel.builder, true);
  kernel.shared.reads(memory);
  kernel.locals->leaving.insert(memory.buffer());
  byFirstThread(kernel, [&] {
    Values coordinates = reversed(kernel, op.getCoordinates());
    copies.store(kernel.builder, kernel.scalar(op.getMap()), coordinates,
                 pointerTo(kernel, op.getSrc()), kind);
  });
}

void emitTensorStore(KernelLowering &kernel, ttg::TmaStoreOp op) {
  storeTensor(kernel, op, std::nullopt);
}

void emitTensorReduce(KernelLowering &kernel, ttg::TmaReduceOp op) {
  storeTensor(kernel, op, op.getKind());
}

void emitTensorStoreWait(KernelLowering &kernel, ttg::TmaStoreWaitOp op) {
  // Threads that did not start copies have none to wait for.
  tensorCopiesOf(kernel, op).waitForStores(kernel.builder, op.getNum(), false);
  for (unsigned buffer : kernel.locals->leaving)
    kernel.shared.reads(kernel.shared.whole(buffer));
}

} // namespace

void registerTransfers(OperationTable &table) {
  table.add<emitArrive>();
  table.add<emitAsyncCopy>();
  table.add<emitClusterBarrier>();
  table.add<emitCommit>();
  table.add<emitCopyArrive>();
  table.add<emitExpect>();
  table.add<emitInit>();
  table.add<emitInvalidate>();
  table.add<emitTensorLoad>();
  table.add<emitTensorReduce>();
  table.add<emitTensorStore>();
  table.add<emitTensorStoreWait>();
  table.add<emitWait>();
  table.add<emitWaitBarrier>();
}

} // namespace tl::backend
