// SPDX-License-Identifier: MIT
//
// Prefix combinations. The axis is cut into chunks; within a chunk, a thread holds a run of
// neighbours, the lanes of a warp hold neighbouring runs, the warps neighbouring stretches:
//
//   coordinate bits, low to high:   registers | lanes | warps | registers (the chunks)
//
// Each thread scans its run, the runs' totals are scanned over the lanes by shuffles (distance 1,
// 2, 4 ...), the warps' totals through shared memory, and the chunks one after another. Operands
// are always combined in the order of the axis, so the operation need not commute. A layout that is
// not of this kind is converted first. In reverse, "before" means at a higher coordinate.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

bool isSeparableAlong(const LinearLayout &layout, unsigned axis);

namespace {

/// How the bits of a layout count along the axis.
struct ScanOrder {
  llvm::SmallVector<unsigned> runBits, chunkBits; // register bits, from the lowest coordinate
  unsigned firstLaneBit = 0, laneBits = 0;        // neighbouring bits of the lane
  unsigned firstWarpBit = 0, warpBits = 0;
};

std::optional<ScanOrder> scanOrder(const LinearLayout &layout, unsigned axis) {
  ScanOrder order;
  std::string dim = dimName(axis);
  unsigned bits = layout.outBits(dim);
  unsigned stage = 0; // registers, lanes, warps, registers
  for (unsigned at = 0; at < bits; ++at) {
    // The hardware bit that moves this bit of the coordinate.
    std::string in;
    unsigned bit = 0;
    for (const auto &dimension : layout.ins())
      for (unsigned i = 0; i < dimension.images.size(); ++i)
        if (layout.image(dimension.name, i, dim) == uint64_t(1) << at) {
          in = dimension.name;
          bit = i;
        }
    if (in == "register") {
      if (stage == 0) {
        order.runBits.push_back(bit);
      } else {
        stage = 3;
        order.chunkBits.push_back(bit);
      }
    } else if (in == "lane" && stage <= 1) {
      if (stage == 0)
        order.firstLaneBit = bit;
      else if (bit != order.firstLaneBit + order.laneBits)
        return std::nullopt;
      stage = 1;
      ++order.laneBits;
    } else if (in == "warp" && stage <= 2) {
      if (order.warpBits == 0)
        order.firstWarpBit = bit;
      else if (bit != order.firstWarpBit + order.warpBits)
        return std::nullopt;
      stage = 2;
      ++order.warpBits;
    } else {
      return std::nullopt;
    }
  }
  return order;
}

unsigned spread(unsigned index, llvm::ArrayRef<unsigned> bits) {
  unsigned reg = 0;
  for (unsigned i = 0; i < bits.size(); ++i)
    if (index >> i & 1)
      reg |= 1u << bits[i];
  return reg;
}

} // namespace

