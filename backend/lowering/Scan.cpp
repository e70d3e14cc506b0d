// SPDX-License-Identifier: MIT
//
// Prefix combinations. The axis is cut into chunks; within a chunk, a thread holds a run of
// neighbours, the lanes of a warp hold neighbouring runs, the warps neighbouring stretches:
//
//   coordinate bits, low to high:   registers | lanes | warps | registers (the chunks)
//
// Each thread scans its run. Then parts that lie side by side are joined, level by level: runs to
// groups of lanes, those to warps (by shuffles), warps through shared memory to chunks, and the
// chunks one after another. Operands are always combined in the order of the axis, so the operation
// need not commute. A layout that is not of this kind is converted first. In reverse, "before"
// means at a higher coordinate.
//
// Running sums never decrease
// ---------------------------
// Sums are rounded, so another order of addition is another sum, and with numbers that are not
// negative a prefix must not come out below the one before it: who searches in them relies on it.
// What that takes is that at each level, a part's elements change by one addition only,
//
//   v' = fl(carry of the part + v),
//
// and that the carries are a chain:  carry of part p + 1 = fl(carry of part p + total of part p),
// where the total of a part is its last element, as it came out of the level below. Let the
// elements of each part not decrease. Then neither do they after the level: within a part, since
// fl(c + v) does not decrease in v; and from part p to the next, since the last element of p
// becomes fl(carry + total), which is just the carry of p + 1, and fl(carry + v) with v >= 0 is not
// below the carry. Runs start it: each prefix there is the rounded sum of the one before and an
// element.
//
// The usual scan over lanes, at distances 1, 2, 4 …, lacks the chain: the sum of 8 lanes is made of
// two sums of four, the sum of 7 otherwise, and may round to more.
//
// With parts 0 1 2 3 of two elements each, in one level:
//
//     run            a  a+b | c  c+d | e  e+f | g  g+h        T0 = a+b, T1 = c+d, T2 = e+f
//     carry          -      | T0     | T0+T1  | (T0+T1)+T2
//
// A level of n parts costs n - 1 shuffles and one combination an element; 32 lanes are one level of
// 32, two of 8 and 4, ... five of 2, whichever is least work for the length of the runs.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

#include <limits>

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

/// The bits of the lane's position that each level joins, from the lowest, for the least work in
/// all: a shuffle takes as long as four other instructions. `words` of 32 bits make an element,
/// `combination` operations combine two, and `chosen` says that the result then has to be chosen.
llvm::SmallVector<unsigned> chooseLevels(unsigned laneBits, unsigned run, unsigned words,
                                         unsigned combination, bool chosen) {
  auto cost = [&](unsigned bits) {
    unsigned parts = 1u << bits;
    return (parts - 1) * 5 * words + (parts - 2) * combination +
           run * (combination + (chosen ? words : 0));
  };
  llvm::SmallVector<unsigned> best = {0}, last = {0}; // by the number of bits
  for (unsigned bits = 1; bits <= laneBits; ++bits) {
    best.push_back(~0u);
    last.push_back(0);
    for (unsigned level = 1; level <= bits; ++level)
      if (unsigned sum = cost(level) + best[bits - level]; sum < best[bits]) {
        best[bits] = sum;
        last[bits] = level;
      }
  }
  llvm::SmallVector<unsigned> levels;
  for (unsigned bits = laneBits; bits > 0; bits -= last[bits])
    levels.push_back(last[bits]);
  return levels;
}

