// SPDX-License-Identifier: MIT
//
// The copies that TMA makes are started by warps of their own, *producers*.
//
//     before                              after
//     ring = local_alloc                  ring = local_alloc
//     init_barrier ...                    init_barrier ...
//     for i                               join_warps
//       if i + distance < n               producer_warps {
//         wait until a buffer is free       for i
//         copy into it                        if i + distance < n
//       wait until the copies are there         wait until a buffer is free
//       products                                copy into it
//                                         }
//                                         for i
//                                           wait until the copies are there
//                                           products
//
// What is gained: a thread that multiplies waits for no other group of warps before it can start
// copies, so that groups drift apart as far as the ring reaches; and registers, which the producers
// give back: a block of two groups has 240 in each of their threads, and the producers 24.
//
// Why it is right. Copies, and the waits before them, are ordered against products by the ring's
// barriers in shared memory alone (BufferRings.h), whichever thread makes them; copies are made by
// one thread, before and after, and the waits by its warp, whose lanes stay together. The producer
// goes through the kernel's loops and branches that contain copies, with the same bounds and
// conditions: these, and what the copies' addresses follow from, are computed again, from scalars
// and from memory that the kernel does not write; nor does it write what is copied. Barriers are
// initialised by the program's threads, after which all join: those of the first loop before the
// producers part from the others, unless what comes before the loop orders what is read after it;
// else, and before further loops, where the barriers are initialised. The first products of another
// loop with rings in the same memory come after those of the loop before, and its copies after the
// joining. Where loops share rings, or the iterations of a loop around do (BufferRings.h), all join
// once, before them, and the producer goes on from loop to loop, or from tile to tile, without the
// others. A checked assertion that fails ends the producer where it ends the others.
#include "analysis/MemoryOrder.h"
#include "dialect/Dialect.h"
#include "dialect/Hints.h"
#include "dialect/ProducerWarps.h"
#include "dialect/Transfers.h"
#include "layout/Queries.h"
#include "passes/BufferRings.h"
#include "passes/GpuPasses.h"
#include "passes/LoopProducts.h"
#include "passes/ProducerSlice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "passes/GpuPasses.h.inc"

namespace {

class Specializer {
public:
  Specializer(tt::FuncOp kernel, GpuAttr gpu) : kernel(kernel), gpu(gpu) {}

  void run() {
    if (!isAllowed() || !isWorthIt())
      return;
    addJoins();
    ProducerSlice slice(kernel);
    if (!slice.collect() || !shareMemory()) {
      for (JoinWarpsOp join : joins)
        join.erase();
      return;
    }
    for (Operation *meeting : meetings) // where all warps meet now
      meeting->erase();
    if (!first.empty())
      joinFirst(slice);
    makeProducers(slice);
    leaveCopies();
  }

private:
  bool isAllowed() {
    bool copies = false, others = false;
    kernel.walk([&](Operation *op) {
      copies |= isa<AsyncDescriptorLoadOp>(op);
      // Where any thread may end the kernel, and where more than the program would wait.
      others |= isa<tt::GridBarrierOp, scf::WhileOp>(op) ||
                (isa<tt::AssertOp>(op) && isa<RankedTensorType>(op->getOperand(0).getType()));
    });
    return copies && !others && !writesWhatIsCopied() && registersBesideProducers(gpu) &&
           kernel.getBody().hasOneBlock();
  }

  /// Parameters whose memory is copied; null: any.
  llvm::SetVector<Value> copied() {
    llvm::SetVector<Value> parameters;
    kernel.walk([&](AsyncDescriptorLoadOp load) {
      auto made = load.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
      parameters.insert(made ? ownParameterOf(made.getBase()) : Value());
    });
    return parameters;
  }

