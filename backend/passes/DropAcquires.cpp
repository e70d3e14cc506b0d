// SPDX-License-Identifier: MIT
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_DROPACQUIRES
#include "passes/Passes.h.inc"

void dropAcquires(Operation *root) {
  root->walk([](AtomicRMWOp op) {
    if (!op->use_empty())
      return;
    if (op.getSem() == MemSemantic::ACQUIRE_RELEASE)
      op.setSem(MemSemantic::RELEASE);
    else if (op.getSem() == MemSemantic::ACQUIRE)
      op.setSem(MemSemantic::RELAXED);
  });
}

namespace {

struct DropAcquires : impl::DropAcquiresBase<DropAcquires> {
  void runOnOperation() override { dropAcquires(getOperation()); }
};

} // namespace
} // namespace tl::tt
