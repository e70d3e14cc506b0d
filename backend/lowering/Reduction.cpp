// SPDX-License-Identifier: MIT
//
// Reductions in three steps, each on fewer values: the registers of a thread, the lanes of a warp
// by exchanging with lanes at distance 1, 2, 4 and so on, and the warps through shared memory. All
// threads end with the result.
//
//     tensor<8x64> along axis 1, a thread has 4 neighbours, 16 lanes and 2 warps lie along the axis
//       registers   4 -> 1 in each thread
//       lanes       exchanges at distance 1, 2, 4, 8
//       warps       2 parts of each row in shared memory, which every thread reads or lanes share
//
// A deterministic launch combines neighbours, then neighbouring pairs, and so on: bit after bit of
// the position from the lowest, whatever holds it, so that the tree follows from the extent alone.
// The steps are that tree where the bits lie in this order, as a scan wants them (ScanOrder.h); a
// layout that is not so is converted. Register bits above those of lanes and warps, the chunks,
// come last: until then they are an axis of their own.
//
//     tensor<4096>, 4 neighbours a thread, 32 lanes, 4 warps      seen as tensor<8x512>, axis 1
//       registers 4 -> 1, lanes, warps: 8 results a thread; then these 8 -> 1
#include "lowering/Reduction.h"

#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/ScanOrder.h"
#include "lowering/SharedTensors.h"
#include "passes/FuseMultiplyAdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

Values combine(KernelLowering &kernel, mlir::Region &region, llvm::ArrayRef<Value *> a,
               llvm::ArrayRef<Value *> b) {
  Values arguments(a.begin(), a.end());
  arguments.append(b.begin(), b.end());
  return kernel.emitScalars(region, arguments);
}

Values combineAll(llvm::SmallVector<Values> tuples,
                  llvm::function_ref<Values(const Values &, const Values &)> combine) {
  while (tuples.size() > 1) {
    llvm::SmallVector<Values> next;
    for (size_t i = 0; i + 1 < tuples.size(); i += 2)
      next.push_back(combine(tuples[i], tuples[i + 1]));
    tuples = std::move(next);
  }
  return tuples[0];
}

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

/// The lowest bits of a number at the places of a mask's bits.
uint64_t scatter(uint64_t number, uint64_t mask) {
  uint64_t scattered = 0;
  for (; mask; mask &= mask - 1, number >>= 1)
    if (number & 1)
      scattered |= mask & ~(mask - 1);
  return scattered;
}

/// Of the elements that some lanes have in common, how many a lane reads, and how many lanes read
/// parts of the same.
struct Sharing {
  unsigned elements, readers;
};

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

/// The operation that a function of two booleans is, if lanes can vote on it; null otherwise.
mlir::Operation *votedBy(mlir::Region &region) {
  mlir::Operation &first = region.front().front();
  bool isVote = isCommutative(region) && first.getNumResults() == 1 &&
                first.getResult(0).getType().isInteger(1) &&
                mlir::isa<mlir::arith::AndIOp, mlir::arith::OrIOp>(first);
  return isVote ? &first : nullptr;
}

/// One reduction. The tensor's layout is one in which bits of register, lane and warp either move
/// along the axis alone or not at all (isSeparableAlong); operands that are not are converted. A
/// *tuple* has one scalar of each operand. After each step there is one tuple for each register of
/// the slice layout, the layout of the result, and all threads that a step combined have the same.
class Reducer {
public:
  Reducer(KernelLowering &kernel, tt::ReduceOp op);

  /// Step 1: the registers of each thread.
  void combineRegisters();
  /// Step 2: the lanes whose numbers differ in the bits along the axis.
  void combineLanes();
  /// Step 3: the warps, if more than one lies along the axis.
  void combineWarps();
  /// Step 4 of a deterministic launch: the chunks.
  void combineChunks();
  /// Gives the results to the operation, in the layouts that it asks for.
  void finish();

private:
  bool dependsOnOrder() const;
  void splitChunks(Shape &shape);
  Values combineProducts(const Values &a, const Values &b);
  void combineAcross(Values &tuple, uint64_t laneBits);
  Value *vote(Value *own, uint64_t laneBits);
  bool isDividingBetter(unsigned bits) const;
  void divideAcross(unsigned bit);
  void tellRows();
  Value *isUpper(unsigned bit);
  Value *gather(Value *index, uint64_t bits);
  Value *speaksForWarp(uint64_t idleLanes);
  Sharing sharingOf(unsigned parts) const;
  void tellElements(const Sharing &sharing, uint64_t idleLanes);

