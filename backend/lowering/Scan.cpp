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
// A deterministic launch joins two parts a level, bit after bit of the position from the lowest,
// whatever holds it: the order then follows from the extent of the axis alone.
//
// A level of n parts costs n - 1 shuffles and one combination an element; 32 lanes are one level of
// 32, two of 8 and 4, ... five of 2, whichever is least work for the length of the runs.
#include "lowering/Reduction.h"
#include "lowering/ScanOrder.h"

#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// One scan. A *tuple* has one scalar of each operand; `state` holds the tuples of all registers of
/// this thread, at first the elements, in the end the prefixes. A *run* is named by its base, the
/// register number without the run's bits; its elements lie in the order of the scan.
///
/// After each step a tuple is the prefix within a larger part: a run, a group of lanes, all lanes
/// of the warp, all warps of the chunk, the whole axis. The last tuple of a part is its total.
class Scanner {
public:
  Scanner(KernelLowering &kernel, tt::ScanOp op);

  /// Step 1: within each thread, each element is combined with the one before it.
  void scanRuns();
  /// Step 2: the lanes, level by level.
  void scanLanes();
  /// Step 3: the warps, and the chunks one after another.
  void scanWarpsAndChunks();
  /// Gives the results to the operation, in the layouts that it asks for.
  void finish();

private:
  // ---- Tuples
  Values tupleAt(unsigned reg) const;
  void put(unsigned reg, const Values &tuple);
  Values choose(Value *condition, const Values &yes, const Values &no);
  Values combineTwo(const Values &first, const Values &second) {
    return combine(kernel, region, first, second);
  }
  unsigned runRegister(unsigned base, unsigned i) const {
    return base | spread(reverse ? runs - 1 - i : i, order.runBits);
  }
  Values totalOf(unsigned base) const { return tupleAt(runRegister(base, runs - 1)); }
  Values fromLane(const Values &tuple, Value *lane);
  void prepend(unsigned base, Values carry, Value *something);

  // ---- Places along the axis
  Value *position(Value *index, unsigned first, unsigned bits);
  unsigned registerMask(llvm::ArrayRef<unsigned> bits) const { return spread(~0u, bits); }

  // ---- Runs and lanes
  void joinPairs(unsigned bits, llvm::function_ref<void(unsigned before, unsigned i)> join);
  unsigned combinationCost() const;
  void scanLevel(unsigned below, unsigned bits);

  // ---- Warps
  void joinWarpsAndChunks();
  void shareTotals();
  Value *lineOf();
  Value *totalPointer(unsigned operand, unsigned run, Value *ofWarp);
  llvm::SmallVector<Values> totalsOf(unsigned run);
  Values lastLaneTotal(unsigned base);

  KernelLowering &kernel;
  llvm::IRBuilder<> &b;
  tt::ScanOp op;
  mlir::Region &region;
  const bool reverse, inPairs; // inPairs: of a deterministic launch
  LinearLayout work;
  ScanOrder order;
  llvm::SmallVector<mlir::Type> elements; // of the operands
  llvm::SmallVector<Values> state;        // by operand, by register
  unsigned runs = 1, chunks = 1;          // elements of a run; runs of a thread along the axis
  unsigned warps = 1;                     // along the axis
  llvm::SmallVector<unsigned> bases;      // of all runs of the thread
  Value *lanePosition = nullptr;          // along the axis, in the order of the scan
  Value *warpPosition = nullptr;
  Values neutral; // changes no tuple that it is combined with; empty if nothing is known to
  // Totals of the warps in shared memory: [run][line across the axis][warp].
  Scratch scratch;
  llvm::SmallVector<uint64_t> arrays; // addresses, by operand
  unsigned lines = 0;
  Value *line = nullptr; // of this thread
};

Scanner::Scanner(KernelLowering &kernel, tt::ScanOp op)
    : kernel(kernel), b(kernel.builder), op(op), region(op.getCombineOp()),
      reverse(op.getReverse()), inPairs(kernel.options.deterministic) {
  unsigned axis = unsigned(op.getAxis()), lanes = kernel.target.program.lanes();
  auto type = mlir::cast<mlir::RankedTensorType>(op.getSrcs()[0].getType());
  Shape shape(type.getShape().begin(), type.getShape().end());
  uint64_t bytes = 0;
  for (mlir::Value source : op.getSrcs())
    bytes += memoryBytes(elementType(source.getType()));
  work = layoutInOrder(ttg::layoutOf(type), shape, axis, lanes, kernel.warps, bytes,
                       kernel.target.program.maxSharedBytes() / 2);
  order = *scanOrder(work, axis);
  for (mlir::Value source : op.getSrcs()) {
    elements.push_back(elementType(source.getType()));
    state.push_back(convert(kernel, source, work));
  }
  kernel.enterScalars(region);
  runs = 1u << order.runBits.size();
  chunks = 1u << order.chunkBits.size();
  warps = 1u << order.warpBits;
  for (unsigned base = 0; base < 1u << work.inBits("register"); ++base)
    if (!(base & registerMask(order.runBits)))
      bases.push_back(base);
  lanePosition = position(kernel.threads.lane, order.firstLaneBit, order.laneBits);
  warpPosition = position(kernel.threads.warp, order.firstWarpBit, order.warpBits);
  if (state.size() == 1)
    if (Value *value = neutralValue(region, elements[0], state[0][0]->getType()))
      neutral = {value};
}

