// SPDX-License-Identifier: MIT
//
// Operations that move elements without changing them. Most only rename registers: the layout of
// the result is the operand's under another name for the coordinates, and if the result was given
// another one, a conversion follows.
#include "analysis/Exchanges.h"
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

/// What the threads of other warps hold, through shared memory, in which the registers of each
/// thread lie in pieces of 16 bytes: `moved` says in which bits the threads differ.
Values fromOtherWarps(KernelLowering &kernel, llvm::ArrayRef<Value *> registers, uint64_t moved,
                      uint64_t threads, mlir::Type element) {
  auto &b = kernel.builder;
  const unsigned bytes = memoryBytes(element);
  const unsigned together = std::min<unsigned>(std::max(1u, 16 / bytes), registers.size());
  const uint64_t piece = threads * together * bytes;
  Scratch scratch = kernel.shared.acquire(registers.size() / together * piece);
  auto type = llvm::FixedVectorType::get(b.getIntNTy(bytes * 8), together);
  auto place = [&](Value *thread) { return b.CreateMul(thread, kernel.i32(together * bytes)); };
  Value *own = place(kernel.threads.thread);
  for (unsigned first = 0; first < registers.size(); first += together) {
    Value *vector = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < together; ++i)
      vector = b.CreateInsertElement(vector, kernel.toMemory(registers[first + i], element),
                                     uint64_t(i));
    b.CreateAlignedStore(vector,
                         kernel.shared.pointer(scratch.begin + first / together * piece, own),
                         llvm::Align(uint64_t(together) * bytes));
  }
  kernel.shared.reads(scratch);
  Value *other = place(b.CreateXor(kernel.threads.thread, kernel.i32(moved)));
  Values results;
  for (unsigned first = 0; first < registers.size(); first += together)
    results.append(loadNeighbours(
        kernel, kernel.shared.pointer(scratch.begin + first / together * piece, other), together,
        element));
  kernel.shared.release(scratch);
  return results;
}

/// Positions that differ in fixed bits are held by registers, lanes and warps that do.
bool emitExchange(KernelLowering &kernel, tt::GatherOp op, uint64_t bits) {
  const LinearLayout &layout = ttg::layoutOf(op.getIndices().getType());
  mlir::Type element = op.getSrc().getType().getElementType();
  unsigned shift = 0;
  for (const auto &out : layout.outs()) {
    if (out.name == dimName(unsigned(op.getAxis())))
      break;
    shift += out.bits;
  }
  std::optional<uint64_t> moved = layout.solve(bits << shift);
  if (!moved)
    return false;
  auto part = [&](const char *in) {
    const unsigned width = layout.inBits(in);
    const uint64_t value = *moved & ((uint64_t(1) << width) - 1);
    *moved >>= width;
    return value;
  };
  const uint64_t registers = part("register"), lanes = part("lane"), warps = part("warp");
  if (*moved != 0) // in another block
    return false;
  const Values source = convert(kernel, op.getSrc(), layout);
  Values results;
  for (unsigned reg = 0; reg < source.size(); ++reg)
    results.push_back(source[reg ^ registers]);
  const unsigned laneBits = layout.inBits("lane");
  if (warps)
    results = fromOtherWarps(kernel, results, warps << laneBits | lanes,
                             uint64_t(1) << (laneBits + layout.inBits("warp")), element);
  else if (lanes)
    for (Value *&value : results)
      value = shuffle(kernel, value, [&](Value *word) {
        return kernel.target.threads.shuffleXor(kernel.builder, word, unsigned(lanes));
      });
  kernel.set(op, convert(kernel, results, layout, ttg::layoutOf(op.getType()), element));
  return true;
}

/// Through shared memory, row by row.
void emitGather(KernelLowering &kernel, tt::GatherOp op) {
  if (auto bits = exchangedBits(op); bits && emitExchange(kernel, op, *bits))
    return;
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