  KernelLowering &kernel;
  llvm::IRBuilder<> &b;
  tt::ReduceOp op;
  mlir::Region &region;
  unsigned axis;
  unsigned chunks = 1;                 // an axis before this one
  llvm::SmallVector<unsigned> runBits; // of a deterministic launch: registers, see ScanOrder
  LinearLayout work, slice;            // of the operands; without the axis
  Shape sliceShape;
  llvm::SmallVector<mlir::Type> elements; // of the operands
  llvm::SmallVector<Values> sources;      // of the operands, in the work layout
  llvm::SmallVector<Values> partial;      // tuples, by register of the slice
  unsigned rows = 0;                      // registers of the slice
  llvm::SmallVector<unsigned>
      dividing; // bits of lanes that have divided the rows, see divideAcross
  bool commutative;
  mlir::Operation *voted; // see votedBy
};

Reducer::Reducer(KernelLowering &kernel, tt::ReduceOp op)
    : kernel(kernel), b(kernel.builder), op(op), region(op.getCombineOp()),
      axis(unsigned(op.getAxis())), commutative(isCommutative(region)), voted(votedBy(region)) {
  auto type = mlir::cast<mlir::RankedTensorType>(op.getSrcs()[0].getType());
  Shape shape(type.getShape().begin(), type.getShape().end());
  work = ttg::layoutOf(type);
  for (mlir::Value source : op.getSrcs())
    elements.push_back(elementType(source.getType()));
  const bool inOrder = kernel.options.deterministic && dependsOnOrder();
  if (inOrder)
    work = layoutInOrder(work, shape, axis, kernel.target.program.lanes(), kernel.warps);
  else if (!isSeparableAlong(work, axis))
    work = plainLayout(shape, kernel.target.program.lanes(), kernel.warps);
  for (mlir::Value source : op.getSrcs())
    sources.push_back(convert(kernel, source, work));
  if (inOrder)
    splitChunks(shape);
  slice = sliceLayout(work, axis);
  sliceShape = shape;
  sliceShape.erase(sliceShape.begin() + axis);
  kernel.enterScalars(region);
}

/// Integers come to the same in any order, but for functions that users write.
bool Reducer::dependsOnOrder() const {
  return !commutative ||
         llvm::any_of(elements, [](mlir::Type element) { return !element.isInteger(); });
}

/// The chunks become an axis before this one.
void Reducer::splitChunks(Shape &shape) {
  const ScanOrder order = *scanOrder(work, axis);
  runBits = order.runBits;
  const unsigned bits = unsigned(order.chunkBits.size());
  if (bits == 0)
    return;
  chunks = 1u << bits;
  std::vector<LinearLayout::OutDim> outs; // from the most minor axis
  for (const LinearLayout::OutDim &out : work.outs())
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      if (out.name != dimName(dim))
        continue;
      outs.push_back({dimName(dim < axis ? dim : dim + 1), out.bits - (dim == axis ? bits : 0)});
      if (dim == axis)
        outs.push_back({dimName(dim), bits});
    }
  work = work.reshapeOuts(outs);
  shape[axis] /= chunks;
  shape.insert(shape.begin() + axis, chunks);
  ++axis;
}

void Reducer::combineRegisters() {
  // Products that only sums read go into this one unrounded, one of each pair.
  const bool products =
      kernel.options.fpFusion && !kernel.options.deterministic && tt::addsUnseenProducts(op);
  auto combineTwo = [&](const Values &x, const Values &y) {
    return products ? combineProducts(x, y) : combine(kernel, region, x, y);
  };
  uint64_t along = bitsAlong(work, "register", axis), idle = idleBits(work, "register");
  unsigned registers = 1u << work.inBits("register");
  for (unsigned reg = 0; reg < registers; ++reg) {
    if (reg & (along | idle))
      continue;
    llvm::SmallVector<Values> tuples;
    for (unsigned i = 0; i < 1u << llvm::popcount(along); ++i) {
      unsigned other = unsigned(reg | (runBits.empty() ? scatter(i, along) : spread(i, runBits)));
      Values &tuple = tuples.emplace_back();
      for (const Values &source : sources)
        tuple.push_back(source[other]);
    }
    partial.push_back(combineAll(std::move(tuples), combineTwo));
  }
  rows = unsigned(partial.size());
}

