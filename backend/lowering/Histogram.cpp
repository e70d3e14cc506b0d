// SPDX-License-Identifier: MIT
//
// A histogram counts in shared memory.
#include "lowering/Reduction.h"

#include "lowering/ThreadGeometry.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

static void emitHistogram(KernelLowering &kernel, tt::HistogramOp op) {
  auto &b = kernel.builder;
  auto sourceType = op.getSrc().getType();
  auto type = op.getType();
  const LinearLayout &layout = ttg::layoutOf(sourceType);
  mlir::Type counted = type.getElementType();
  if (!counted.isInteger(32) && !counted.isInteger(64))
    kernel.unsupported(op, "counts into 32 and 64-bit integers only");
  int64_t bins = type.getNumElements();
  unsigned threads = kernel.warps * kernel.target.program.lanes();
  mlir::Type i32Type = mlir::IntegerType::get(op.getContext(), 32);
  Scratch scratch = kernel.shared.acquire(uint64_t(bins) * 4);
  for (int64_t first = 0; first < bins; first += threads) {
    Value *bin = b.CreateAdd(kernel.threads.thread, kernel.i32(first));
    kernel.emitIf(first + threads > bins ? b.CreateICmpULT(bin, kernel.i32(bins)) : nullptr, [&] {
      b.CreateStore(kernel.i32(0), kernel.shared.element(scratch, bin, i32Type));
    });
  }
  kernel.shared.writes(scratch);
  Value *holder = kernel.threads.isFirstHolder(layout);
  const Values sources = kernel.get(op.getSrc());
  for (unsigned reg = 0; reg < sources.size(); ++reg) {
    if (isCopy(layout, reg))
      continue;
    // A negative number is a large one; narrow types hold numbers of bins, which have no sign.
    Value *source = sources[reg];
    llvm::Type *wide =
        source->getType()->getIntegerBitWidth() > 32 ? source->getType() : b.getInt32Ty();
    source = b.CreateZExt(source, wide);
    Value *counts = b.CreateICmpULT(source, llvm::ConstantInt::get(wide, uint64_t(bins)));
    if (holder)
      counts = b.CreateAnd(counts, holder);
    if (op.getMask())
      counts = b.CreateAnd(counts, kernel.get(op.getMask())[reg]);
    Value *bin = b.CreateSelect(counts, b.CreateTrunc(source, b.getInt32Ty()), kernel.i32(0));
    kernel.target.atomics.addShared(b, kernel.shared.element(scratch, bin, i32Type), kernel.i32(1),
                                    counts);
  }
  kernel.shared.reads(scratch);
  const LinearLayout &to = ttg::layoutOf(type);
  Values results;
  for (unsigned reg = 0; reg < registersOf(type); ++reg) {
    Value *count = b.CreateLoad(
        b.getInt32Ty(),
        kernel.shared.element(scratch, kernel.threads.coordinate(to, reg, "dim0"), i32Type));
    results.push_back(b.CreateZExt(count, kernel.registerTypeOf(type)));
  }
  kernel.shared.release(scratch);
  kernel.set(op, std::move(results));
}

void registerCounting(OperationTable &table) { table.add<emitHistogram>(); }

} // namespace tl::backend
