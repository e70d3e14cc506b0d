// SPDX-License-Identifier: MIT
//
// Products. Where the layout of the result is a matrix instruction's accumulator, operands come in
// its operand layouts and each step is one instruction. Everything else is multiply-adds: operands
// go to shared memory, and each thread computes its own elements of the result, a few steps of k at
// a time. Its elements are a grid of rows and columns (see productLayout), so 8 x 16 of them take
// 8 + 16 numbers a step, read four at a time.
#include "lowering/GpuLowering.h"

#include "dialect/Context.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"

#include "llvm/IR/Constants.h"

#include <map>

namespace tl::backend {

using llvm::Value;

namespace {

Shape shapeOfType(mlir::RankedTensorType type) {
  return Shape(type.getShape().begin(), type.getShape().end());
}

/// What a register adds to the coordinates of the thread.
std::vector<uint64_t> offsetsOf(const LinearLayout &layout, unsigned reg, unsigned rank) {
  std::vector<uint64_t> offsets(rank, 0);
  for (unsigned axis = 0; axis < rank; ++axis)
    if (layout.outBits(dimName(axis)))
      for (unsigned bit = 0; bit < layout.inBits("register"); ++bit)
        if (reg >> bit & 1)
          offsets[axis] ^= layout.image("register", bit, dimName(axis));
  return offsets;
}

} // namespace

void GpuLowering::emitDot(tt::DotOp op) {
  auto result = mlir::cast<mlir::RankedTensorType>(op.getType());
  auto warps = matrixInstructionWarps(op, unsigned(options.numWarps));
  if (warps && target.hasMatrixProducts() && ttg::layoutOf(result) == matrixAccumulator(op, *warps))
    return emitMatrixProduct(op, *warps);
  emitPlainProduct(op);
}

/// Integers side by side in one of 32 bits, the first lowest.
Value *GpuLowering::pack(llvm::ArrayRef<Value *> parts) {
  llvm::Type *word = builder.getInt32Ty();
  if (parts.size() == 1)
    return parts[0]->getType()->isIntegerTy() ? builder.CreateZExt(parts[0], word)
                                              : builder.CreateBitCast(parts[0], word);
  Value *vector = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(parts[0]->getType(), unsigned(parts.size())));
  for (unsigned i = 0; i < parts.size(); ++i)
    vector = builder.CreateInsertElement(vector, parts[i], uint64_t(i));
  return builder.CreateBitCast(vector, word);
}

