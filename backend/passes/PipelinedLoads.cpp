// SPDX-License-Identifier: MIT
#include "passes/PipelinedLoads.h"

#include "analysis/LayoutInference.h"
#include "analysis/MemoryOrder.h"
#include "dialect/SharedMemoryUse.h"
#include "dialect/Transfers.h"
#include "passes/LoadedOperands.h"
#include "passes/LoopProducts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

namespace {

/// Whether threads can copy it by pieces that are large enough.
bool isCopied(tt::LoadOp load, LocalAllocOp alloc, const AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(load.getType());
  unsigned bytes = tt::memoryBytes(type);
  SharedAccess access = sharedAccess(layoutOf(type), alloc.getType().getLayout().getMap(), bytes);
  int64_t width = 1;
  for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis)
    width = std::max(width, axes.vectorWidth(load.getPtr(), load.getMask(), axis));
  return std::min<int64_t>(width, access.elements) * bytes >= int64_t(leastCopyBytes);
}

/// Whether TMA can bring it, for products that say when they have read it.
bool isCopied(tt::DescriptorLoadOp load, LocalAllocOp alloc, scf::ForOp loop) {
  auto made = load.getDesc().getDefiningOp<tt::MakeTensorDescOp>();
  return made && llvm::all_of(load->getUsers(), llvm::IsaPred<LocalAllocOp>) &&
         !loop->isAncestor(made) && swizzleOfBlocks(alloc.getType()) && areProductsWaitedFor(alloc);
}

SmallVector<PipelinedLoad> findCopied(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  SmallVector<PipelinedLoad> loads;
  for (Operation &op : *loop.getBody()) {
    auto alloc = dyn_cast<LocalAllocOp>(op);
    Operation *load = alloc && alloc.getSrc() ? alloc.getSrc().getDefiningOp() : nullptr;
    if (!load || load->getBlock() != loop.getBody())
      continue;
    auto described = dyn_cast<tt::DescriptorLoadOp>(load);
    if (isLoadOfPointers(load) ? isCopied(cast<tt::LoadOp>(load), alloc, axes)
                               : described && isCopied(described, alloc, loop))
      loads.push_back({load, alloc});
  }
  return loads;
}

SmallVector<Value> operandsOf(ArrayRef<PipelinedLoad> loads) {
  SmallVector<Value> operands;
  for (const PipelinedLoad &one : loads)
    llvm::append_range(operands, one.load->getOperands());
  return operands;
}

/// A load from which addresses of others follow, and operands of products too, is no operand: its
/// threads have it in registers, for both.
void readAddressesInRegisters(scf::ForOp loop, SmallVector<PipelinedLoad> &loads) {
  auto allocRead = [&](Operation *op) {
    auto read = dyn_cast<LocalLoadOp>(op);
    auto alloc = read ? read.getSrc().getDefiningOp<LocalAllocOp>() : LocalAllocOp();
    const bool isLoaded =
        llvm::any_of(loads, [&](PipelinedLoad &one) { return one.alloc == alloc; });
    return isLoaded ? alloc : LocalAllocOp();
  };
  LoopSlice slice(loop);
  if (!slice.add(operandsOf(loads), [&](Operation *op) {
        return isLoadOfPointers(op) || isa<LocalAllocOp>(op) || allocRead(op);
      }))
    return;
  for (Operation *op : slice.operations())
    if (LocalAllocOp alloc = allocRead(op)) {
      OpBuilder b(op);
      Value kept = alloc.getSrc();
      if (kept.getType() != op->getResult(0).getType())
        kept = ConvertLayoutOp::create(b, op->getLoc(), op->getResult(0).getType(), kept);
      op->getResult(0).replaceAllUsesWith(kept);
      op->erase();
    }
  llvm::erase_if(loads, [](PipelinedLoad &one) { return one.alloc->use_empty(); });
}

/// Whether what is loaded before an atomic that releases is there before it, too: copies of what
/// is read later could still be under way.
bool isReadBeforeReleases(scf::ForOp loop, ArrayRef<PipelinedLoad> loads) {
  Block *body = loop.getBody();
  auto inBody = [&](Operation *op) { return body->findAncestorOpInBlock(*op); };
  auto isOpenAt = [&](Operation *atomic) {
    SmallVector<Operation *> open; // loads before it, and shared memory that has what they load
    for (const PipelinedLoad &one : loads)
      if (one.load->isBeforeInBlock(atomic))
        open.push_back(one.load);
    while (!open.empty())
      for (Operation *user : open.pop_back_val()->getUsers()) {
        if (atomic->isBeforeInBlock(inBody(user)))
          return true;
        if (user->getNumResults() == 1 && isa<MemDescType>(user->getResult(0).getType()))
          open.push_back(user);
      }
    return false;
  };
  return !body->walk([&](tt::AtomicOpInterface atomic) {
                return releases(atomic) && isOpenAt(inBody(atomic)) ? WalkResult::interrupt()
                                                                    : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether what the loads follow from, in this iteration and those before, can be computed ahead.
/// Loads of pointers' parts among that run ahead themselves, and are none that are copied.
bool canRunAhead(scf::ForOp loop, SmallVector<PipelinedLoad> &loads) {
  readAddressesInRegisters(loop, loads);
  LoopSlice slice(loop);
  if (!slice.add(operandsOf(loads), isLoadOfPointers))
    return false;
  llvm::erase_if(loads, [&](PipelinedLoad &one) { return slice.operations().contains(one.load); });
  return !loads.empty() && isReadBeforeReleases(loop, loads) &&
         !writesWhatRunsAhead(loads, slice, loop);
}

/// What lies in shared memory in two ways is copied there twice, by a load each.
void loadForEachMemory(SmallVector<PipelinedLoad> &loads) {
  DenseSet<Operation *> seen;
  for (PipelinedLoad &one : loads) {
    if (seen.insert(one.load).second)
      continue;
    OpBuilder b(one.alloc);
    one.load = b.clone(*one.load);
    one.alloc.getSrcMutable().assign(one.load->getResult(0));
  }
}

} // namespace

bool isLoadOfPointers(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && !load.getIsVolatile();
}

bool areProductsWaitedFor(LocalAllocOp alloc) {
  return isReadByWarpGroupProducts(alloc) && llvm::all_of(readersOf(alloc), waitFor);
}

bool writesWhatRunsAhead(ArrayRef<PipelinedLoad> loads, const LoopSlice &slice, Operation *whole) {
  DenseSet<Value> read; // parameters; null: it may be any
  auto reads = [&](Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      read.insert(ownParameterOf(load.getPtr()));
    else if (auto described = dyn_cast<tt::DescriptorLoadOp>(op))
      read.insert(
          ownParameterOf(described.getDesc().getDefiningOp<tt::MakeTensorDescOp>().getBase()));
  };
  for (const PipelinedLoad &one : loads)
    reads(one.load);
  for (Operation *op : slice.operations())
    reads(op);
  auto stays = [&](Operation *op) {
    auto passes = [&](Value parameter) { return mayBePassedBy(op, parameter); };
    const bool isRegion = op == whole && op->getNumRegions();
    return isRegion || llvm::all_of(read, passes) ? WalkResult::advance() : WalkResult::interrupt();
  };
  return whole->walk(stays).wasInterrupted();
}

SmallVector<PipelinedLoad> findPipelinedLoads(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  SmallVector<PipelinedLoad> loads = findCopied(loop, axes);
  if (loads.empty() || !canRunAhead(loop, loads))
    return {};
  loadForEachMemory(loads);
  return loads;
}

} // namespace tl::ttg