// ---- Tuples

Values Scanner::tupleAt(unsigned reg) const {
  Values tuple;
  for (const Values &operand : state)
    tuple.push_back(operand[reg]);
  return tuple;
}

void Scanner::put(unsigned reg, const Values &tuple) {
  for (unsigned i = 0; i < state.size(); ++i)
    state[i][reg] = tuple[i];
}

Values Scanner::choose(Value *condition, const Values &yes, const Values &no) {
  Values result;
  for (unsigned i = 0; i < yes.size(); ++i)
    result.push_back(b.CreateSelect(condition, yes[i], no[i]));
  return result;
}

/// The tuple that another lane holds.
Values Scanner::fromLane(const Values &tuple, Value *lane) {
  Values result;
  for (Value *value : tuple)
    result.push_back(shuffle(kernel, value, [&](Value *word) {
      return kernel.target.threads.shuffleIndex(b, word, lane);
    }));
  return result;
}

/// Puts what comes before a run in front of its elements, where there is something before it (null:
/// always). With what changes nothing as carry elsewhere, the result need not be chosen.
void Scanner::prepend(unsigned base, Values carry, Value *something) {
  if (something && !neutral.empty())
    carry = choose(something, carry, neutral);
  for (unsigned i = 0; i < runs; ++i) {
    unsigned reg = runRegister(base, i);
    Values value = tupleAt(reg), joined = combineTwo(carry, value);
    put(reg, something && neutral.empty() ? choose(something, joined, value) : joined);
  }
}

/// The number that some bits of an index make, counted in the order of the scan.
Value *Scanner::position(Value *index, unsigned first, unsigned bits) {
  Value *at = b.CreateAnd(b.CreateLShr(index, first), kernel.i32((1u << bits) - 1));
  return reverse ? b.CreateSub(kernel.i32((1u << bits) - 1), at) : at;
}

// ---- Runs and lanes

/// For each bit from the lowest, each place in the second part of a pair with the last one before
/// that part.
void Scanner::joinPairs(unsigned bits, llvm::function_ref<void(unsigned before, unsigned i)> join) {
  for (unsigned bit = 0; bit < bits; ++bit)
    for (unsigned i = 0; i < 1u << bits; ++i)
      if (i >> bit & 1)
        join((i >> bit << bit) - 1, i);
}

void Scanner::scanRuns() {
  if (inPairs) {
    for (unsigned base : bases)
      joinPairs(unsigned(order.runBits.size()), [&](unsigned before, unsigned i) {
        put(runRegister(base, i),
            combineTwo(tupleAt(runRegister(base, before)), tupleAt(runRegister(base, i))));
      });
    return;
  }
  for (unsigned base : bases)
    for (unsigned i = 1; i < runs; ++i)
      put(runRegister(base, i),
          combineTwo(tupleAt(runRegister(base, i - 1)), tupleAt(runRegister(base, i))));
}

/// About how many instructions combine two tuples.
unsigned Scanner::combinationCost() const {
  unsigned cost = 0;
  for (mlir::Operation &inner : region.front().without_terminator()) {
    bool converts = llvm::any_of(inner.getResultTypes(), [](mlir::Type type) {
      return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
    });
    cost += converts ? 4 : 1;
  }
  return cost;
}

void Scanner::scanLanes() {
  unsigned words = 0;
  for (mlir::Type element : elements)
    words += llvm::divideCeil(memoryBytes(element), 4);
  if (inPairs) {
    for (unsigned bit = 0; bit < order.laneBits; ++bit)
      scanLevel(bit, 1);
    return;
  }
  unsigned below = 0;
  for (unsigned bits :
       chooseLevels(order.laneBits, runs, words, combinationCost(), neutral.empty())) {
    scanLevel(below, bits);
    below += bits;
  }
}

