// SPDX-License-Identifier: MIT
#include "dialect/Hints.h"
#include "passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_DROPACQUIRES
#include "passes/Passes.h.inc"

/// Whether nothing that the kernel does follows from the value.
static bool isUnread(Value value, bool debug) {
  SmallVector<Value> open = {value};
  DenseSet<Operation *> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (!seen.insert(user).second ||
          (isa<AssertOp>(user) && !debug && !user->hasAttr(alwaysCheckedName)))
        continue;
      if (!isMemoryEffectFree(user) || user->getNumRegions() ||
          user->hasTrait<OpTrait::IsTerminator>())
        return false;
      llvm::append_range(open, user->getResults());
    }
  return true;
}

void dropAcquires(Operation *root, bool debug) {
  root->walk([&](AtomicRMWOp op) {
    if (!isUnread(op.getResult(), debug))
      return;
    if (op.getSem() == MemSemantic::ACQUIRE_RELEASE)
      op.setSem(MemSemantic::RELEASE);
    else if (op.getSem() == MemSemantic::ACQUIRE)
      op.setSem(MemSemantic::RELAXED);
  });
}

namespace {

struct DropAcquires : impl::DropAcquiresBase<DropAcquires> {
  using DropAcquiresBase::DropAcquiresBase;

  void runOnOperation() override { dropAcquires(getOperation(), debug); }
};

} // namespace
} // namespace tl::tt
