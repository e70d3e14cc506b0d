// SPDX-License-Identifier: MIT
//
// Loads of a loop that feed products are started `distance` iterations before the products that
// need them, as asynchronous copies into a ring of buffers in shared memory.
//
//     before                           after
//     for i                            copies of iterations 0 ... distance - 1, a group each
//       a = load ...                   for i
//       m = local_alloc a                wait until the copies of i are there; barrier
//       d = warp_group_dot m, ...        d = warp_group_dot ring[i % buffers], ...
//       w = warp_group_dot_wait d        copies of i + distance into ring[(i + distance) % buffers]
//
// Why what is read has arrived. Each iteration commits one group of copies, empty or not. When
// iteration i waits, distance + i groups have been committed, and group i must be complete: so
// distance - 1 may go on. A thread waits for its own copies; the barrier makes them everybody's,
// and the fence before it shows them to instructions that read through another proxy.
//
// Why nobody reads a buffer that is being written. A thread starts the copies of iteration
// i + distance after the barrier of iteration i. All threads have come to that barrier, so all have
// waited for their products of iteration i - 1, or, if products stay in flight for one iteration,
// of i - 2. The buffer that is written now was last read in iteration i + distance - buffers: with
// buffers = distance + 1 that is i - 1, with distance + 2 it is i - 2.
//
// Why a load may move up. It reads what it read before, as nothing in the loop writes memory.
// Copies of iterations that the loop does not have are masked out; so that telling them does not
// overflow near the ends of a type, the loop is made to count its iterations from 0 first.
//
// Products stay in flight where all that an iteration does with their result is to hand it to the
// next one, which adds to it: an instruction may follow another one that adds to the same
// registers without waiting. What they read must lie in rings, which are kept one iteration longer.
#include "analysis/AxisInfo.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Barrier.h"
#include "dialect/Dialect.h"
#include "dialect/MatrixProducts.h"
#include "dialect/Transfers.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "passes/GpuPasses.h.inc"

namespace {

constexpr int64_t leastCopyBytes = 4; // of one asynchronous copy of a thread

/// A load whose tensor goes to shared memory for products.
struct PipelinedLoad {
  tt::LoadOp load;
  LocalAllocOp alloc;
};

uint64_t bytesOf(MemDescType type) {
  return uint64_t(ShapedType::getNumElements(type.getShape())) *
         tt::getElementBits(type.getElementType()) / 8;
}

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
  LoopPipeliner(scf::ForOp loop, const AxisInfoAnalysis &axes) : loop(loop), axes(axes) {}

  /// Makes a pipeline of up to `stages` stages that takes at most `room` bytes of shared memory
  /// beside what is there, and says whether it has. Failure: the loop may be half changed.
  FailureOr<bool> run(unsigned stages, uint64_t room) {
    if (loop.getUnsignedCmp() || !findLoads() || !findFirstStage() || writesMemoryInLoop())
      return false;
    SmallVector<CarriedProduct> carried = carriedProducts();
    uint64_t bytes = 0;
    for (PipelinedLoad &one : loads)
      bytes += bytesOf(one.alloc.getType());
    unsigned more = carried.empty() ? 1 : 2; // buffers beyond the distance
    room -= std::min(room, otherBytes());
    unsigned distance = stages - 1;
    while (distance > 1 && (distance + more) * bytes > room)
      --distance;
    if ((distance + more) * bytes > room)
      return false;
    for (CarriedProduct &product : carried)
      product.wait.setPendings(unsigned(carried.size()));
    countIterations();
    yieldOperations();
    carryForLater();
    useRings(distance, distance + more);
    if (failed(expand(distance)))
      return failure();
    finish(carried);
    return true;
  }

private:
  // ---- What can be pipelined