  /// The copies follow nothing that threads of the program have written.
  bool writesWhatIsCopied() {
    bool writes = false;
    const auto parameters = copied();
    kernel.getBody().walk([&](Operation *op) {
      writes |= llvm::any_of(parameters, [&](Value parameter) { return mayWrite(op, parameter); });
    });
    return writes;
  }

  /// Where it is asked for, be it by a loop over tiles that is to go on without a pause, and where
  /// groups of warps have much to compute beside their products, which is so if a loop has several,
  /// and a multiprocessor has no second program that would multiply meanwhile; but never if the
  /// results of the products would not fit in the registers beside producers.
  bool isWorthIt() {
    constexpr unsigned otherRegisters = 32; // of a thread: weights take the place of scores
    const ProducerRegisters all = *registersBesideProducers(gpu);
    bool isAsked = false, hasChain = false, fits = true;
    kernel.walk([&](scf::ForOp loop) {
      isAsked |=
          tt::isSet(loop, tt::warpSpecializeName) ||
          (tt::isSet(loop, tt::flattenName) && !loop.getBody()->getOps<scf::ForOp>().empty());
      auto dots = llvm::to_vector(loop.getBody()->getOps<WarpGroupDotOp>());
      unsigned results = 0;
      for (WarpGroupDotOp dot : dots) {
        results += registersOf(dot.getType());
        // The assembler takes no instruction that the registers of the beginning are too few for.
        fits &= registersOf(dot.getType()) + otherRegisters <= all.atFirst;
      }
      hasChain |= dots.size() > 1;
      fits &= results + otherRegisters <= all.others;
    });
    return fits && (isAsked || (hasChain && isAlone()));
  }

  /// Whether a multiprocessor has no second program: no memory for it, or a thread of two programs
  /// would have no registers beside what a product's results take.
  bool isAlone() {
    constexpr unsigned fewest = 64;
    if (leavesRegisters(gpu))
      return false;
    const auto rings = ringsOf();
    return (rings && 2 * rings->bytes > gpu.getSharedBytes()) ||
           registersOfTwoPrograms(gpu) <= fewest;
  }

  /// Behind barriers that are initialised.
  void addJoins() {
    SmallVector<InitBarrierOp> last;
    kernel.walk([&](InitBarrierOp init) {
      for (Operation *op = init->getNextNode(); op; op = op->getNextNode())
        if (auto other = dyn_cast<InitBarrierOp>(op);
            other && memoryOf(other.getBarrier()) == memoryOf(init.getBarrier()))
          return;
      last.push_back(init);
    });
    for (InitBarrierOp init : last) {
      OpBuilder b(init);
      b.setInsertionPointAfter(init);
      joins.push_back(JoinWarpsOp::create(b, init.getLoc()));
      Operation *next = joins.back()->getNextNode();
      while (isa<LocalAllocOp>(next))
        next = next->getNextNode();
      if (isa<BarrierOp>(next))
        meetings.push_back(next);
    }
    if (!last.empty() && mayGoFirst(last.front()))
      kernel.walk([&](InitBarrierOp init) {
        if (memoryOf(init.getBarrier()) == memoryOf(last.front().getBarrier()))
          first.push_back(init);
      });
  }

  /// Whether barriers may be initialised, and copies started, before what the kernel does up to
  /// here. Producers check its assertions, too.
  bool mayGoFirst(InitBarrierOp init) {
    Block &entry = kernel.getBody().front();
    if (init->getBlock() != &entry || !memoryOfCopies().contains(memoryOf(init.getBarrier())))
      return false;
    bool may = true;
    kernel.walk([&](ClusterBarrierOp) { may = false; }); // whose blocks meet where they did
    const auto parameters = copied();
    for (Operation &op : llvm::make_range(entry.begin(), init->getIterator()))
      op.walk([&](Operation *before) {
        may &= isa<tt::AssertOp, InitBarrierOp>(before) ||
               llvm::all_of(parameters,
                            [&](Value parameter) { return mayBePassedBy(before, parameter); });
      });
    return may;
  }

