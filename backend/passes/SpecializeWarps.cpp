// SPDX-License-Identifier: MIT
//
// The copies that TMA makes are started by warps of their own, *producers*.
//
//     before                              after
//     ring = local_alloc                  ring = local_alloc
//     init_barrier ...                    producer_warps {
//     for i                                 join_warps
//       if i + distance < n                 for i
//         wait until a buffer is free         if i + distance < n
//         copy into it                          wait until a buffer is free
//       wait until the copies are there         copy into it
//       products                          }
//                                         init_barrier ...
//                                         join_warps
//                                         for i
//                                           wait until the copies are there
//                                           products
//
// What is gained: a thread that multiplies waits for no other group of warps before it can start
// copies, so that groups drift apart as far as the ring reaches; and registers, which the producers
// give back: a block of two groups has 240 in each of their threads, and the producers 24.
//
// Why it is right. Copies, and the waits before them, are ordered against products by the ring's
// barriers in shared memory alone (BufferRings.h), whichever thread makes them; each of them is
// made by one thread, before and after. The producer goes through the kernel's loops and branches
// that contain copies, with the same bounds and conditions: these, and what the copies' addresses
// follow from, are computed again, from scalars and from memory that the kernel does not write.
// Barriers are initialised by the program's threads, after which all join; the first products of
// another loop that uses the same memory come after those of the loop before, and its copies after
// the joining. A checked assertion that fails ends the producer where it ends the others.
#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Dialect.h"
#include "dialect/ProducerWarps.h"
#include "dialect/Transfers.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "passes/GpuPasses.h.inc"

namespace {

/// Registers of a thread of the producers, and of one of the others: the register file has 512 for
/// each lane of a group of four warps and of all others.
constexpr unsigned producerRegisters = 24;

unsigned registersOfOthers(unsigned warps) {
  constexpr unsigned all = 512, most = 240;
  return std::min(most, (all - producerRegisters) / (warps / 4) / 8 * 8);
}

/// What the producer does and the others do not.
bool isCopying(Operation *op) {
  if (auto wait = dyn_cast<WaitBarrierOp>(op))
    return wait.getOneThread();
  return isa<AsyncDescriptorLoadOp, BarrierExpectOp>(op);
}

/// The parts of a kernel that a producer needs: operations it runs, and loops and branches around
/// them.
class ProducerSlice {
public:
  explicit ProducerSlice(tt::FuncOp kernel) : kernel(kernel) {}

  /// False if one thread cannot run them.
  bool collect() {
    kernel.walk([&](Operation *op) {
      if (isCopying(op) || isa<JoinWarpsOp, tt::AssertOp>(op))
        need(op);
    });
    while (!open.empty() && possible)
      follow(open.pop_back_val());
    return possible;
  }

  /// Copies the parts of a block behind the builder's place.
  void clone(Block &from, OpBuilder &b, IRMapping &map) {
    for (Operation &op : from) {
      // Memory is the same for all.
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

private:
  void need(Operation *op) {
    if (!needed.insert(op))
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      needAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      needAll(branch.getCondition());
    } else if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
      possible &= !alloc.getSrc();
    } else {
      possible &= !op->getNumRegions() && op->getNumSuccessors() == 0 && isForOneThread(op);
      needAll(op->getOperands());
    }
    Operation *parent = op->getParentOp();
    if (parent != kernel)
      need(parent);
    else
      possible &= op->getBlock() == &kernel.getBody().front();
  }

  void needAll(ValueRange values) {
    for (Value value : values)
      if (seen.insert(value).second)
        open.push_back(value);
  }

