// SPDX-License-Identifier: MIT
//
// Reductions in three steps, each on fewer values: the registers of a thread, the lanes of a warp
// by exchanging with lanes at distance 1, 2, 4 and so on, and the warps through shared memory. All
// threads end with the result. A histogram counts in shared memory.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"
#include "passes/FuseMultiplyAdd.h"
#include "passes/LayoutInference.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

GpuLowering::Values GpuLowering::combine(mlir::Region &region, llvm::ArrayRef<Value *> a,
                                         llvm::ArrayRef<Value *> b) {
  Values arguments(a.begin(), a.end());
  arguments.append(b.begin(), b.end());
  return emitRegion(region, arguments);
}

namespace {

/// Bits of an input dimension that move along the axis.
uint64_t bitsAlong(const LinearLayout &layout, llvm::StringRef in, unsigned axis) {
  uint64_t bits = 0;
  std::string dim = dimName(axis);
  if (layout.outBits(dim) == 0)
    return 0;
  for (const auto &dimension : layout.ins())
    if (dimension.name == in)
      for (unsigned bit = 0; bit < dimension.images.size(); ++bit)
        if (layout.image(dimension.name, bit, dim))
          bits |= uint64_t(1) << bit;
  return bits;
}

/// Bits of an input dimension that move nothing.
uint64_t idleBits(const LinearLayout &layout, llvm::StringRef in) {
  uint64_t bits = 0;
  for (const auto &dimension : layout.ins())
    if (dimension.name == in)
      for (unsigned bit = 0; bit < dimension.images.size(); ++bit)
        if (dimension.images[bit] == 0)
          bits |= uint64_t(1) << bit;
  return bits;
}

/// Whether the operands of the region may change places: it is one operation that says so. What
/// compares (the largest and its index) is not known to, and depends on the order for NaN.
bool isCommutative(mlir::Region &region) {
  mlir::Block &block = region.front();
  if (block.getNumArguments() != 2 || std::next(block.begin(), 2) != block.end())
    return false;
  mlir::Operation &only = block.front();
  return only.hasTrait<mlir::OpTrait::IsCommutative>() &&
         llvm::equal(only.getResults(), block.getTerminator()->getOperands()) &&
         (llvm::equal(only.getOperands(), block.getArguments()) ||
          llvm::equal(llvm::reverse(only.getOperands()), block.getArguments()));
}

} // namespace

bool isSeparableAlong(const LinearLayout &layout, unsigned axis) {
  std::string dim = dimName(axis);
  uint64_t seen = 0;
  for (const auto &in : layout.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t along = layout.outBits(dim) ? layout.image(in.name, bit, dim) : 0;
      if (along == 0)
        continue;
      for (const auto &out : layout.outs())
        if (out.name != dim && out.bits && layout.image(in.name, bit, out.name))
          return false;
      // One bit moves one bit of the coordinate, and no two the same.
      if ((along & (along - 1)) || (seen & along))
        return false;
      seen |= along;
    }
  return true;
}

