// SPDX-License-Identifier: MIT
#include "analysis/MemoryOrder.h"

#include "dialect/Dialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tl::backend {

namespace {

using Property = llvm::function_ref<bool(Operation *)>;

/// Of an operation, which counts itself, or of a region.
template <class Container> bool anyWithin(Container *container, Property property) {
  return container
      ->walk([&](Operation *inner) {
        return property(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// `neighbour` gives the next operation in one direction.
bool anyBeside(Operation *op, Property property,
               llvm::function_ref<Operation *(Operation *)> neighbour) {
  for (; !isa<tt::FuncOp>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) && anyWithin(op, property))
      return true;
    // In a graph of blocks there is no telling.
    if (!op->getParentRegion()->hasOneBlock() && anyWithin(op->getParentRegion(), property))
      return true;
    for (Operation *other = neighbour(op); other; other = neighbour(other))
      if (anyWithin(other, property))
        return true;
  }
  return false;
}

} // namespace

bool accessesMemory(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return !effects.hasNoEffect();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

bool writesMemory(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Write>();
  return accessesMemory(op);
}

bool anyBefore(Operation *op, Property property) {
  return anyBeside(op, property, [](Operation *other) { return other->getPrevNode(); });
}

bool anyAfter(Operation *op, Property property) {
  return anyBeside(op, property, [](Operation *other) { return other->getNextNode(); });
}

} // namespace tl::backend