/// Where a thread has several rows, each exchange can leave a lane with half of them.
void Reducer::combineLanes() {
  uint64_t bits = bitsAlong(work, "lane", axis);
  if (!voted && isDividingBetter(unsigned(llvm::popcount(bits))))
    for (; partial.size() > 1 && bits; bits &= bits - 1)
      divideAcross(unsigned(llvm::countr_zero(bits)));
  for (Values &tuple : partial)
    combineAcross(tuple, bits);
  if (!bitsAlong(work, "warp", axis))
    tellRows();
}

/// By the number of exchanges, which are as slow as four other instructions: for 8 rows and 32
/// lanes 4 + 2 + 1 + 1 + 1, and 8 that tell all lanes about all rows, in place of 5 * 8.
bool Reducer::isDividingBetter(unsigned bits) const {
  unsigned divided = std::min(bits, llvm::Log2_32(rows));
  unsigned exchanges = (rows - (rows >> divided)) + (rows >> divided) * (bits - divided) + rows;
  return 2 * exchanges <= rows * bits;
}

/// Lanes whose numbers differ in the bit combine half of the rows each: the upper one keeps the
/// upper half.
void Reducer::divideAcross(unsigned bit) {
  Value *upper = isUpper(bit);
  size_t half = partial.size() / 2;
  for (size_t row = 0; row < half; ++row) {
    Values first, second;
    for (auto [low, high] : llvm::zip(partial[row], partial[row + half])) {
      Value *mine = b.CreateSelect(upper, high, low), *others = b.CreateSelect(upper, low, high);
      others = shuffle(kernel, others, [&](Value *word) {
        return kernel.target.threads.shuffleXor(b, word, 1u << bit);
      });
      first.push_back(commutative ? mine : b.CreateSelect(upper, others, mine));
      second.push_back(commutative ? others : b.CreateSelect(upper, mine, others));
    }
    partial[row] = combine(kernel, region, first, second);
  }
  partial.resize(half);
  dividing.push_back(bit);
}

/// All lanes learn the rows that others have been left with.
void Reducer::tellRows() {
  if (dividing.empty())
    return;
  llvm::SmallVector<Values> left = std::move(partial);
  partial.clear();
  uint64_t mask = 0;
  for (unsigned bit : dividing)
    mask |= uint64_t(1) << bit;
  Value *same = b.CreateAnd(kernel.threads.lane, kernel.i32(int64_t(~mask & 0xffffffff)));
  for (unsigned row = 0; row < rows; ++row) {
    uint64_t keeper = 0;
    for (auto [i, bit] : llvm::enumerate(dividing))
      keeper |= uint64_t((row & (rows >> (i + 1))) != 0) << bit;
    Value *lane = b.CreateOr(same, kernel.i32(int64_t(keeper)));
    Values &tuple = partial.emplace_back();
    for (Value *value : left[row % left.size()])
      tuple.push_back(shuffle(kernel, value, [&](Value *word) {
        return kernel.target.threads.shuffleIndex(b, word, lane);
      }));
  }
  dividing.clear();
}

Value *Reducer::isUpper(unsigned bit) {
  return b.CreateICmpNE(b.CreateAnd(kernel.threads.lane, kernel.i32(int64_t(1) << bit)),
                        kernel.i32(0));
}

/// The sum of two floats, of which the first may be a product: then a fused multiply-add.
Values Reducer::combineProducts(const Values &x, const Values &y) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(x[0]);
  if (!product || product->getOpcode() != llvm::Instruction::FMul)
    return combine(kernel, region, x, y);
  return {b.CreateIntrinsic(llvm::Intrinsic::fma, {product->getType()},
                            {product->getOperand(0), product->getOperand(1), y[0]})};
}