  void follow(Value value) {
    if (isa<RankedTensorType>(value.getType())) {
      possible = false;
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
        need(loop);
        if (argument != loop.getInductionVar())
          needAll({loop.getTiedLoopInit(argument)->get(),
                   loop.getTiedLoopYieldedValue(argument)->get()});
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
  bool isForOneThread(Operation *op) {
    if (isCopying(op) || isa<JoinWarpsOp, MemDescIndexOp>(op))
      return true;
    if (auto made = dyn_cast<tt::MakeTensorDescOp>(op))
      return tensorMapRecipeOf(made).has_value();
    if (isa<tt::AssertOp>(op) || isMemoryEffectFree(op))
      return true;
    auto load = dyn_cast<tt::LoadOp>(op);
    Value parameter = load ? ownParameterOf(load.getPtr()) : Value();
    return load && !load.getIsVolatile() &&
           !kernel
                .walk([&](Operation *other) {
                  return !isa<TTGDialect>(other->getDialect()) && writesMemory(other) &&
                                 mayTouch(other, parameter)
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// With the carried values that the producer needs.
  void cloneLoop(scf::ForOp loop, OpBuilder &b, IRMapping &map) {
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

  void cloneBranch(scf::IfOp branch, OpBuilder &b, IRMapping &map) {
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
    auto copy = hasElse
                    ? scf::IfOp::create(b, branch.getLoc(), condition, side(branch.thenBlock()),
                                        side(branch.elseBlock()))
                    : scf::IfOp::create(b, branch.getLoc(), condition, side(branch.thenBlock()));
    for (auto [number, result] : llvm::enumerate(results))
      map.map(result, copy.getResult(unsigned(number)));
  }

  tt::FuncOp kernel;
  llvm::SetVector<Operation *> needed;
  DenseSet<Value> seen;
  SmallVector<Value> open;
  bool possible = true;
};

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
    makeProducers(slice);
    leaveCopies();
  }

private:
  bool isAllowed() {
    const unsigned warps = gpu.getWarps();
    bool copies = false, others = false;
    kernel.walk([&](Operation *op) {
      copies |= isa<AsyncDescriptorLoadOp>(op);
      // Where any thread may end the kernel, and where more than the program would wait.
      others |= isa<tt::GridBarrierOp, scf::WhileOp>(op) ||
                (isa<tt::AssertOp>(op) && isa<RankedTensorType>(op->getOperand(0).getType()));
    });
    return copies && !others && warps % 4 == 0 && warps <= 16 && kernel.getBody().hasOneBlock();
  }

  /// Where it is asked for, and where groups of warps have much to compute beside their products,
  /// which is so if a loop has several, and a multiprocessor has no second program that would
  /// multiply meanwhile.
  bool isWorthIt() {
    bool isAsked = false, hasChain = false;
    kernel.walk([&](scf::ForOp loop) {
      isAsked |= loop->hasAttr("tt.warp_specialize");
      auto dots = loop.getBody()->getOps<WarpGroupDotOp>();
      hasChain |= std::distance(dots.begin(), dots.end()) > 1;
    });
    return isAsked || (hasChain && 2 * bytesOfCopies() > gpu.getSharedBytes());
  }

  /// Of shared memory that TMA copies to.
  uint64_t bytesOfCopies() {
    uint64_t bytes = 0;
    for (Value memory : memoryOfCopies())
      bytes += bytesOf(cast<MemDescType>(memory.getType()));
    return bytes;
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
    }
  }

  /// Makes memory that the producer uses live all the time; loops that come one after the other
  /// use the same, which must have room. False, and nothing has changed, if it has not.
  bool shareMemory() {
    uint64_t bytes = 0;
    SmallVector<std::pair<LocalAllocOp, LocalAllocOp>> same;
    SmallVector<LocalAllocOp> kept;
    for (Value memory : memoryOfCopies()) {
      auto alloc = memory.getDefiningOp<LocalAllocOp>();
      if (!alloc)
        return false;
      auto earlier = llvm::find_if(kept, [&](LocalAllocOp other) {
        return other.getType() == alloc.getType() && endsBefore(other, alloc) &&
               llvm::none_of(same, [&](auto &pair) {
                 return pair.second == other && !endsBefore(pair.first, alloc);
               });
      });
      if (earlier != kept.end()) {
        same.push_back({alloc, *earlier});
        continue;
      }
      kept.push_back(alloc);
      bytes += bytesOf(alloc.getType());
    }
    Operation *end = endOf(kept, same);
    if (bytes + otherBytes(end) > gpu.getSharedBytes())
      return false;
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
      LocalDeallocOp::create(b, alloc.getLoc(), alloc.getResult());
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

  static uint64_t bytesOf(MemDescType type) {
    return uint64_t(ShapedType::getNumElements(type.getShape())) *
           tt::getElementBits(type.getElementType()) / 8;
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
      if (end->isBeforeInBlock(kernel.getBody().front().findAncestorOpInBlock(*op)))
        return;
      auto alloc = dyn_cast<LocalAllocOp>(op);
      if (alloc && alloc.getSrc()) {
        bytes += bytesOf(alloc.getType());
      } else if (auto conversion = dyn_cast<ConvertLayoutOp>(op)) {
        RankedTensorType type = conversion.getType();
        moved = std::max(moved, uint64_t(type.getNumElements()) *
                                    llvm::divideCeil(tt::getElementBits(type.getElementType()), 8));
      }
    });
    return bytes + moved;
  }

  void makeProducers(ProducerSlice &slice) {
    Block &entry = kernel.getBody().front();
    Block::iterator place = entry.begin();
    while (isa<LocalAllocOp>(*place))
      ++place;
    OpBuilder b(&entry, place);
    auto producers = ProducerWarpsOp::create(b, kernel.getLoc(), producerRegisters,
                                             registersOfOthers(gpu.getWarps()));
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