  bool findLoads() {
    for (Operation &op : *loop.getBody()) {
      auto alloc = dyn_cast<LocalAllocOp>(op);
      auto load = alloc && alloc.getSrc() ? alloc.getSrc().getDefiningOp<tt::LoadOp>() : nullptr;
      if (load && load->getBlock() == loop.getBody() && load->hasOneUse() &&
          !load.getIsVolatile() && isCopied(load, alloc))
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

  /// The operations that the copies follow from, in this iteration and those before; false if there
  /// are some that cannot run ahead.
  bool findFirstStage() {
    SmallVector<Value> open;
    for (PipelinedLoad &one : loads)
      llvm::append_range(open, one.load->getOperands());
    DenseSet<Value> seen;
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
      if (op->getNumRegions() || !isPure(op))
        return false;
      firstStage.insert(op);
      llvm::append_range(open, op->getOperands());
    }
    return true;
  }

  bool writesMemoryInLoop() {
    return loop.getBody()
        ->walk([&](Operation *op) {
          // Shared memory is the passes' own.
          return !isa<TTGDialect>(op->getDialect()) && writesMemory(op) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Bytes of shared memory that are in use in the loop beside what its loads go to, at most: what
  /// it and those around it allocate, and what the largest conversion moves data through.
  uint64_t otherBytes() {
    uint64_t bytes = 0, moved = 0;
    loop.getBody()->walk([&](Operation *op) {
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

  // ---- What the loop carries

  /// Makes every yielded value one that an operation of the loop makes: the stages are those of
  /// operations.
  void yieldOperations() {
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
    firstStage.clear();
    findFirstStage();
  }

  /// What the first stage carries has run ahead when the loop ends. If it is used after the loop,
  /// the products' stage computes it once more.
  void carryForLater() {
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
          firstStage.contains(loop.getYieldedValues()[result.getResultNumber()].getDefiningOp()))
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

  // ---- Rings of buffers

  /// Makes the loop count from 0 to its trip count, which is computed without overflow.
  void countIterations() {
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
    Value zero = arith::ConstantIntOp::create(b, where, 0, 64);
    Value one = arith::ConstantIntOp::create(b, where, 1, 64);
    // ceil((upper - lower) / step), as unsigned numbers: 0 where upper <= lower.
    Value distance = arith::SubIOp::create(b, where, widen(loop.getUpperBound()), widen(lower));
    Value last = arith::DivUIOp::create(b, where, arith::SubIOp::create(b, where, distance, one),
                                        widen(step));
    Value runs =
        arith::CmpIOp::create(b, where, arith::CmpIPredicate::slt, lower, loop.getUpperBound());
    Value tripCount =
        arith::SelectOp::create(b, where, runs, arith::AddIOp::create(b, where, last, one), zero);
    auto counting = scf::ForOp::create(b, where, zero, tripCount, one, loop.getInitArgs());
    counting->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = counting.getBody();
    if (loop.getInitArgs().empty())
      body->getTerminator()->erase();
    b.setInsertionPointToStart(body);
    Value count =
        narrow.isIndex() ? arith::IndexCastOp::create(b, where, narrow, counting.getInductionVar())
        : narrow == wide ? counting.getInductionVar()
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
    firstStage.clear();
    findFirstStage();
  }

  void useRings(unsigned distance, unsigned buffers) {
    OpBuilder b(loop);
    Location where = loop.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, where, value, 32);
    };
    Value zero = constant(0), one = constant(1), count = constant(buffers);
    for (PipelinedLoad &each : loads) {
      MemDescType type = each.alloc.getType();
      SmallVector<int64_t> shape = {int64_t(buffers)};
      llvm::append_range(shape, type.getShape());
      auto ring = MemDescType::get(b.getContext(), shape, type.getElementType(), type.getLayout());
      rings.push_back(
          LocalAllocOp::create(b, each.alloc.getLoc(), ring, Value(), /*ordered=*/true));
    }
    // The loop carries the number of the buffer that is written next, and of that which is read.
    IRRewriter rewriter(b.getContext());
    rewriter.setInsertionPoint(loop);
    unsigned carried = unsigned(loop.getInitArgs().size());
    auto next = [&](OpBuilder &b, Location where, ArrayRef<BlockArgument> numbers) {
      SmallVector<Value> values;
      for (Value number : numbers) {
        Value sum = arith::AddIOp::create(b, where, number, one);
        Value isLast = arith::CmpIOp::create(b, where, arith::CmpIPredicate::eq, sum, count);
        values.push_back(arith::SelectOp::create(b, where, isLast, zero, sum));
        if (values.size() == 1)
          for (Value made : {sum, isLast, values[0]})
            firstStage.insert(made.getDefiningOp());
      }
      return values;
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, {zero, zero}, /*replaceInitOperandUsesInLoop=*/false, next));
    Value written = loop.getRegionIterArgs()[carried], read = loop.getRegionIterArgs()[carried + 1];

    // Products wait for their operands and read them in the ring.
    Operation *first = loads[0].alloc;
    for (PipelinedLoad &each : loads)
      if (each.alloc->isBeforeInBlock(first))
        first = each.alloc;
    b.setInsertionPoint(first);
    AsyncWaitOp::create(b, where, distance - 1);
    FenceAsyncSharedOp::create(b, where);
    BarrierOp::create(b, where, AddrSpace::Local);
    for (auto [each, ring] : llvm::zip(loads, rings)) {
      Value view = MemDescIndexOp::create(b, each.alloc.getLoc(), each.alloc.getType(), ring, read);
      each.alloc.getResult().replaceAllUsesWith(view);
    }
    // Copies instead of loads.
    Operation *last = nullptr;
    for (auto [each, ring] : llvm::zip(loads, rings)) {
      b.setInsertionPoint(each.load);
      Location where = each.load.getLoc();
      Value view = MemDescIndexOp::create(b, where, each.alloc.getType(), ring, written);
      auto copy = AsyncCopyOp::create(b, where, each.load.getPtr(), view, each.load.getMask(),
                                      each.load.getOther());
      firstStage.insert(view.getDefiningOp());
      firstStage.insert(copy);
      each.alloc.erase();
      each.load.erase();
      if (!last || last->isBeforeInBlock(copy))
        last = copy;
    }
    b.setInsertionPointAfter(last);
    firstStage.insert(AsyncCommitGroupOp::create(b, where));
  }

  // ---- The loop

  LogicalResult expand(unsigned distance) {
    separateStages();
    scf::PipeliningOption options;
    options.supportDynamicLoops = true;
    options.peelEpilogue = false;
    options.predicateFn = maskCopies;
    // What waits and computes comes first: the copies then write a buffer that has been read.
    options.getScheduleFn = [&](scf::ForOp loop,
                                std::vector<std::pair<Operation *, unsigned>> &schedule) {
      for (bool ahead : {false, true})
        for (Operation &op : loop.getBody()->without_terminator())
          if (firstStage.contains(&op) == ahead)
            schedule.push_back({&op, ahead ? 0 : distance});
    };
    IRRewriter rewriter(loop->getContext());
    rewriter.setInsertionPoint(loop);
    FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
    if (failed(pipelined))
      return loop->emitOpError("could not be pipelined");
    loop = *pipelined;
    return success();
  }

  /// What both stages compute from the iteration's number alone is computed in both; otherwise the
  /// loop would carry it from one to the other.
  void separateStages() {
    llvm::SetVector<Operation *> both;
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool cheap = firstStage.contains(&op) && isPure(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value operand) {
                     Operation *maker = operand.getDefiningOp();
                     return operand == loop.getInductionVar() || both.contains(maker) ||
                            operand.getParentBlock() != loop.getBody();
                   });
      if (cheap)
        both.insert(&op);
    }
    auto isLate = [&](OpOperand &use) {
      return !firstStage.contains(use.getOwner()) && !isa<scf::YieldOp>(use.getOwner());
    };
    for (Operation *op : llvm::reverse(both)) {
      if (llvm::none_of(op->getUses(), isLate))
        continue;
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      op->replaceUsesWithIf(b.clone(*op)->getResults(), isLate);
    }
  }

  static Operation *maskCopies(RewriterBase &rewriter, Operation *op, Value condition) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    if (!copy)
      return op; // computes something, or commits an empty group
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto pointers = cast<RankedTensorType>(copy.getSrc().getType());
    auto type =
        RankedTensorType::get(pointers.getShape(), rewriter.getI1Type(), pointers.getEncoding());
    Value mask = tt::SplatOp::create(rewriter, op->getLoc(), type, condition);
    if (copy.getMask())
      mask = arith::AndIOp::create(rewriter, op->getLoc(), mask, copy.getMask());
    copy.getMaskMutable().assign(mask);
    return op;
  }

  void finish(ArrayRef<CarriedProduct> carried) {
    OpBuilder b(loop->getContext());
    b.setInsertionPointAfter(loop);
    Location where = loop.getLoc();
    for (const CarriedProduct &product : carried) {
      Value result = loop.getResult(product.carried);
      auto wait =
          WarpGroupDotWaitOp::create(b, where, TypeRange{result.getType()}, ValueRange{result}, 0u);
      result.replaceAllUsesExcept(wait.getOutputs()[0], wait);
    }
    AsyncWaitOp::create(b, where, 0u);
    for (Value ring : rings)
      LocalDeallocOp::create(b, where, ring);
  }

  scf::ForOp loop;
  const AxisInfoAnalysis &axes;
  SmallVector<PipelinedLoad> loads;
  SmallVector<Value> rings;
  llvm::SetVector<Operation *> firstStage;
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
    for (scf::ForOp loop : loops) {
      int64_t stages = numStages;
      if (auto own = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
        stages = own.getInt();
      if (stages <= 1)
        continue;
      FailureOr<bool> changed =
          LoopPipeliner(loop, *axes).run(unsigned(stages), gpu.getSharedBytes());
      if (failed(changed))
        return signalPassFailure();
      if (*changed)
        axes = &again.emplace(getOperation());
    }
  }
};

} // namespace
} // namespace tl::ttg