  /// Initialises the barriers of the first loop, and lets all join, before anything else.
  void joinFirst(ProducerSlice &slice) {
    Operation *place = &*begin();
    std::function<void(Operation *)> moveUp = [&](Operation *op) {
      if (op->isBeforeInBlock(place))
        return;
      for (Value operand : op->getOperands())
        if (Operation *made = operand.getDefiningOp())
          moveUp(made);
      if (op == place)
        place = op->getNextNode();
      else
        op->moveBefore(place);
    };
    for (InitBarrierOp init : first)
      moveUp(init);
    joins.front()->moveBefore(place);
    slice.leaveOut(joins.front());
  }

  /// The memory that TMA copies to, and its barriers. Loops that come one after the other have the
  /// same.
  struct Rings {
    SmallVector<LocalAllocOp> kept;
    SmallVector<std::pair<LocalAllocOp, LocalAllocOp>>
        same; // one of a later loop, and the kept one
    uint64_t bytes = 0;
  };
  std::optional<Rings> ringsOf() {
    Rings rings;
    for (Value memory : memoryOfCopies()) {
      auto alloc = memory.getDefiningOp<LocalAllocOp>();
      if (!alloc)
        return {};
      auto earlier = llvm::find_if(rings.kept, [&](LocalAllocOp other) {
        return other.getType() == alloc.getType() && endsBefore(other, alloc) &&
               llvm::none_of(rings.same, [&](auto &pair) {
                 return pair.second == other && !endsBefore(pair.first, alloc);
               });
      });
      if (earlier != rings.kept.end()) {
        rings.same.push_back({alloc, *earlier});
        continue;
      }
      rings.kept.push_back(alloc);
      rings.bytes += bytesOf(alloc.getType());
    }
    return rings;
  }

  /// Makes memory that the producer uses live all the time, if there is room. False, and nothing
  /// has changed, if there is not.
  bool shareMemory() {
    const auto rings = ringsOf();
    if (!rings)
      return false;
    const auto &[kept, same, bytes] = *rings;
    Operation *end = endOf(kept, same);
    if (bytes + otherBytes(end) > gpu.getSharedBytes())
      return false;
    DenseSet<Operation *> untilEnd; // barriers that stay valid
    for (LocalAllocOp alloc : kept)
      if (areBarriers(alloc) && stayValid(alloc))
        untilEnd.insert(alloc);
    for (auto [alloc, earlier] : same)
      if (areBarriers(alloc) && stayValid(alloc))
        untilEnd.insert(earlier);
    for (LocalAllocOp alloc : kept)
      dropEnds(alloc);
    for (auto [alloc, earlier] : same) {
      dropEnds(alloc);
      alloc.getResult().replaceAllUsesWith(earlier.getResult());
      alloc.erase();
    }
    Block &entry = kernel.getBody().front();
    OpBuilder b(end->getContext());
    b.setInsertionPointAfter(end);
    for (LocalAllocOp alloc : kept) {
      alloc->moveBefore(&entry, entry.begin());
      auto dealloc = LocalDeallocOp::create(b, alloc.getLoc(), alloc.getResult());
      if (untilEnd.contains(alloc))
        dealloc->moveBefore(entry.getTerminator());
    }
    return true;
  }

  static void dropEnds(LocalAllocOp alloc) {
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<LocalDeallocOp>(user))
        user->erase();
  }

