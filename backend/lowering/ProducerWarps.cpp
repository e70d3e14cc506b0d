// SPDX-License-Identifier: MIT
//
// Warps that the block has beside the program's. They are the last ones, so that the program's
// threads have the numbers that they always have. One of them runs the region as if it were the
// program's first, with an elected lane for what the first thread does: so the assembler knows that
// one lane alone starts copies, and that their addresses are uniform. What it accesses is ordered
// by barriers in shared memory, of which the plan of shared memory knows nothing.
#include "dialect/ProducerWarps.h"
#include "lowering/KernelLowering.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// Number of the hardware's barrier at which the producer and the program's warps meet. Groups that
/// take turns have those after the program's, number 0.
constexpr unsigned joinBarrier = 15;

void emitProducerWarps(KernelLowering &kernel, ttg::ProducerWarpsOp op) {
  auto &b = kernel.builder;
  ThreadGeometry &threads = kernel.threads;
  Value *first = kernel.i32(kernel.warps * kernel.target.program.lanes());
  auto *producers = kernel.newBlock("producers"), *producer = kernel.newBlock("producer"),
       *end = kernel.newBlock("producers_end"), *others = kernel.newBlock("program");
  b.CreateCondBr(b.CreateICmpUGE(threads.thread, first), producers, others);

  b.SetInsertPoint(producers);
  kernel.target.threads.setRegisters(b, op.getRegisters(), /*more=*/false);
  Value *thread = b.CreateSub(threads.thread, first);
  b.CreateCondBr(b.CreateICmpULT(thread, kernel.i32(kernel.target.program.lanes())), producer, end);
  b.SetInsertPoint(producer);
  {
    const SharedMemory::Unplanned unplanned(kernel.shared);
    Value *ownThread = std::exchange(threads.thread, thread);
    Value *ownWarp = std::exchange(threads.warp, kernel.i32(0));
    threads.elected = kernel.target.threads.electLane(b);
    for (mlir::Operation &inner : op.getBody().front())
      kernel.emitOperation(&inner);
    threads.elected = nullptr;
    threads.thread = ownThread;
    threads.warp = ownWarp;
  }
  b.CreateBr(end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();

  b.SetInsertPoint(others);
  kernel.target.threads.setRegisters(b, op.getOthers(), /*more=*/true);
}

/// For the plan it is a barrier of the program. Before the producers part from the others it is one
/// of the block.
void emitJoinWarps(KernelLowering &kernel, ttg::JoinWarpsOp op) {
  kernel.shared.mark({SharedEventKind::Barrier});
  for (auto producers : op->getBlock()->getOps<ttg::ProducerWarpsOp>())
    if (op->isBeforeInBlock(producers))
      return kernel.target.threads.barrier(kernel.builder);
  kernel.target.threads.meetAtBarrier(kernel.builder, kernel.i32(joinBarrier),
                                      (kernel.warps + 1) * kernel.target.program.lanes());
}

} // namespace

void registerProducerWarps(OperationTable &table) {
  table.add<emitJoinWarps>();
  table.add<emitProducerWarps>();
}

} // namespace tl::backend