void GpuLowering::emitMatrixProduct(tt::DotOp op, llvm::ArrayRef<unsigned> warps) {
  auto typeA = mlir::cast<mlir::RankedTensorType>(op.getA().getType());
  auto typeB = mlir::cast<mlir::RankedTensorType>(op.getB().getType());
  auto type = mlir::cast<mlir::RankedTensorType>(op.getType());
  mlir::Type element = typeA.getElementType(), elementC = type.getElementType();
  unsigned bits = matrixOperandBits(op);
  std::vector<unsigned> split(warps.begin(), warps.end());
  LinearLayout layoutA = mma2Operand(shapeOfType(typeA), 0, bits, split);
  LinearLayout layoutB = mma2Operand(shapeOfType(typeB), 1, bits, split);
  LinearLayout layoutC = ttg::layoutOf(type);
  Values a = convert(get(op.getA()), ttg::layoutOf(typeA), layoutA, element);
  Values b = convert(get(op.getB()), ttg::layoutOf(typeB), layoutB, typeB.getElementType());
  Values c = convert(get(op.getC()), ttg::layoutOf(op.getC().getType()), layoutC, elementC);
  // Sums of halves are kept in f32 and rounded once.
  auto formatC = floatFormat(elementC);
  if (formatC)
    for (Value *&value : c)
      value = widen(value, *formatC);
  // fp8 becomes f16, two at a time: neighbours along k are neighbouring registers.
  auto widenOperand = [&](Values &values, mlir::Type narrow) {
    auto format = floatFormat(narrow);
    if (!format || memoryBytes(narrow) != 1)
      return;
    for (unsigned i = 0; i + 1 < values.size(); i += 2) {
      auto pair = target.convertPair(builder, values[i], values[i + 1], *format, FloatFormat::f16,
                                     Rounding::toNearestEven);
      for (unsigned j = 0; j < 2; ++j)
        values[i + j] =
            pair ? (j ? pair->second : pair->first)
                 : convertFloat(values[i + j], *format, FloatFormat::f16, Rounding::toNearestEven);
    }
  };
  widenOperand(a, element);
  widenOperand(b, typeB.getElementType());
  if (mlir::isa<mlir::FloatType>(element) && memoryBytes(element) == 1)
    element = mlir::Float16Type::get(op.getContext());

  auto byOffset = [](const LinearLayout &layout, unsigned count) {
    std::map<std::vector<uint64_t>, unsigned> found;
    for (unsigned reg = 0; reg < count; ++reg)
      found.try_emplace(offsetsOf(layout, reg, 2), reg);
    return found;
  };
  auto findA = byOffset(layoutA, unsigned(a.size())), findB = byOffset(layoutB, unsigned(b.size()));
  auto findC = byOffset(layoutC, unsigned(c.size()));
  // An instruction takes words of 32 bits: two along k in two halves of rows (f64: one, in one).
  bool doubles = bits == 64;
  unsigned packed = doubles ? 1 : 32 / bits, instructionK = doubles ? 4 : 8 * packed;
  unsigned halfK = instructionK / 2;
  unsigned extentK = unsigned(typeA.getDimSize(1));
  auto word = [&](const Values &registers, std::map<std::vector<uint64_t>, unsigned> &find,
                  uint64_t row, uint64_t column, bool alongRow) {
    llvm::SmallVector<Value *> parts;
    for (unsigned i = 0; i < packed; ++i) {
      auto at = find.find(alongRow ? std::vector<uint64_t>{row, column + i}
                                   : std::vector<uint64_t>{row + i, column});
      if (at == find.end())
        throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                          TL_INTERNAL_ERROR);
      parts.push_back(registers[at->second]);
    }
    return doubles ? parts[0] : pack(parts);
  };
  for (unsigned reg = 0; reg < c.size(); ++reg) {
    auto at = offsetsOf(layoutC, reg, 2);
    uint64_t m = at[0], n = at[1];
    if ((!doubles && (m & 8)) || (n & 1))
      continue; // not the first of its tile
    llvm::SmallVector<unsigned, 4> places = {findC[{m, n}], findC[{m, n + 1}]};
    if (!doubles)
      places.append({findC[{m + 8, n}], findC[{m + 8, n + 1}]});
    if (places[0] != reg)
      continue; // a copy
    Values sum;
    for (unsigned place : places)
      sum.push_back(c[place]);
    for (unsigned k = 0; k < extentK; k += instructionK) {
      Values as = {word(a, findA, m, k, true)}, bs = {word(b, findB, k, n, false)};
      if (!doubles) {
        as.append({word(a, findA, m + 8, k, true), word(a, findA, m, k + halfK, true),
                   word(a, findA, m + 8, k + halfK, true)});
        bs.push_back(word(b, findB, k + halfK, n, false));
      }
      auto next = target.matrixProduct(builder, element, instructionK, as, bs, sum);
      sum.assign(next.begin(), next.end());
    }
    for (unsigned i = 0; i < places.size(); ++i)
      c[places[i]] = sum[i];
  }
  // Copies of a tile, in layouts larger than the tensor.
  for (unsigned reg = 0; reg < c.size(); ++reg)
    c[reg] = c[findC[offsetsOf(layoutC, reg, 2)]];
  if (formatC)
    for (Value *&value : c)
      value = narrow(value, *formatC);
  set(op, std::move(c));
}

void GpuLowering::emitPlainProduct(tt::DotOp op) {
  auto typeA = mlir::cast<mlir::RankedTensorType>(op.getA().getType());
  auto typeB = mlir::cast<mlir::RankedTensorType>(op.getB().getType());
  unsigned rank = unsigned(typeA.getRank());
  mlir::Type elementA = typeA.getElementType(), elementB = typeB.getElementType();
  uint64_t sizeA = llvm::alignTo(uint64_t(typeA.getNumElements()) * memoryBytes(elementA), 16);
  Scratch scratch = acquire(sizeA + uint64_t(typeB.getNumElements()) * memoryBytes(elementB));
  Scratch partA{scratch.begin, 0}, partB{scratch.begin + sizeA, 0};
  storeShared(get(op.getA()), ttg::layoutOf(typeA),
              rowMajorShared(shapeOfType(typeA), lastAxisFirst(rank)), partA.begin, elementA);
  storeShared(get(op.getB()), ttg::layoutOf(typeB),
              rowMajorShared(shapeOfType(typeB), lastAxisFirst(rank)), partB.begin, elementB);
  reads(scratch);
  auto factor = [&](Scratch from, mlir::RankedTensorType type) {
    mlir::Type element = type.getElementType();
    Fetch fetch = [this, from, type, element, rank](Value *batch, Value *row, Value *column,
                                                    unsigned count) {
      Value *index =
          flatIndex(batch, row, column, type.getDimSize(rank - 2), type.getDimSize(rank - 1));
      return loadNeighbours(sharedElement(from, index, element), count, element);
    };
    return Factor{element, fetch, std::min(4u, 16 / memoryBytes(element))};
  };
  Values sums = multiplyAdd(mlir::cast<mlir::RankedTensorType>(op.getType()), get(op.getC()),
                            typeA.getDimSize(rank - 1), factor(partA, typeA), factor(partB, typeB));
  release(scratch);
  set(op, std::move(sums));
}

/// Number of an element in rows of a matrix or of a batch of them; `batch` may be null.
Value *GpuLowering::flatIndex(Value *batch, Value *row, Value *column, int64_t rows,
                              int64_t columns) {
  Value *index = builder.CreateAdd(builder.CreateMul(row, i32(columns)), column);
  return batch ? builder.CreateAdd(builder.CreateMul(batch, i32(rows * columns)), index) : index;
}