void GpuLowering::emitReduce(tt::ReduceOp op) {
  unsigned axis = unsigned(op.getAxis());
  auto sourceType = mlir::cast<mlir::RankedTensorType>(op.getSrcs()[0].getType());
  Shape shape(sourceType.getShape().begin(), sourceType.getShape().end());
  LinearLayout layout = ttg::layoutOf(sourceType);
  bool separable = isSeparableAlong(layout, axis);
  LinearLayout work =
      separable ? layout : plainLayout(shape, target.lanes(), unsigned(options.numWarps));
  llvm::SmallVector<mlir::Type> elements;
  llvm::SmallVector<Values> sources;
  for (mlir::Value source : op.getSrcs()) {
    elements.push_back(elementType(source.getType()));
    sources.push_back(convert(get(source), ttg::layoutOf(source.getType()), work, elements.back()));
  }
  mlir::Region &region = op.getCombineOp();
  enterScalars(region);
  unsigned operands = unsigned(sources.size());
  auto tupleAt = [&](unsigned reg) {
    Values tuple;
    for (unsigned i = 0; i < operands; ++i)
      tuple.push_back(sources[i][reg]);
    return tuple;
  };

  // Products that only sums read go into this one unrounded, one of each pair.
  const bool products = options.fpFusion && tt::addsUnseenProducts(op);
  auto combinePair = [&](const Values &a, const Values &b) -> Values {
    if (products)
      if (auto *product = llvm::dyn_cast<llvm::BinaryOperator>(a[0]);
          product && product->getOpcode() == llvm::Instruction::FMul)
        return {builder.CreateIntrinsic(llvm::Intrinsic::fma, {product->getType()},
                                        {product->getOperand(0), product->getOperand(1), b[0]})};
    return combine(region, a, b);
  };

  // Registers: as a tree, so that the additions do not wait for each other.
  LinearLayout slice = sliceLayout(work, axis);
  unsigned registers = 1u << work.inBits("register");
  uint64_t along = bitsAlong(work, "register", axis), idle = idleBits(work, "register");
  llvm::SmallVector<Values> partial;
  for (unsigned reg = 0; reg < registers; ++reg) {
    if (reg & (along | idle))
      continue;
    llvm::SmallVector<Values> level;
    for (unsigned other = 0; other < registers; ++other)
      if ((other & ~along) == reg)
        level.push_back(tupleAt(other));
    while (level.size() > 1) {
      llvm::SmallVector<Values> next;
      for (size_t i = 0; i + 1 < level.size(); i += 2)
        next.push_back(combinePair(level[i], level[i + 1]));
      level = std::move(next);
    }
    partial.push_back(level[0]);
  }

  // Lanes. All of them must come to the same result, so the lower one's operand is the first.
  uint64_t laneBits = bitsAlong(work, "lane", axis);
  bool commutative = isCommutative(region);
  auto combineAcross = [&](Values &tuple, uint64_t bits) {
    for (unsigned bit = 0; bit < 6; ++bit)
      if (bits >> bit & 1) {
        Values others;
        for (Value *value : tuple)
          others.push_back(shuffle(
              value, [&](Value *word) { return target.shuffleXor(builder, word, 1u << bit); }));
        Values first = tuple, second = others;
        if (!commutative) {
          Value *upper =
              builder.CreateICmpNE(builder.CreateAnd(lane, i32(int64_t(1) << bit)), i32(0));
          for (unsigned i = 0; i < operands; ++i) {
            first[i] = builder.CreateSelect(upper, others[i], tuple[i]);
            second[i] = builder.CreateSelect(upper, tuple[i], others[i]);
          }
        }
        tuple = combine(region, first, second);
      }
  };
  for (Values &tuple : partial)
    combineAcross(tuple, laneBits);

  // Warps.
  uint64_t warpBits = bitsAlong(work, "warp", axis);
  if (warpBits) {
    unsigned parts = 1u << llvm::popcount(warpBits);
    Shape sliceShape = shape;
    sliceShape.erase(sliceShape.begin() + axis);
    uint64_t count = 1;
    for (int64_t extent : sliceShape)
      count *= uint64_t(extent);
    // The number of this warp among those along the axis.
    Value *part = nullptr;
    unsigned to = 0;
    for (unsigned bit = 0; bit < 6; ++bit)
      if (warpBits >> bit & 1) {
        Value *moved = builder.CreateAnd(builder.CreateLShr(warp, bit), i32(1));
        moved = builder.CreateShl(moved, to++);
        part = part ? builder.CreateOr(part, moved) : moved;
      }
    uint64_t quietLanes = idleBits(slice, "lane"), quietWarps = idleBits(work, "warp");
    Value *writes = builder.CreateICmpEQ(builder.CreateAnd(lane, i32(int64_t(quietLanes))), i32(0));
    if (quietWarps)
      writes = builder.CreateAnd(
          writes, builder.CreateICmpEQ(builder.CreateAnd(warp, i32(int64_t(quietWarps))), i32(0)));
    llvm::SmallVector<Scratch> scratches;
    uint64_t total = 0;
    for (mlir::Type element : elements)
      total += llvm::alignTo(count * parts * memoryBytes(element), 16);
    Scratch all = acquire(total);
    uint64_t begin = all.begin;
    for (mlir::Type element : elements) {
      scratches.push_back({begin, 0});
      begin += llvm::alignTo(count * parts * memoryBytes(element), 16);
    }
    auto placeOf = [&](unsigned reg) {
      return builder.CreateMul(flatElement(slice, reg, sliceShape), i32(parts));
    };
    emitIf(writes, [&] {
      for (unsigned reg = 0; reg < partial.size(); ++reg)
        for (unsigned i = 0; i < operands; ++i)
          builder.CreateStore(
              toMemory(partial[reg][i], elements[i]),
              sharedElement(scratches[i], builder.CreateAdd(placeOf(reg), part), elements[i]));
    });
    reads(all);
    // Of one result, each of a few neighbouring lanes reads four parts, and the lanes combine them:
    // all parts in every thread would take registers where there are fewest.
    unsigned readers = sliceShape.empty() && parts > 4 ? parts / 4 : 1, share = parts / readers;
    Value *mine =
        builder.CreateMul(builder.CreateAnd(lane, i32(int64_t(readers) - 1)), i32(int64_t(share)));
    for (unsigned reg = 0; reg < partial.size(); ++reg) {
      llvm::SmallVector<Values> level(share);
      for (unsigned i = 0; i < operands; ++i) {
        unsigned bytes = memoryBytes(elements[i]);
        unsigned wide = std::min(share, std::max(1u, 16 / bytes));
        for (unsigned first = 0; first < share; first += wide) {
          Value *place = builder.CreateAdd(placeOf(reg), builder.CreateAdd(mine, i32(first)));
          Value *pointer = sharedElement(scratches[i], place, elements[i]);
          for (auto [at, value] : llvm::enumerate(loadNeighbours(pointer, wide, elements[i])))
            level[first + at].push_back(value);
        }
      }
      while (level.size() > 1) {
        llvm::SmallVector<Values> next;
        for (size_t i = 0; i + 1 < level.size(); i += 2)
          next.push_back(combine(region, level[i], level[i + 1]));
        level = std::move(next);
      }
      partial[reg] = level[0];
      combineAcross(partial[reg], readers - 1);
    }
    release(all);
  }

  for (unsigned i = 0; i < operands; ++i) {
    Values results;
    for (Values &tuple : partial)
      results.push_back(tuple[i]);
    mlir::Value result = op.getResult()[i];
    if (mlir::isa<mlir::RankedTensorType>(result.getType()))
      results = convert(results, slice, ttg::layoutOf(result.getType()), elements[i]);
    set(result, std::move(results));
  }
}

