// SPDX-License-Identifier: MIT
//
// Operations that move elements without changing them. Most only rename registers: the layout of
// the result is the operand's under another name for the coordinates, and if the result was given
// another one, a conversion follows.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"
#include "passes/LayoutInference.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

bool GpuLowering::emitShapeOperation(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(op)
      .Case([&](tt::MakeRangeOp range) {
        const LinearLayout &layout = ttg::layoutOf(range.getType());
        llvm::Type *type = registerTypeOf(range.getType());
        Values results;
        for (unsigned reg = 0; reg < registersOf(range.getType()); ++reg) {
          Value *at = coordinate(layout, reg, "dim0");
          if (int32_t start = int32_t(range.getStart()))
            at = builder.CreateAdd(at, i32(start), "", false, true);
          results.push_back(builder.CreateSExtOrTrunc(at, type));
        }
        set(range, std::move(results));
        return true;
      })
      .Case([&](tt::SplatOp splat) {
        set(splat, Values(registersOf(splat.getType()), scalar(splat.getSrc())));
        return true;
      })
      .Case([&](tt::UnsplatOp unsplat) {
        // One element: every thread has it.
        set(unsplat, {get(unsplat.getSrc())[0]});
        return true;
      })
      .Case([&](tt::BroadcastOp broadcast) { return emitBroadcast(broadcast), true; })
      .Case<tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp>([&](mlir::Operation *renames) {
        mlir::Value source = renames->getOperand(0), result = renames->getResult(0);
        auto layout = forwardLayout(renames, 0, ttg::layoutOf(source.getType()));
        set(result, convert(get(source), *layout, ttg::layoutOf(result.getType()),
                            elementType(result.getType())));
        return true;
      })
      .Case([&](tt::JoinOp join) { return emitJoin(join), true; })
      .Case([&](tt::SplitOp split) { return emitSplit(split), true; })
      .Case([&](tt::GatherOp gather) { return emitGather(gather), true; })
      .Default([](mlir::Operation *) { return false; });
}

void GpuLowering::emitBroadcast(tt::BroadcastOp op) {
  auto from = op.getSrc().getType();
  const LinearLayout &to = ttg::layoutOf(op.getType());
  mlir::Type element = elementType(op.getType());
  LinearLayout narrow = *backwardLayout(op, 0, to);
  Values source = convert(get(op.getSrc()), ttg::layoutOf(from), narrow, element);
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
  set(op, std::move(results));
}

void GpuLowering::emitJoin(tt::JoinOp op) {
  const LinearLayout &half = ttg::layoutOf(op.getLhs().getType());
  mlir::Type element = elementType(op.getType());
  const Values low = get(op.getLhs()), high = get(op.getRhs());
  Values pairs;
  for (unsigned reg = 0; reg < low.size(); ++reg) {
    pairs.push_back(low[reg]);
    pairs.push_back(high[reg]);
  }
  set(op, convert(pairs, *forwardLayout(op, 0, half), ttg::layoutOf(op.getType()), element));
}

void GpuLowering::emitSplit(tt::SplitOp op) {
  const LinearLayout &half = ttg::layoutOf(op.getOutLHS().getType());
  mlir::Type element = elementType(op.getSrc().getType());
  LinearLayout paired = *backwardLayout(op, 0, half);
  Values pairs = convert(get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()), paired, element);
  Values low, high;
  for (unsigned reg = 0; reg < pairs.size(); reg += 2) {
    low.push_back(pairs[reg]);
    high.push_back(pairs[reg + 1]);
  }
  set(op.getOutLHS(), std::move(low));
  set(op.getOutRHS(), std::move(high));
}

/// Through shared memory, row by row.
void GpuLowering::emitGather(tt::GatherOp op) {
  auto from = op.getSrc().getType();
  unsigned rank = unsigned(from.getRank()), axis = unsigned(op.getAxis());
  mlir::Type element = from.getElementType();
  unsigned bytes = memoryBytes(element);
  Shape shape(from.getShape().begin(), from.getShape().end());
  Scratch scratch = acquire(uint64_t(from.getNumElements()) * bytes);
  storeShared(get(op.getSrc()), ttg::layoutOf(from), rowMajorShared(shape, lastAxisFirst(rank)),
              scratch.begin, element);
  reads(scratch);
  const LinearLayout &layout = ttg::layoutOf(op.getIndices().getType());
  const Values indices = get(op.getIndices());
  Values results;
  for (unsigned reg = 0; reg < indices.size(); ++reg) {
    Value *flat = i32(0);
    for (unsigned at = 0; at < rank; ++at) {
      Value *index =
          at == axis
              ? builder.CreateAnd(builder.CreateZExtOrTrunc(indices[reg], builder.getInt32Ty()),
                                  i32(shape[axis] - 1))
              : coordinate(layout, reg, dimName(at));
      flat = builder.CreateAdd(builder.CreateMul(flat, i32(shape[at])), index);
    }
    results.push_back(fromMemory(
        builder.CreateLoad(builder.getIntNTy(bytes * 8), sharedElement(scratch, flat, element)),
        element));
  }
  release(scratch);
  set(op, convert(results, layout, ttg::layoutOf(op.getType()), element));
}

} // namespace tl::backend