/// Combines the tuples of lanes whose numbers differ in the bits: all of them get the result. For
/// each bit, from the lowest, a lane exchanges with its partner; both must come to the same result,
/// so the lower lane's operand is the first, unless the order does not matter.
void Reducer::combineAcross(Values &tuple, uint64_t laneBits) {
  if (voted && llvm::popcount(laneBits) > 1) {
    tuple = {vote(tuple[0], laneBits)};
    return;
  }
  for (unsigned bit = 0; bit < 6; ++bit) {
    if (!(laneBits >> bit & 1))
      continue;
    Values others;
    for (Value *value : tuple)
      others.push_back(shuffle(kernel, value, [&](Value *word) {
        return kernel.target.threads.shuffleXor(b, word, 1u << bit);
      }));
    Values first = tuple, second = others;
    if (!commutative) {
      Value *upper = isUpper(bit);
      for (unsigned i = 0; i < tuple.size(); ++i) {
        first[i] = b.CreateSelect(upper, others[i], tuple[i]);
        second[i] = b.CreateSelect(upper, tuple[i], others[i]);
      }
    }
    tuple = combine(kernel, region, first, second);
  }
}

/// Each lane learns the booleans of all lanes, and looks at those of its group.
Value *Reducer::vote(Value *own, uint64_t laneBits) {
  Value *votes = kernel.target.threads.ballot(b, own);
  llvm::Type *type = votes->getType();
  uint64_t members = 0; // of the group of lane 0
  for (unsigned i = 0; i < 1u << llvm::popcount(laneBits); ++i)
    members |= uint64_t(1) << scatter(i, laneBits);
  Value *group = llvm::ConstantInt::get(type, members);
  if (unsigned(llvm::popcount(members)) < kernel.target.program.lanes()) {
    Value *first = b.CreateAnd(kernel.threads.lane, kernel.i32(int64_t(~laneBits & 0xffffffff)));
    group = b.CreateShl(group, b.CreateZExtOrTrunc(first, type));
    votes = b.CreateAnd(votes, group);
  }
  return mlir::isa<mlir::arith::AndIOp>(voted) ? b.CreateICmpEQ(votes, group)
                                               : b.CreateIsNotNull(votes);
}

/// The chosen bits of an index, side by side; a run of them is moved at once.
Value *Reducer::gather(Value *index, uint64_t bits) {
  Value *gathered = nullptr;
  for (unsigned to = 0; bits;) {
    unsigned first = unsigned(llvm::countr_zero(bits)), run = 0;
    while (bits >> (first + run) & 1)
      ++run;
    Value *moved = b.CreateAnd(b.CreateLShr(index, first), kernel.i32((int64_t(1) << run) - 1));
    moved = b.CreateShl(moved, to);
    gathered = gathered ? b.CreateOr(gathered, moved) : moved;
    to += run;
    bits &= ~(((uint64_t(1) << run) - 1) << first);
  }
  return gathered ? gathered : kernel.i32(0);
}

/// Whether this thread writes its tuples: of those with equal ones in its part, the first.
Value *Reducer::speaksForWarp(uint64_t idleLanes) {
  auto areZero = [&](Value *index, uint64_t bits) {
    return b.CreateICmpEQ(b.CreateAnd(index, kernel.i32(int64_t(bits))), kernel.i32(0));
  };
  uint64_t idleWarps = idleBits(work, "warp");
  Value *writes = areZero(kernel.threads.lane, idleLanes);
  return idleWarps ? b.CreateAnd(writes, areZero(kernel.threads.warp, idleWarps)) : writes;
}

/// How the lanes that have the same elements of the slice share the parts of these among them, if
/// that is less work than for each lane to combine all of them.
///
///     8 elements, 16 parts, 32 lanes:  4 lanes read an element, 4 parts each; two exchanges
///                                      combine them, and 8 more tell all lanes about all elements
Sharing Reducer::sharingOf(unsigned parts) const {
  unsigned elements = rows, operands = unsigned(sources.size());
  if (elements == 1) // all parts in every thread would take registers where there are fewest
    return {1, sliceShape.empty() && parts > 4 ? parts / 4 : 1};
  unsigned lanes = 1u << llvm::popcount(idleBits(slice, "lane"));
  Sharing sharing{std::max(1u, elements / lanes), std::min(std::max(1u, lanes / elements), parts)};
  auto size = unsigned(std::distance(region.front().begin(), region.front().end()));
  unsigned share = parts / sharing.readers;
  unsigned alone = elements * (operands * parts / 4 + (parts - 1) * size);
  unsigned together = sharing.elements * (operands * share / 4 + (share - 1) * size) +
                      llvm::Log2_32(sharing.readers) * (size + 3 * operands) + elements * operands;
  // An exchange waits longer than what it replaces.
  constexpr unsigned delay = 64;
  return together + delay < alone ? sharing : Sharing{elements, 1};
}