/// One level: parts of `1 << below` lanes, which are scanned, are joined, `1 << bits` of them.
/// Every lane reads the totals of the parts one after another, sums them up, and keeps as its carry
/// the sum of those before its own part:
///
///     bits = 2, part 2:   sum = T0, T0+T1, (T0+T1)+T2;   carry = T0+T1
void Scanner::scanLevel(unsigned below, unsigned bits) {
  unsigned parts = 1u << bits, mask = ((1u << (below + bits)) - 1) << order.firstLaneBit;
  Value *others = b.CreateAnd(kernel.threads.lane,
                              kernel.i32(int64_t(~mask) & (kernel.target.program.lanes() - 1)));
  Value *part = b.CreateAnd(b.CreateLShr(lanePosition, below), kernel.i32(parts - 1));
  llvm::SmallVector<Value *> lastLanes, isAfter; // of a part; whether this lane comes after it
  for (unsigned i = 0; i + 1 < parts; ++i) {
    unsigned last = (i << below) + (1u << below) - 1;
    unsigned number = (reverse ? ~last : last) << order.firstLaneBit & mask;
    lastLanes.push_back(b.CreateOr(others, kernel.i32(number)));
    isAfter.push_back(b.CreateICmpUGT(part, kernel.i32(i)));
  }
  for (unsigned base : bases) {
    const Values own = totalOf(base);
    Values carry, sum;
    for (unsigned i = 0; i + 1 < parts; ++i) {
      Values total = fromLane(own, lastLanes[i]);
      sum = i == 0 ? total : combineTwo(sum, total);
      carry = i == 0 ? total : choose(isAfter[i], sum, carry);
    }
    prepend(base, carry, isAfter[0]);
  }
}

// ---- Warps and chunks

/// Warps leave their totals in shared memory: [run][line across the axis][warp], so that a thread
/// reads those of all warps at once.
void Scanner::shareTotals() {
  unsigned laneBits = llvm::Log2_32(kernel.target.program.lanes()) - order.laneBits;
  unsigned warpBits = llvm::Log2_32(kernel.warps) - order.warpBits;
  lines = 1u << (laneBits + warpBits);
  uint64_t total = 0;
  for (mlir::Type element : elements) {
    arrays.push_back(total);
    total += llvm::alignTo(uint64_t(lines) * bases.size() * warps * memoryBytes(element), 16);
  }
  scratch = kernel.shared.acquire(total);
  for (uint64_t &array : arrays)
    array += scratch.begin;
  line = lineOf();
  Value *last = b.CreateICmpEQ(lanePosition, kernel.i32((1u << order.laneBits) - 1));
  kernel.emitIf(last, [&] {
    for (unsigned run = 0; run < bases.size(); ++run)
      for (unsigned i = 0; i < elements.size(); ++i) {
        Value *bits = kernel.toMemory(totalOf(bases[run])[i], elements[i]);
        b.CreateStore(bits, totalPointer(i, run, warpPosition));
      }
  });
  kernel.shared.reads(scratch);
}

/// The number of this thread's line: the bits of lane and warp that do not move along the axis.
Value *Scanner::lineOf() {
  auto without = [&](Value *index, unsigned first, unsigned bits) {
    Value *low = b.CreateAnd(index, kernel.i32((1u << first) - 1));
    return b.CreateOr(low, b.CreateShl(b.CreateLShr(index, first + bits), first));
  };
  unsigned laneBits = llvm::Log2_32(kernel.target.program.lanes()) - order.laneBits;
  Value *ofLane = without(kernel.threads.lane, order.firstLaneBit, order.laneBits);
  Value *ofWarp = without(kernel.threads.warp, order.firstWarpBit, order.warpBits);
  return b.CreateOr(ofLane, b.CreateShl(ofWarp, laneBits));
}

Value *Scanner::totalPointer(unsigned operand, unsigned run, Value *ofWarp) {
  Value *index =
      b.CreateMul(b.CreateAdd(line, kernel.i32(int64_t(run) * lines)), kernel.i32(int64_t(warps)));
  return kernel.shared.element({arrays[operand], 0}, b.CreateAdd(index, ofWarp), elements[operand]);
}

/// The totals of all warps in a run.
llvm::SmallVector<Values> Scanner::totalsOf(unsigned run) {
  llvm::SmallVector<Values> totals(warps);
  for (unsigned i = 0; i < elements.size(); ++i) {
    unsigned wide = std::min(warps, std::max(1u, 16 / memoryBytes(elements[i])));
    for (unsigned first = 0; first < warps; first += wide) {
      Value *pointer = totalPointer(i, run, kernel.i32(int64_t(first)));
      for (auto [at, value] : llvm::enumerate(loadNeighbours(kernel, pointer, wide, elements[i])))
        totals[first + at].push_back(value);
    }
  }
  return totals;
}

/// The last lane's total, for all lanes of the line.
Values Scanner::lastLaneTotal(unsigned base) {
  unsigned mask = ((1u << order.laneBits) - 1) << order.firstLaneBit;
  Value *lane = kernel.threads.lane;
  Value *lastLane =
      reverse ? b.CreateAnd(lane, kernel.i32(int64_t(~mask))) : b.CreateOr(lane, kernel.i32(mask));
  Values total = totalOf(base);
  return order.laneBits ? fromLane(total, lastLane) : total;
}

