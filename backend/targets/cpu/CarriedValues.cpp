// SPDX-License-Identifier: MIT
//
// How tensors cross into loops and branches: what is computed before them, and how values reach the
// buffers that both sides know.
#include "targets/cpu/CarriedValues.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
} // namespace

static bool hasWrites(mlir::Operation *operation) {
  return operation
      ->walk([](mlir::Operation *inner) {
        auto access = mlir::dyn_cast<tt::AccessOpInterface>(inner);
        bool writes =
            access ? access.changesMemory() : mlir::isa<tt::CallOp, tt::GridBarrierOp>(inner);
        return writes ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Before the regions of an operation: computes what would be computed again and again in a loop,
/// and performs loads that a write in the regions might come before.
void prepareRegions(FunctionLowering &f, mlir::Operation *operation) {
  bool loop = mlir::isa<mlir::LoopLikeOpInterface>(operation);
  bool writes = hasWrites(operation);
  if (writes)
    for (tt::LoadOp load : llvm::SmallVector<tt::LoadOp>(f.deferredLoads))
      if (!f.buffers.contains(load.getResult()) && f.isWanted(load.getResult()))
        f.materialise(load);
  if (loop) {
    llvm::SmallVector<mlir::Value> outside;
    operation->walk([&](mlir::Operation *inner) {
      for (mlir::OpOperand &operand : inner->getOpOperands()) {
        mlir::Value value = operand.get();
        if (inner == operation || !isTensor(value) || f.buffers.contains(value) ||
            operation->isProperAncestor(value.getParentBlock()->getParentOp()) ||
            value.getParentBlock()->getParentOp() == operation)
          continue;
        mlir::Operation *definition = value.getDefiningOp();
        if (!definition || !isDeferred(definition))
          continue;
        bool whole = mlir::isa<tt::ScanOp>(inner) ||
                     (mlir::isa<tt::DotOp>(inner) && operand.getOperandNumber() < 2) ||
                     (mlir::isa<tt::DotScaledOp>(inner) && operand.getOperandNumber() != 2);
        if (whole || f.cost(value) >= 8)
          outside.push_back(value);
      }
    });
    for (mlir::Value value : outside)
      f.materialise(value);
  }
  f.flush();
}

void pass(FunctionLowering &f, llvm::ArrayRef<Passed> all) {
  llvm::IRBuilder<> &builder = f.builder;
  Scratch &scratch = f.scratch;
  llvm::SmallVector<Passed> left;
  for (const Passed &one : all)
    if (f.buffers.lookup(one.from) != one.to)
      left.push_back(one);
  auto slice = [&](const Passed &one) {
    FusionRoot root;
    root.value = one.from;
    root.buffer = one.to;
    root.copy = f.buffers.contains(one.from);
    return f.sliceOf(root);
  };
  auto add = [&](mlir::Value from, ScratchBuffer *to) {
    FusionRoot root;
    root.value = from;
    root.buffer = to;
    root.copy = true;
    f.addRoot(root);
  };
  std::vector<Slice> slices;
  for (const Passed &one : left)
    slices.push_back(slice(one));
  llvm::SmallVector<std::pair<ScratchBuffer *, Passed>> parked;
  llvm::SmallVector<bool> done(left.size(), false);
  auto reads = [&](size_t k, ScratchBuffer *buffer, bool identityOnly) {
    for (const Slice::Use &use : slices[k].buffers)
      if (f.buffers.lookup(use.value) == buffer && !(identityOnly && use.identity))
        return true;
    return false;
  };
  for (size_t count = left.size(); count > 0; --count) {
    size_t chosen = left.size();
    for (size_t k = 0; k < left.size() && chosen == left.size(); ++k) {
      if (done[k] || reads(k, left[k].to, true))
        continue;
      bool free = true;
      for (size_t m = 0; m < left.size(); ++m)
        free &= m == k || done[m] || !reads(m, left[k].to, false);
      if (free)
        chosen = k;
    }
    if (chosen < left.size()) {
      add(left[chosen].from, left[chosen].to);
    } else {
      // Values cross: one of them waits in memory of its own.
      chosen = std::find(done.begin(), done.end(), false) - done.begin();
      ScratchBuffer *aside = scratch.allocate(left[chosen].to->bytes);
      add(left[chosen].from, aside);
      parked.push_back({aside, left[chosen]});
    }
    done[chosen] = true;
  }
  f.flush();
  for (auto &[aside, one] : parked) {
    scratch.use(*aside);
    scratch.use(*one.to);
    builder.CreateMemCpy(one.to->pointer, llvm::MaybeAlign(64), aside->pointer,
                         llvm::MaybeAlign(64), f.bufferBytes(one.from.getType()));
  }
  for (const Passed &one : all)
    scratch.use(*one.to);
}

/// The buffer of a value that a loop changes, holding its first value.
ScratchBuffer *carriedBuffer(FunctionLowering &f, mlir::Value initial, mlir::Operation *loop) {
  Scratch &scratch = f.scratch;
  unsigned before = f.current;
  f.current = f.order.lookup(loop) + 1;
  auto known = f.buffers.find(initial);
  if (known != f.buffers.end() && known->second->address && initial.getParentBlock() == f.block &&
      scratch.isOfThisLoop(*known->second) && llvm::count(loop->getOperands(), initial) == 1 &&
      llvm::none_of(f.buffers, [&](auto &entry) {
        return entry.second == known->second && f.isWanted(entry.first);
      })) {
    f.current = before;
    return known->second;
  }
  f.current = before;
  ScratchBuffer *buffer = scratch.allocate(f.bufferBytes(initial.getType()));
  FusionRoot root;
  root.value = initial;
  root.buffer = buffer;
  root.copy = true;
  f.addRoot(root);
  return buffer;
}

} // namespace tl::backend::cpu