/// Each warp leaves its tuples in shared memory, one array an operand, [element of the
/// slice][part]; the parts of an element are read and combined by every thread, or by a few lanes,
/// which tell the others.
void Reducer::combineWarps() {
  uint64_t warpBits = bitsAlong(work, "warp", axis);
  if (!warpBits)
    return;
  unsigned parts = 1u << llvm::popcount(warpBits);
  uint64_t count = 1;
  for (int64_t extent : sliceShape)
    count *= uint64_t(extent);
  const uint64_t idleLanes = idleBits(slice, "lane");
  uint64_t mayWrite = 0; // lanes that others have left with rows
  for (unsigned bit : dividing)
    mayWrite |= uint64_t(1) << bit;
  Value *part = gather(kernel.threads.warp, warpBits),
        *writes = speaksForWarp(idleLanes & ~mayWrite);
  llvm::SmallVector<uint64_t> offsets;
  uint64_t total = 0;
  for (mlir::Type element : elements) {
    offsets.push_back(total);
    total += llvm::alignTo(count * parts * memoryBytes(element), 16);
  }
  Scratch scratch = kernel.shared.acquire(total);
  auto pointer = [&](unsigned operand, Value *index) {
    return kernel.shared.element({scratch.begin + offsets[operand], 0}, index, elements[operand]);
  };
  const Sharing sharing = sharingOf(parts);
  const bool divided = sharing.elements < rows, inGroups = divided || !dividing.empty();
  // Where lanes divide elements, those of a thread stand side by side.
  auto groupOf = [&] {
    uint64_t warps = (uint64_t(1) << slice.inBits("warp")) - 1,
             lanes = (uint64_t(1) << slice.inBits("lane")) - 1;
    Value *lane = gather(kernel.threads.lane, lanes & ~idleLanes);
    Value *warp = gather(kernel.threads.warp, warps & ~idleBits(slice, "warp"));
    warp = b.CreateShl(warp, llvm::popcount(lanes & ~idleLanes));
    return b.CreateMul(b.CreateOr(lane, warp), kernel.i32(int64_t(rows)));
  };
  Value *group = inGroups ? groupOf() : nullptr, *firstRow = nullptr; // that a lane has kept
  for (auto [i, bit] : llvm::enumerate(dividing)) {
    Value *half = b.CreateSelect(isUpper(bit), kernel.i32(int64_t(rows >> (i + 1))), kernel.i32(0));
    firstRow = firstRow ? b.CreateAdd(firstRow, half) : half;
  }
  auto firstPart = [&](unsigned reg, Value *from = nullptr) {
    Value *element = inGroups ? b.CreateAdd(group, kernel.i32(reg))
                              : kernel.threads.flatElement(slice, reg, sliceShape);
    element = from ? b.CreateAdd(element, from) : element;
    return b.CreateMul(element, kernel.i32(parts));
  };
  kernel.emitIf(writes, [&] {
    for (unsigned reg = 0; reg < partial.size(); ++reg)
      for (unsigned i = 0; i < elements.size(); ++i) {
        Value *bits = kernel.toMemory(partial[reg][i], elements[i]);
        b.CreateStore(bits, pointer(i, b.CreateAdd(firstPart(reg, firstRow), part)));
      }
  });
  partial.resize(rows);
  kernel.shared.reads(scratch);
  const unsigned share = parts / sharing.readers;
  Value *reader = divided ? gather(kernel.threads.lane, idleLanes) : kernel.threads.lane;
  Value *mine = b.CreateMul(b.CreateAnd(reader, kernel.i32(int64_t(sharing.readers) - 1)),
                            kernel.i32(int64_t(share)));
  if (divided) { // the reader's first element, and its part of that
    unsigned readers = rows / sharing.elements;
    Value *element = b.CreateLShr(reader, llvm::Log2_32(sharing.readers));
    element = b.CreateMul(b.CreateAnd(element, kernel.i32(int64_t(readers) - 1)),
                          kernel.i32(int64_t(sharing.elements) * parts));
    mine = b.CreateAdd(mine, element);
  }
  for (unsigned reg = 0; reg < sharing.elements; ++reg) {
    llvm::SmallVector<Values> tuples(share);
    for (unsigned i = 0; i < elements.size(); ++i) {
      unsigned wide = std::min(share, std::max(1u, 16 / memoryBytes(elements[i])));
      for (unsigned first = 0; first < share; first += wide) {
        Value *index = b.CreateAdd(firstPart(reg), b.CreateAdd(mine, kernel.i32(first)));
        for (auto [at, value] :
             llvm::enumerate(loadNeighbours(kernel, pointer(i, index), wide, elements[i])))
          tuples[first + at].push_back(value);
      }
    }
    partial[reg] = combineAll(std::move(tuples), [&](const Values &x, const Values &y) {
      return combine(kernel, region, x, y);
    });
    combineAcross(partial[reg],
                  divided ? scatter(sharing.readers - 1, idleLanes) : sharing.readers - 1);
  }
  kernel.shared.release(scratch);
  if (divided)
    tellElements(sharing, idleLanes);
}