namespace {

/// Register bits that count neighbours along the axis from an aligned element on, at most `most`
/// elements; their number is the number of neighbours.
uint64_t neighbourBits(const LinearLayout &layout, unsigned axis, unsigned most) {
  std::string dim = dimName(axis);
  uint64_t bits = 0;
  for (uint64_t step = 1; step < most; step *= 2) {
    bool counts = false;
    for (const auto &in : layout.ins())
      for (unsigned bit = 0; bit < in.images.size(); ++bit) {
        if (layout.outBits(dim) == 0 || !(layout.image(in.name, bit, dim) & step))
          continue;
        bool alone = layout.image(in.name, bit, dim) == step && in.name == "register" && !counts;
        for (const auto &out : layout.outs())
          alone &= out.name == dim || !out.bits || !layout.image(in.name, bit, out.name);
        if (!alone)
          return bits;
        counts = true;
        bits |= uint64_t(1) << bit;
      }
    if (!counts)
      return bits;
  }
  return bits;
}

} // namespace

GpuLowering::Values GpuLowering::multiplyAdd(mlir::RankedTensorType type, const Values initial,
                                             int64_t extentK, Factor a, Factor b) {
  unsigned rank = unsigned(type.getRank()), m = rank - 2, n = rank - 1;
  const LinearLayout layout = ttg::layoutOf(type);
  mlir::Type elementC = type.getElementType();
  // Sums are kept in f32, f64 or the integer type of the result.
  bool floating = mlir::isa<mlir::FloatType>(elementC);
  auto formatC = floatFormat(elementC);
  Values sums;
  for (Value *value : initial)
    sums.push_back(floating ? widen(value, *formatC) : value);
  llvm::Type *sumType = sums[0]->getType();
  auto operand = [&](Value *value, mlir::Type element) -> Value * {
    if (!floating)
      return builder.CreateSExtOrTrunc(value, sumType);
    value = widen(value, *floatFormat(element));
    return value->getType() == sumType ? value : builder.CreateFPCast(value, sumType);
  };
  // So many steps of k at a time as make neighbours of the first factor, unless the code gets long.
  constexpr unsigned longCode = 512;
  unsigned steps = unsigned(std::min<int64_t>(a.neighbours, extentK));
  steps = std::min(steps, std::max(1u, longCode / unsigned(sums.size())));
  uint64_t together = neighbourBits(layout, n, b.neighbours);
  unsigned width = 1u << llvm::popcount(together);

  auto *before = builder.GetInsertBlock(), *loop = newBlock("product"), *done = newBlock("done");
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *k = builder.CreatePHI(builder.getInt32Ty(), 2);
  k->addIncoming(i32(0), before);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (Value *&sum : sums) {
    llvm::PHINode *phi = builder.CreatePHI(sumType, 2);
    phi->addIncoming(sum, before);
    phis.push_back(phi);
    sum = phi;
  }
  // One read for each row and for each group of columns that the thread has.
  std::map<std::vector<uint64_t>, Values> rows;
  for (unsigned step = 0; step < steps; ++step) {
    std::map<std::vector<uint64_t>, Values> columns;
    Value *at = step ? builder.CreateAdd(k, i32(step), "", true, true) : k;
    for (unsigned reg = 0; reg < sums.size(); ++reg) {
      auto offsets = offsetsOf(layout, reg, rank);
      std::vector<uint64_t> row = offsets, column = offsets;
      row.erase(row.begin() + n);
      column.erase(column.begin() + m);
      uint64_t inGroup = column.back() & (width - 1);
      column.back() -= inGroup;
      Value *batch = rank == 3 ? coordinate(layout, reg, "dim0") : nullptr;
      Values &xs = rows[row];
      if (xs.empty())
        for (Value *value : a.fetch(batch, coordinate(layout, reg, dimName(m)), k, steps))
          xs.push_back(operand(value, a.element));
      Values &ys = columns[column];
      if (ys.empty())
        for (Value *value :
             b.fetch(batch, at, coordinate(layout, unsigned(reg & ~together), dimName(n)), width))
          ys.push_back(operand(value, b.element));
      Value *x = xs[step], *y = ys[inGroup];
      sums[reg] = floating
                      ? builder.CreateIntrinsic(llvm::Intrinsic::fma, {sumType}, {x, y, sums[reg]})
                      : builder.CreateAdd(sums[reg], builder.CreateMul(x, y));
    }
  }
  Value *next = builder.CreateAdd(k, i32(steps), "", true, true);
  k->addIncoming(next, builder.GetInsertBlock());
  for (unsigned reg = 0; reg < sums.size(); ++reg)
    phis[reg]->addIncoming(sums[reg], builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, i32(extentK)), loop, done);
  builder.SetInsertPoint(done);
  if (floating)
    for (Value *&sum : sums)
      sum = narrow(sum, *formatC);
  return sums;
}

} // namespace tl::backend