void GpuLowering::emitScan(tt::ScanOp op) {
  unsigned axis = unsigned(op.getAxis());
  bool reverse = op.getReverse();
  auto sourceType = mlir::cast<mlir::RankedTensorType>(op.getSrcs()[0].getType());
  Shape shape(sourceType.getShape().begin(), sourceType.getShape().end());
  LinearLayout work = ttg::layoutOf(sourceType);
  std::optional<ScanOrder> order;
  if (isSeparableAlong(work, axis))
    order = scanOrder(work, axis);
  if (!order) {
    std::vector<unsigned> axes = {axis};
    for (unsigned other = unsigned(shape.size()); other-- > 0;)
      if (other != axis)
        axes.push_back(other);
    uint64_t threads = uint64_t(target.lanes()) * unsigned(options.numWarps);
    unsigned run = unsigned(std::max<uint64_t>(1, uint64_t(shape[axis]) / threads));
    work = dealtLayout(shape, axes, run, target.lanes(), unsigned(options.numWarps));
    order = scanOrder(work, axis);
  }
  llvm::SmallVector<mlir::Type> elements;
  llvm::SmallVector<Values> state;
  for (mlir::Value source : op.getSrcs()) {
    elements.push_back(elementType(source.getType()));
    state.push_back(convert(get(source), ttg::layoutOf(source.getType()), work, elements.back()));
  }
  unsigned operands = unsigned(state.size());
  mlir::Region &region = op.getCombineOp();
  enterScalars(region);
  auto tupleAt = [&](unsigned reg) {
    Values tuple;
    for (Values &operand : state)
      tuple.push_back(operand[reg]);
    return tuple;
  };
  auto put = [&](unsigned reg, const Values &tuple) {
    for (unsigned i = 0; i < operands; ++i)
      state[i][reg] = tuple[i];
  };
  auto choose = [&](Value *condition, const Values &yes, const Values &no) {
    Values result;
    for (unsigned i = 0; i < operands; ++i)
      result.push_back(builder.CreateSelect(condition, yes[i], no[i]));
    return result;
  };

  unsigned runs = 1u << order->runBits.size(), chunks = 1u << order->chunkBits.size();
  auto runRegister = [&](unsigned base, unsigned i) {
    return base | spread(reverse ? runs - 1 - i : i, order->runBits);
  };
  unsigned axisMask = 0;
  for (unsigned bit : order->runBits)
    axisMask |= 1u << bit;
  unsigned runMask = axisMask;
  for (unsigned bit : order->chunkBits)
    axisMask |= 1u << bit;
  unsigned registers = 1u << work.inBits("register");
  auto position = [&](Value *index, unsigned first, unsigned bits) {
    Value *at = builder.CreateAnd(builder.CreateLShr(index, first), i32((1u << bits) - 1));
    return reverse ? builder.CreateSub(i32((1u << bits) - 1), at) : at;
  };
  Value *lanePosition = position(lane, order->firstLaneBit, order->laneBits);
  Value *warpPosition = position(warp, order->firstWarpBit, order->warpBits);
  // The value that the lane `distance` before in the order holds.
  auto fromBefore = [&](const Values &tuple, unsigned distance) {
    Values result;
    unsigned step = distance << order->firstLaneBit;
    Value *source =
        reverse ? builder.CreateAdd(lane, i32(step)) : builder.CreateSub(lane, i32(step));
    source = builder.CreateAnd(source, i32(target.lanes() - 1));
    for (Value *value : tuple)
      result.push_back(
          shuffle(value, [&](Value *word) { return target.shuffleIndex(builder, word, source); }));
    return result;
  };

  // Runs and lanes.
  struct Run {
    unsigned base; // register number without the bits of the run
    Values total;  // of the runs of this lane and those before it in the warp
    Values before; // of the lanes before; meaningless in the first
  };
  llvm::SmallVector<Run> all;
  for (unsigned base = 0; base < registers; ++base) {
    if (base & runMask)
      continue;
    Run run{base, {}, {}};
    for (unsigned i = 1; i < runs; ++i)
      put(runRegister(base, i),
          combine(region, tupleAt(runRegister(base, i - 1)), tupleAt(runRegister(base, i))));
    run.total = tupleAt(runRegister(base, runs - 1));
    for (unsigned distance = 1; distance < 1u << order->laneBits; distance *= 2) {
      Values before = fromBefore(run.total, distance);
      run.total = choose(builder.CreateICmpUGE(lanePosition, i32(distance)),
                         combine(region, before, run.total), run.total);
    }
    if (order->laneBits)
      run.before = fromBefore(run.total, 1);
    all.push_back(std::move(run));
  }

  // Warps leave their totals in shared memory: [run][line across the axis][warp], so that a thread
  // reads those of all warps at once. Lines are told apart by the lane and warp bits that do not
  // move along the axis.
  unsigned warps = 1u << order->warpBits;
  llvm::SmallVector<uint64_t> begins;
  Scratch scratch;
  unsigned lines = 0;
  Value *line = nullptr;
  if (warps > 1) {
    unsigned laneBits = llvm::Log2_32(target.lanes()) - order->laneBits;
    unsigned warpBits = llvm::Log2_32(unsigned(options.numWarps)) - order->warpBits;
    lines = 1u << (laneBits + warpBits);
    uint64_t total = 0;
    for (mlir::Type element : elements)
      total += llvm::alignTo(uint64_t(lines) * all.size() * warps * memoryBytes(element), 16);
    scratch = acquire(total);
    uint64_t begin = scratch.begin;
    for (mlir::Type element : elements) {
      begins.push_back(begin);
      begin += llvm::alignTo(uint64_t(lines) * all.size() * warps * memoryBytes(element), 16);
    }
    auto without = [&](Value *index, unsigned first, unsigned bits) {
      Value *low = builder.CreateAnd(index, i32((1u << first) - 1));
      return builder.CreateOr(low,
                              builder.CreateShl(builder.CreateLShr(index, first + bits), first));
    };
    line = builder.CreateOr(
        without(lane, order->firstLaneBit, order->laneBits),
        builder.CreateShl(without(warp, order->firstWarpBit, order->warpBits), laneBits));
  }
  auto place = [&](unsigned operand, unsigned run, Value *ofWarp) {
    Value *index =
        builder.CreateMul(builder.CreateAdd(line, i32(int64_t(run) * lines)), i32(int64_t(warps)));
    return sharedElement({begins[operand], 0}, builder.CreateAdd(index, ofWarp), elements[operand]);
  };
  // The totals of all warps in a run.
  auto totalsOf = [&](unsigned run) {
    llvm::SmallVector<Values> totals(warps);
    for (unsigned i = 0; i < operands; ++i) {
      unsigned bytes = memoryBytes(elements[i]);
      unsigned wide = std::min(warps, std::max(1u, 16 / bytes));
      for (unsigned first = 0; first < warps; first += wide) {
        Value *pointer = place(i, run, i32(int64_t(first)));
        for (auto [at, value] : llvm::enumerate(loadNeighbours(pointer, wide, elements[i])))
          totals[first + at].push_back(value);
      }
    }
    return totals;
  };
  if (warps > 1) {
    Value *last = builder.CreateICmpEQ(lanePosition, i32((1u << order->laneBits) - 1));
    emitIf(last, [&] {
      for (unsigned run = 0; run < all.size(); ++run)
        for (unsigned i = 0; i < operands; ++i)
          builder.CreateStore(toMemory(all[run].total[i], elements[i]),
                              place(i, run, warpPosition));
    });
    reads(scratch);
  }

  // Everything that comes before a run: chunks, then warps, then lanes.
  llvm::DenseMap<unsigned, Values> carried; // by line: total of the chunks so far
  auto findRun = [&](unsigned base) -> unsigned {
    for (unsigned i = 0; i < all.size(); ++i)
      if (all[i].base == base)
        return i;
    return 0;
  };
  for (unsigned row = 0; row < registers; ++row) {
    if (row & axisMask)
      continue;
    Values chunkTotal; // empty: nothing before
    for (unsigned step = 0; step < chunks; ++step) {
      unsigned base = row | spread(reverse ? chunks - 1 - step : step, order->chunkBits);
      unsigned number = findRun(base);
      Run &run = all[number];
      Values prefix = chunkTotal; // of everything before this warp
      Value *hasPrefix = prefix.empty() ? nullptr : builder.getTrue();
      Values total = run.total;
      if (warps > 1) {
        Values sum = chunkTotal;
        const llvm::SmallVector<Values> totals = totalsOf(number);
        for (unsigned w = 0; w < warps; ++w) {
          const Values &one = totals[w];
          if (!sum.empty()) {
            // Warps behind w have seen sum.
            Value *behind = builder.CreateICmpEQ(warpPosition, i32(w));
            if (hasPrefix && prefix.size())
              prefix = choose(behind, sum, prefix);
            else
              prefix = sum;
            if (!chunkTotal.empty())
              hasPrefix = builder.getTrue();
            else
              hasPrefix = builder.CreateICmpUGT(warpPosition, i32(0));
            sum = combine(region, sum, one);
          } else {
            sum = one;
          }
        }
        chunkTotal = sum;
      } else if (chunks > 1) {
        // The last lane's total, for all lanes of the line.
        Value *lastLane = lane;
        if (order->laneBits) {
          unsigned mask = ((1u << order->laneBits) - 1) << order->firstLaneBit;
          lastLane = reverse ? builder.CreateAnd(lane, i32(int64_t(~mask)))
                             : builder.CreateOr(lane, i32(mask));
        }
        Values one;
        for (Value *value : total)
          one.push_back(order->laneBits
                            ? shuffle(value,
                                      [&](Value *word) {
                                        return target.shuffleIndex(builder, word, lastLane);
                                      })
                            : value);
        chunkTotal = chunkTotal.empty() ? one : combine(region, chunkTotal, one);
      }
      // With the lanes before.
      Value *hasLanes = order->laneBits ? builder.CreateICmpUGT(lanePosition, i32(0)) : nullptr;
      for (unsigned i = 0; i < runs; ++i) {
        unsigned reg = runRegister(base, i);
        Values value = tupleAt(reg);
        if (hasLanes)
          value = choose(hasLanes, combine(region, run.before, value), value);
        if (hasPrefix)
          value = choose(hasPrefix, combine(region, prefix, value), value);
        put(reg, value);
      }
    }
  }
  if (warps > 1)
    release(scratch);
  for (unsigned i = 0; i < operands; ++i) {
    mlir::Value result = op.getResult()[i];
    set(result, convert(state[i], work, ttg::layoutOf(result.getType()), elements[i]));
  }
}

} // namespace tl::backend