  /// The operation of the kernel's own block after which no memory of these is used.
  Operation *endOf(ArrayRef<LocalAllocOp> kept,
                   ArrayRef<std::pair<LocalAllocOp, LocalAllocOp>> same) {
    SmallVector<LocalAllocOp> all(kept);
    for (auto [alloc, earlier] : same)
      all.push_back(alloc);
    Block &entry = kernel.getBody().front();
    Operation *end = nullptr;
    for (LocalAllocOp alloc : all)
      for (Operation *user : alloc->getUsers()) {
        // Barriers that stay valid take no memory from what comes after the last copy.
        if (isa<LocalDeallocOp>(user) && areBarriers(alloc) && stayValid(alloc))
          continue;
        Operation *op = entry.findAncestorOpInBlock(*user);
        // What stands in its way is a view of the memory, or the end of other memory.
        while (isa<LocalDeallocOp>(op))
          op = op->getPrevNode();
        if (!end || end->isBeforeInBlock(op))
          end = op;
      }
    return end;
  }

  llvm::SetVector<Value> memoryOfCopies() {
    llvm::SetVector<Value> memory;
    kernel.walk([&](AsyncDescriptorLoadOp load) {
      memory.insert(memoryOf(load.getDst()));
      memory.insert(memoryOf(load.getBarrier()));
    });
    return memory;
  }

  static Value memoryOf(Value view) {
    while (auto index = view.getDefiningOp<MemDescIndexOp>())
      view = index.getSrc();
    return view;
  }

  static bool endsBefore(LocalAllocOp first, LocalAllocOp second) {
    return first->getBlock() == second->getBlock() &&
           llvm::any_of(first->getUsers(), [&](Operation *user) {
             return isa<LocalDeallocOp>(user) && user->getBlock() == second->getBlock() &&
                    user->isBeforeInBlock(second);
           });
  }

  /// The most that conversions and tensors in shared memory need beside, up to an operation of the
  /// kernel's own block.
  uint64_t otherBytes(Operation *end) {
    uint64_t bytes = 0, moved = 0;
    kernel.getBody().walk([&](Operation *op) {
      bytes += bytesKeptBy(op);
      if (end->isBeforeInBlock(kernel.getBody().front().findAncestorOpInBlock(*op)))
        return;
      if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && alloc.getSrc())
        bytes += bytesOf(alloc.getType());
      moved = std::max(moved, bytesMovedThrough(op));
    });
    return bytes + moved;
  }

  /// Behind the memory that all warps use.
  Block::iterator begin() {
    Block::iterator place = kernel.getBody().front().begin();
    while (isa<LocalAllocOp>(*place))
      ++place;
    return place;
  }

  void makeProducers(ProducerSlice &slice) {
    Block &entry = kernel.getBody().front();
    OpBuilder b(&entry, first.empty() ? begin() : std::next(joins.front()->getIterator()));
    const ProducerRegisters registers = *registersBesideProducers(gpu);
    auto producers =
        ProducerWarpsOp::create(b, kernel.getLoc(), registers.producers, registers.others);
    OpBuilder inner = OpBuilder::atBlockBegin(&producers.getBody().emplaceBlock());
    IRMapping map;
    slice.clone(entry, inner, map);
  }

  /// The others start none any more.
  void leaveCopies() {
    SmallVector<Operation *> copying;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ProducerWarpsOp>(op))
        return WalkResult::skip();
      if (isCopying(op))
        copying.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : copying)
      op->erase();
    SmallVector<tt::MakeTensorDescOp> descriptors;
    kernel.walk([&](tt::MakeTensorDescOp made) { descriptors.push_back(made); });
    for (tt::MakeTensorDescOp made : descriptors)
      if (made->use_empty())
        made.erase();
  }

  tt::FuncOp kernel;
  GpuAttr gpu;
  SmallVector<JoinWarpsOp> joins;
  SmallVector<InitBarrierOp> first;  // those of the first one, if they go to the beginning
  SmallVector<Operation *> meetings; // barriers of the program right after joins
};

struct SpecializeWarps : impl::SpecializeWarpsBase<SpecializeWarps> {
  using SpecializeWarpsBase::SpecializeWarpsBase;

  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    getOperation().walk([&](tt::FuncOp kernel) { Specializer(kernel, gpu).run(); });
  }
};

} // namespace
} // namespace tl::ttg