/// What changes no operand of a function that is one operation; null if it is not, or if nothing
/// is so.
Value *neutralValue(mlir::Region &region, mlir::Type element, llvm::Type *type) {
  mlir::Block &block = region.front();
  if (block.getNumArguments() != 2 || std::next(block.begin(), 2) != block.end())
    return nullptr;
  mlir::Operation &only = block.front();
  if (only.getNumOperands() != 2 || only.getNumResults() != 1 ||
      only.getOperand(0) == only.getOperand(1) ||
      !llvm::all_of(
          only.getOperands(),
          [&](mlir::Value operand) { return llvm::is_contained(block.getArguments(), operand); }) ||
      block.getTerminator()->getOperand(0) != only.getResult(0))
    return nullptr;
  namespace arith = mlir::arith;
  unsigned width = type->getScalarSizeInBits();
  auto integer = [&](llvm::APInt value) { return llvm::ConstantInt::get(type, value); };
  auto number = [&](double value) -> Value * { // narrow floats are integers in registers
    auto format = mlir::dyn_cast<mlir::FloatType>(element);
    if (!format || !(element.isF16() || element.isBF16() || element.isF32() || element.isF64()))
      return nullptr;
    llvm::APFloat bits(value);
    bool inexact;
    bits.convert(format.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return type->isFloatingPointTy() ? static_cast<Value *>(llvm::ConstantFP::get(type, bits))
                                     : llvm::ConstantInt::get(type, bits.bitcastToAPInt());
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<mlir::Operation *, Value *>(&only)
      .Case([&](arith::AddFOp) { return number(-0.0); })
      .Case([&](arith::MulFOp) { return number(1); })
      .Case([&](arith::MaximumFOp) { return number(-infinity); })
      .Case([&](arith::MinimumFOp) { return number(infinity); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(llvm::APInt::getZero(width)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](auto) { return integer(llvm::APInt::getAllOnes(width)); })
      .Case([&](arith::MulIOp) { return integer(llvm::APInt(width, 1)); })
      .Case([&](arith::MaxSIOp) { return integer(llvm::APInt::getSignedMinValue(width)); })
      .Case([&](arith::MinSIOp) { return integer(llvm::APInt::getSignedMaxValue(width)); })
      .Default([](mlir::Operation *) -> Value * { return nullptr; });
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
  // With what changes nothing as carry of the first part, the result need not be chosen.
  Values neutral;
  if (operands == 1)
    if (Value *value = neutralValue(region, elements[0], state[0][0]->getType()))
      neutral = {value};
  /// Puts what comes before a run in front of its elements, where there is something before it
  /// (null: always).
  auto prepend = [&](unsigned base, Values carry, Value *something) {
    if (something && !neutral.empty())
      carry = choose(something, carry, neutral);
    for (unsigned i = 0; i < runs; ++i) {
      unsigned reg = runRegister(base, i);
      Values value = tupleAt(reg), joined = combine(region, carry, value);
      put(reg, something && neutral.empty() ? choose(something, joined, value) : joined);
    }
  };
  auto totalOf = [&](unsigned base) { return tupleAt(runRegister(base, runs - 1)); };

  // Runs, and the levels of lanes. A part is `1 << below` lanes.
  llvm::SmallVector<unsigned> bases; // register numbers without the bits of the run
  for (unsigned base = 0; base < registers; ++base)
    if (!(base & runMask))
      bases.push_back(base);
  for (unsigned base : bases)
    for (unsigned i = 1; i < runs; ++i)
      put(runRegister(base, i),
          combine(region, tupleAt(runRegister(base, i - 1)), tupleAt(runRegister(base, i))));
  unsigned words = 0;
  for (mlir::Type element : elements)
    words += llvm::divideCeil(memoryBytes(element), 4);
  unsigned combination = 0;
  for (mlir::Operation &inner : region.front().without_terminator()) {
    bool converts = llvm::any_of(inner.getResultTypes(), [](mlir::Type type) {
      return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
    });
    combination += converts ? 4 : 1;
  }
  unsigned below = 0;
  for (unsigned bits : chooseLevels(order->laneBits, runs, words, combination, neutral.empty())) {
    unsigned parts = 1u << bits, mask = ((1u << (below + bits)) - 1) << order->firstLaneBit;
    Value *others = builder.CreateAnd(lane, i32(int64_t(~mask) & (target.lanes() - 1)));
    Value *part = builder.CreateAnd(builder.CreateLShr(lanePosition, below), i32(parts - 1));
    llvm::SmallVector<Value *> lastLanes, behind; // of a part; whether this lane comes after it
    for (unsigned i = 0; i + 1 < parts; ++i) {
      unsigned position = (i << below) + (1u << below) - 1;
      unsigned number = (reverse ? ~position : position) << order->firstLaneBit & mask;
      lastLanes.push_back(builder.CreateOr(others, i32(number)));
      behind.push_back(builder.CreateICmpUGT(part, i32(i)));
    }
    for (unsigned base : bases) {
      const Values own = totalOf(base);
      Values carry, sum;
      for (unsigned i = 0; i + 1 < parts; ++i) {
        Values total;
        for (Value *value : own)
          total.push_back(shuffle(value, [&](Value *word) {
            return target.shuffleIndex(builder, word, lastLanes[i]);
          }));
        sum = i == 0 ? total : combine(region, sum, total);
        carry = i == 0 ? total : choose(behind[i], sum, carry);
      }
      prepend(base, carry, behind[0]);
    }
    below += bits;
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
      total += llvm::alignTo(uint64_t(lines) * bases.size() * warps * memoryBytes(element), 16);
    scratch = acquire(total);
    uint64_t begin = scratch.begin;
    for (mlir::Type element : elements) {
      begins.push_back(begin);
      begin += llvm::alignTo(uint64_t(lines) * bases.size() * warps * memoryBytes(element), 16);
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
      for (unsigned run = 0; run < bases.size(); ++run)
        for (unsigned i = 0; i < operands; ++i)
          builder.CreateStore(toMemory(totalOf(bases[run])[i], elements[i]),
                              place(i, run, warpPosition));
    });
    reads(scratch);
  }

  // What comes before a warp: the chunks so far, then the warps.
  for (unsigned row = 0; row < registers; ++row) {
    if (row & axisMask)
      continue;
    Values chunksBefore; // empty: nothing before
    for (unsigned step = 0; step < chunks; ++step) {
      unsigned base = row | spread(reverse ? chunks - 1 - step : step, order->chunkBits);
      Values carry = chunksBefore, sum = chunksBefore;
      Value *something = nullptr;
      if (warps > 1) {
        if (carry.empty())
          something = builder.CreateICmpUGT(warpPosition, i32(0));
        const llvm::SmallVector<Values> totals =
            totalsOf(unsigned(llvm::find(bases, base) - bases.begin()));
        for (unsigned w = 0; w < warps; ++w) {
          if (w > 0)
            carry = carry.empty() ? sum
                                  : choose(builder.CreateICmpUGE(warpPosition, i32(w)), sum, carry);
          sum = sum.empty() ? totals[w] : combine(region, sum, totals[w]);
        }
      } else if (chunks > 1) {
        // The last lane's total, for all lanes of the line.
        unsigned mask = ((1u << order->laneBits) - 1) << order->firstLaneBit;
        Value *lastLane = reverse ? builder.CreateAnd(lane, i32(int64_t(~mask)))
                                  : builder.CreateOr(lane, i32(mask));
        Values total = totalOf(base);
        if (order->laneBits)
          for (Value *&value : total)
            value = shuffle(
                value, [&](Value *word) { return target.shuffleIndex(builder, word, lastLane); });
        sum = sum.empty() ? total : combine(region, sum, total);
      }
      if (!carry.empty())
        prepend(base, carry, something);
      chunksBefore = sum;
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
