// SPDX-License-Identifier: MIT
//
// Operations that move elements without changing them. Most only rename registers: the layout of
// the result is the operand's under another name for the coordinates, and if the result was given
// another one, a conversion follows.
#include "analysis/LayoutInference.h"
#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

void emitBroadcast(KernelLowering &kernel, tt::BroadcastOp op) {
  auto from = op.getSrc().getType();
  const LinearLayout &to = ttg::layoutOf(op.getType());
  LinearLayout narrow = *backwardLayout(op, 0, to);
  Values source = convert(kernel, op.getSrc(), narrow);
  // Register bits that move along repeated axes alone are not there in the source.
  llvm::SmallVector<unsigned> kept;
  for (const auto &in : to.ins())
    if (in.name == "register")
      for (unsigned bit = 0; bit < in.images.size(); ++bit)
        for (unsigned axis = 0; axis < unsigned(from.getRank()); ++axis)
          if (from.getDimSize(axis) > 1 && to.image("register", bit, dimName(axis))) {
            kept.push_back(bit);
            break;
          }
  Values results;
  for (unsigned reg = 0; reg < registersOf(op.getType()); ++reg) {
    unsigned index = 0;
    for (unsigned i = 0; i < kept.size(); ++i)
      index |= (reg >> kept[i] & 1) << i;
    results.push_back(source[index]);
  }
  kernel.set(op, std::move(results));
}

void emitJoin(KernelLowering &kernel, tt::JoinOp op) {
  const LinearLayout &half = ttg::layoutOf(op.getLhs().getType());
  mlir::Type element = elementType(op.getType());
  const Values low = kernel.get(op.getLhs()), high = kernel.get(op.getRhs());
  Values pairs;
  for (unsigned reg = 0; reg < low.size(); ++reg) {
    pairs.push_back(low[reg]);
    pairs.push_back(high[reg]);
  }
  kernel.set(op, convert(kernel, pairs, *forwardLayout(op, 0, half), ttg::layoutOf(op.getType()),
                         element));
}

void emitSplit(KernelLowering &kernel, tt::SplitOp op) {
  const LinearLayout &half = ttg::layoutOf(op.getOutLHS().getType());
  Values pairs = convert(kernel, op.getSrc(), *backwardLayout(op, 0, half));
  Values low, high;
  for (unsigned reg = 0; reg < pairs.size(); reg += 2) {
    low.push_back(pairs[reg]);
    high.push_back(pairs[reg + 1]);
  }
  kernel.set(op.getOutLHS(), std::move(low));
  kernel.set(op.getOutRHS(), std::move(high));
}

/// Through shared memory, row by row.
void emitGather(KernelLowering &kernel, tt::GatherOp op) {
  auto &b = kernel.builder;
  auto from = op.getSrc().getType();
  unsigned rank = unsigned(from.getRank()), axis = unsigned(op.getAxis());
  mlir::Type element = from.getElementType();
  unsigned bytes = memoryBytes(element);
  Shape shape(from.getShape().begin(), from.getShape().end());
  Scratch scratch = kernel.shared.acquire(uint64_t(from.getNumElements()) * bytes);
  storeShared(kernel, kernel.get(op.getSrc()), ttg::layoutOf(from),
              rowMajorShared(shape, lastAxisFirst(rank)), scratch.begin, element);
  kernel.shared.reads(scratch);
  const LinearLayout &layout = ttg::layoutOf(op.getIndices().getType());
  const Values indices = kernel.get(op.getIndices());
  Values results;
  for (unsigned reg = 0; reg < indices.size(); ++reg) {
    Value *flat = kernel.i32(0);
    for (unsigned at = 0; at < rank; ++at) {
      Value *index = at == axis ? b.CreateAnd(b.CreateZExtOrTrunc(indices[reg], b.getInt32Ty()),
                                              kernel.i32(shape[axis] - 1))
                                : kernel.threads.coordinate(layout, reg, dimName(at));
      flat = b.CreateAdd(b.CreateMul(flat, kernel.i32(shape[at])), index);
    }
    results.push_back(kernel.fromMemory(
        b.CreateLoad(b.getIntNTy(bytes * 8), kernel.shared.element(scratch, flat, element)),
        element));
  }
  kernel.shared.release(scratch);
  kernel.set(op, convert(kernel, results, layout, ttg::layoutOf(op.getType()), element));
}

/// The operand's registers under other coordinates.
void emitRenaming(KernelLowering &kernel, mlir::Operation *op) {
  mlir::Value source = op->getOperand(0), result = op->getResult(0);
  auto layout = forwardLayout(op, 0, ttg::layoutOf(source.getType()));
  kernel.set(result, convert(kernel, kernel.get(source), *layout, ttg::layoutOf(result.getType()),
                             elementType(result.getType())));
}

} // namespace

void registerShaping(OperationTable &table) {
  table.add<emitBroadcast>();
  table.add<emitGather>();
  table.add<emitJoin>();
  table.add<emitRenaming, tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp>();
  table.add<emitSplit>();
}

} // namespace tl::backend
