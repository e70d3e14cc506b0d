// SPDX-License-Identifier: MIT
#include "targets/nvidia/GridDependencies.h"

#include "dialect/ProducerWarps.h"
#include "dialect/Transfers.h"

namespace tl::backend::nvidia {

namespace {

/// LLVM's intrinsics for these do not say that they order accesses to memory.
void emitAssembly(mlir::OpBuilder &b, mlir::Location where, llvm::StringRef text) {
  tt::ElementwiseInlineAsmOp::create(b, where, mlir::TypeRange{b.getI32Type()},
                                     (text + "; // $0").str(), "=r,~{memory}", /*pure=*/false,
                                     /*packed_element=*/1, mlir::ValueRange{});
}

/// Whether an operation computes, or prepares shared memory for copies.
bool needsNoOtherKernel(mlir::Operation *op) {
  auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op);
  return mlir::isa<ttg::InitBarrierOp>(op) || (alloc && !alloc.getSrc()) ||
         (mlir::isMemoryEffectFree(op) && !op->hasTrait<mlir::OpTrait::IsTerminator>());
}

/// What comes after a wait and needs nothing of other kernels is done meanwhile. What lets the next
/// kernel begin does not pass the wait: that one would wait for this kernel, and not for those
/// before it.
void moveDown(tt::GridDependencyWaitOp wait) {
  mlir::Operation *last = wait;
  while (needsNoOtherKernel(last->getNextNode()))
    last = last->getNextNode();
  wait->moveAfter(last);
}

constexpr llvm::StringLiteral wait = "griddepcontrol.wait",
                              signal = "griddepcontrol.launch_dependents";

} // namespace

bool spellGridDependencies(tt::FuncOp kernel, const Architecture &architecture) {
  if (architecture.number < 90)
    return false;
  llvm::SmallVector<tt::GridDependencyWaitOp> waits;
  llvm::SmallVector<tt::GridDependencyLaunchDependentsOp> signals;
  kernel.walk([&](mlir::Operation *op) {
    if (auto found = mlir::dyn_cast<tt::GridDependencyWaitOp>(op))
      waits.push_back(found);
    else if (auto found = mlir::dyn_cast<tt::GridDependencyLaunchDependentsOp>(op))
      signals.push_back(found);
  });
  for (tt::GridDependencyLaunchDependentsOp op : signals) {
    mlir::OpBuilder b(op);
    emitAssembly(b, op.getLoc(), signal);
    op.erase();
  }
  for (tt::GridDependencyWaitOp op : waits) {
    moveDown(op);
    mlir::OpBuilder b(op);
    emitAssembly(b, op.getLoc(), wait);
    op.erase();
  }
  // Older releases of upstream write the assembly themselves.
  std::optional<mlir::Location> first;
  bool always = false;
  kernel.walk([&](tt::ElementwiseInlineAsmOp op) {
    if (!op.getAsmString().trim().starts_with(wait))
      return;
    first = first.value_or(op.getLoc());
    always |= op->getBlock() == &kernel.getBody().front();
  });
  if (!first)
    return false;
  mlir::Location where = *first;
  // Producers have left the other warps at the kernel's beginning.
  kernel.walk([&](ttg::ProducerWarpsOp producers) {
    mlir::OpBuilder b = mlir::OpBuilder::atBlockBegin(&producers.getBody().front());
    emitAssembly(b, where, wait);
  });
  // Who waits for this kernel waits for those before it, too.
  if (!always)
    kernel.walk([&](tt::ReturnOp end) {
      mlir::OpBuilder b(end);
      emitAssembly(b, where, wait);
    });
  return true;
}

} // namespace tl::backend::nvidia
