// SPDX-License-Identifier: MIT
#include "passes/LoadsAhead.h"

using namespace mlir;

namespace tl::ttg {

LoadsAhead::LoadsAhead(StagedLoop &loop, const RingGroup &group) {
  OpBuilder outside(loop.get());
  Operation *end = loop.get().getBody()->getTerminator();
  for (const PipelinedLoad &each : group.loads) {
    LocalAllocOp alloc = each.alloc;
    Value loaded = each.load->getResult(0);
    Location where = each.load->getLoc();
    Value buffer = LocalAllocOp::create(outside, alloc.getLoc(), alloc.getType(), Value(),
                                        /*ordered=*/false);
    memory.push_back(buffer);
    alloc.getResult().replaceAllUsesWith(buffer);
    OpBuilder b(alloc);
    // Who else wants the value reads it there, too.
    if (!loaded.hasOneUse()) {
      Value value = LocalLoadOp::create(b, where, loaded.getType(), buffer);
      loaded.replaceAllUsesExcept(value, alloc);
    }
    alloc.erase();
    b.setInsertionPoint(end);
    Operation *store = LocalStoreOp::create(b, where, loaded, buffer);
    loop.setStage(each.load, Stage::ahead);
    loop.setRank(each.load, StagedLoop::earlyCopiesRank);
    loop.setStage(store, Stage::ahead);
    loop.setRank(store, StagedLoop::storesRank);
  }
}

void LoadsAhead::finish(OpBuilder &b) {
  for (Value buffer : memory)
    LocalDeallocOp::create(b, b.getUnknownLoc(), buffer);
}

} // namespace tl::ttg