void GpuLowering::emitHistogram(tt::HistogramOp op) {
  auto sourceType = op.getSrc().getType();
  auto type = op.getType();
  const LinearLayout &layout = ttg::layoutOf(sourceType);
  mlir::Type counted = type.getElementType();
  if (!counted.isInteger(32) && !counted.isInteger(64))
    unsupported(op, "counts into 32 and 64-bit integers only");
  int64_t bins = type.getNumElements();
  unsigned threads = unsigned(options.numWarps) * target.lanes();
  mlir::Type i32Type = mlir::IntegerType::get(op.getContext(), 32);
  Scratch scratch = acquire(uint64_t(bins) * 4);
  for (int64_t first = 0; first < bins; first += threads) {
    Value *bin = builder.CreateAdd(thread, i32(first));
    emitIf(first + threads > bins ? builder.CreateICmpULT(bin, i32(bins)) : nullptr,
           [&] { builder.CreateStore(i32(0), sharedElement(scratch, bin, i32Type)); });
  }
  writes(scratch);
  Value *holder = isFirstHolder(layout);
  const Values sources = get(op.getSrc());
  for (unsigned reg = 0; reg < sources.size(); ++reg) {
    if (isCopy(layout, reg))
      continue;
    // A negative number is a large one; narrow types hold numbers of bins, which have no sign.
    Value *source = sources[reg];
    llvm::Type *wide =
        source->getType()->getIntegerBitWidth() > 32 ? source->getType() : builder.getInt32Ty();
    source = builder.CreateZExt(source, wide);
    Value *counts = builder.CreateICmpULT(source, llvm::ConstantInt::get(wide, uint64_t(bins)));
    if (holder)
      counts = builder.CreateAnd(counts, holder);
    if (op.getMask())
      counts = builder.CreateAnd(counts, get(op.getMask())[reg]);
    Value *bin =
        builder.CreateSelect(counts, builder.CreateTrunc(source, builder.getInt32Ty()), i32(0));
    target.sharedAdd(builder, sharedElement(scratch, bin, i32Type), i32(1), counts);
  }
  reads(scratch);
  const LinearLayout &to = ttg::layoutOf(type);
  Values results;
  for (unsigned reg = 0; reg < registersOf(type); ++reg) {
    Value *count = builder.CreateLoad(builder.getInt32Ty(),
                                      sharedElement(scratch, coordinate(to, reg, "dim0"), i32Type));
    results.push_back(builder.CreateZExt(count, registerTypeOf(type)));
  }
  release(scratch);
  set(op, std::move(results));
}

} // namespace tl::backend