/// In each level, the second of two parts gets what the first one comes to.
void Scanner::joinWarpsAndChunks() {
  if (warps > 1)
    shareTotals();
  unsigned axisMask = registerMask(order.runBits) | registerMask(order.chunkBits);
  auto pairs = [&](const llvm::SmallVector<Values> &totals) {
    llvm::SmallVector<Values> joined;
    for (unsigned i = 0; i < totals.size(); i += 2)
      joined.push_back(combineTwo(totals[i], totals[i + 1]));
    return joined;
  };
  for (unsigned row = 0; row < 1u << work.inBits("register"); ++row) {
    if (row & axisMask)
      continue;
    auto baseOf = [&](unsigned chunk) {
      return row | spread(reverse ? chunks - 1 - chunk : chunk, order.chunkBits);
    };
    llvm::SmallVector<Values> totals; // of the chunks
    for (unsigned chunk = 0; chunk < chunks && warps * chunks > 1; ++chunk) {
      const unsigned base = baseOf(chunk);
      llvm::SmallVector<Values> parts = {};
      if (warps > 1)
        parts = totalsOf(unsigned(llvm::find(bases, base) - bases.begin()));
      else
        parts.push_back(lastLaneTotal(base));
      for (unsigned bit = 0; parts.size() > 1; ++bit) {
        Value *part = b.CreateLShr(warpPosition, bit);
        Values carry = parts[0];
        for (unsigned i = 2; i < parts.size(); i += 2)
          carry = choose(b.CreateICmpUGT(part, kernel.i32(i)), parts[i], carry);
        Value *isSecond = b.CreateICmpNE(b.CreateAnd(part, kernel.i32(1)), kernel.i32(0));
        prepend(base, carry, isSecond);
        parts = pairs(parts);
      }
      totals.push_back(parts[0]);
    }
    for (unsigned bit = 0; totals.size() > 1; ++bit) {
      for (unsigned chunk = 0; chunk < chunks; ++chunk)
        if (chunk >> bit & 1)
          prepend(baseOf(chunk), totals[(chunk >> bit) - 1], nullptr);
      totals = pairs(totals);
    }
  }
  if (warps > 1)
    kernel.shared.release(scratch);
}

/// What comes before a warp are the chunks so far, then the warps before it in its chunk. `sum`
/// runs over all of them in this order, the same in all threads of a line; a thread's carry is the
/// sum just before its warp.
void Scanner::scanWarpsAndChunks() {
  if (inPairs)
    return joinWarpsAndChunks();
  if (warps > 1)
    shareTotals();
  unsigned axisMask = registerMask(order.runBits) | registerMask(order.chunkBits);
  for (unsigned row = 0; row < 1u << work.inBits("register"); ++row) {
    if (row & axisMask)
      continue;
    Values chunksBefore; // empty: nothing before
    for (unsigned step = 0; step < chunks; ++step) {
      unsigned base = row | spread(reverse ? chunks - 1 - step : step, order.chunkBits);
      Values carry = chunksBefore, sum = chunksBefore;
      Value *something = nullptr;
      if (warps > 1) {
        if (carry.empty())
          something = b.CreateICmpUGT(warpPosition, kernel.i32(0));
        const llvm::SmallVector<Values> totals =
            totalsOf(unsigned(llvm::find(bases, base) - bases.begin()));
        for (unsigned w = 0; w < warps; ++w) {
          if (w > 0)
            carry = carry.empty()
                        ? sum
                        : choose(b.CreateICmpUGE(warpPosition, kernel.i32(w)), sum, carry);
          sum = sum.empty() ? totals[w] : combineTwo(sum, totals[w]);
        }
      } else if (chunks > 1) {
        Values total = lastLaneTotal(base);
        sum = sum.empty() ? total : combineTwo(sum, total);
      }
      if (!carry.empty())
        prepend(base, carry, something);
      chunksBefore = sum;
    }
  }
  if (warps > 1)
    kernel.shared.release(scratch);
}

void Scanner::finish() {
  for (unsigned i = 0; i < elements.size(); ++i) {
    mlir::Value result = op.getResult()[i];
    kernel.set(result,
               convert(kernel, state[i], work, ttg::layoutOf(result.getType()), elements[i]));
  }
}

void emitScan(KernelLowering &kernel, tt::ScanOp op) {
  Scanner scanner(kernel, op);
  scanner.scanRuns();
  scanner.scanLanes();
  scanner.scanWarpsAndChunks();
  scanner.finish();
}

} // namespace

void registerScan(OperationTable &table) { table.add<emitScan>(); }

} // namespace tl::backend