/// Of a reader's first elements, each has come to the lanes that have read it.
void Reducer::tellElements(const Sharing &sharing, uint64_t idleLanes) {
  llvm::SmallVector<Values> read(partial.begin(), partial.begin() + sharing.elements);
  Value *others = b.CreateAnd(kernel.threads.lane, kernel.i32(int64_t(~idleLanes & 0xffffffff)));
  for (unsigned reg = 0; reg < partial.size(); ++reg) {
    uint64_t reader = scatter(reg / sharing.elements * sharing.readers, idleLanes);
    Value *lane = b.CreateOr(others, kernel.i32(int64_t(reader)));
    Values tuple;
    for (Value *value : read[reg % sharing.elements])
      tuple.push_back(shuffle(kernel, value, [&](Value *word) {
        return kernel.target.threads.shuffleIndex(b, word, lane);
      }));
    partial[reg] = std::move(tuple);
  }
}

void Reducer::combineChunks() {
  if (chunks == 1)
    return;
  const unsigned chunkAxis = axis - 1;
  llvm::SmallVector<unsigned> bits; // registers of the slice, from the lowest chunk
  for (unsigned at = 0; at < llvm::Log2_32(chunks); ++at)
    for (unsigned bit = 0; bit < slice.inBits("register"); ++bit)
      if (slice.image("register", bit, dimName(chunkAxis)) == uint64_t(1) << at)
        bits.push_back(bit);
  llvm::SmallVector<Values> left;
  for (unsigned reg = 0; reg < partial.size(); ++reg) {
    if (reg & spread(~0u, bits))
      continue;
    llvm::SmallVector<Values> tuples;
    for (unsigned chunk = 0; chunk < chunks; ++chunk)
      tuples.push_back(partial[reg | spread(chunk, bits)]);
    left.push_back(combineAll(std::move(tuples), [&](const Values &x, const Values &y) {
      return combine(kernel, region, x, y);
    }));
  }
  partial = std::move(left);
  slice = sliceLayout(slice, chunkAxis);
}

void Reducer::finish() {
  for (unsigned i = 0; i < elements.size(); ++i) {
    Values results;
    for (const Values &tuple : partial)
      results.push_back(tuple[i]);
    mlir::Value result = op.getResult()[i];
    if (mlir::isa<mlir::RankedTensorType>(result.getType()))
      results = convert(kernel, results, slice, ttg::layoutOf(result.getType()), elements[i]);
    kernel.set(result, std::move(results));
  }
}

void emitReduce(KernelLowering &kernel, tt::ReduceOp op) {
  Reducer reducer(kernel, op);
  reducer.combineRegisters();
  reducer.combineLanes();
  reducer.combineWarps();
  reducer.combineChunks();
  reducer.finish();
}

} // namespace

void registerReduction(OperationTable &table) { table.add<emitReduce>(); }

} // namespace tl::backend
