// SPDX-License-Identifier: MIT
//
// Products. Those that name a matrix instruction (ttg.instruction) have operands and result in its
// layouts, and each step is one instruction. Everything else is multiply-adds: operands
// go to shared memory, and each thread computes its own elements of the result, a few steps of k at
// a time. Its elements are a grid of rows and columns (see productLayout), so 8 x 16 of them take
// 8 + 16 numbers a step, read four at a time.
#include "dialect/Context.h"
#include "dialect/GpuTarget.h"
#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/Products.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/Constants.h"

#include <map>

namespace tl::backend {

using llvm::Value;

Offsets offsetsOf(const LinearLayout &layout, unsigned reg, unsigned rank) {
  Offsets offsets(rank, 0);
  for (unsigned axis = 0; axis < rank; ++axis)
    if (layout.outBits(dimName(axis)))
      for (unsigned bit = 0; bit < layout.inBits("register"); ++bit)
        if (reg >> bit & 1)
          offsets[axis] ^= layout.image("register", bit, dimName(axis));
  return offsets;
}

Fragment::Fragment(Values values, const LinearLayout &layout) : registers(std::move(values)) {
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    byOffsets.try_emplace(offsetsOf(layout, reg, 2), reg);
}

Value *Fragment::find(uint64_t row, uint64_t column) const {
  auto found = byOffsets.find({row, column});
  return found == byOffsets.end() ? nullptr : registers[found->second];
}

Value *packWord(KernelLowering &kernel, llvm::ArrayRef<Value *> parts) {
  auto &b = kernel.builder;
  llvm::Type *word = b.getInt32Ty();
  if (parts.size() == 1)
    return parts[0]->getType()->isIntegerTy() ? b.CreateZExt(parts[0], word)
                                              : b.CreateBitCast(parts[0], word);
  Value *vector = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(parts[0]->getType(), unsigned(parts.size())));
  for (unsigned i = 0; i < parts.size(); ++i)
    vector = b.CreateInsertElement(vector, parts[i], uint64_t(i));
  return b.CreateBitCast(vector, word);
}

namespace {

Shape shapeOfType(mlir::RankedTensorType type) {
  return Shape(type.getShape().begin(), type.getShape().end());
}

// ---- Matrix instructions

/// fp8 becomes f16, two at a time: neighbours along k are neighbouring registers.
void widenEights(KernelLowering &kernel, Values &values, mlir::Type element) {
  auto format = floatFormat(element);
  if (!format || memoryBytes(element) != 1)
    return;
  constexpr Rounding nearest = Rounding::toNearestEven;
  for (unsigned i = 0; i + 1 < values.size(); i += 2) {
    auto pair = kernel.target.arithmetic.convertPair(kernel.builder, values[i], values[i + 1],
                                                     *format, FloatFormat::f16, nearest);
    for (unsigned j = 0; j < 2; ++j)
      values[i + j] =
          pair ? (j ? pair->second : pair->first)
               : kernel.scalars.convertFloat(values[i + j], *format, FloatFormat::f16, nearest);
  }
}

MatrixInstruction instructionFor(ttg::MatrixInstructionAttr chosen) {
  return {unsigned(chosen.getM()), unsigned(chosen.getN()), unsigned(chosen.getK()),
          chosen.getElement(), chosen.getSum()};
}

/// The result is cut into tiles of m x n of the instruction, a warp has some of them. For each one
/// an instruction a step of k adds the product of a tile of A and one of B:
///
///     m16n8k16 of f16, one lane:  A  (r, k) (r, k+1)     a word of two neighbours along k, for
///                                    (r+8, k) (r+8, k+1) rows r and r + 8 and both halves of k
///                                 B  (k, c) (k+1, c)     both halves of k
///                                 C  (r, c) (r, c+1) (r+8, c) (r+8, c+1)
///
/// Of f64, m8n8k4, the halves are missing and a word is one element.
void emitMatrixProduct(KernelLowering &kernel, tt::DotOp op, ttg::MatrixInstructionAttr chosen) {
  auto typeA = mlir::cast<mlir::RankedTensorType>(op.getA().getType());
  auto typeB = mlir::cast<mlir::RankedTensorType>(op.getB().getType());
  auto type = mlir::cast<mlir::RankedTensorType>(op.getType());
  const MatrixInstruction instruction = instructionFor(chosen);
  unsigned bits = chosen.getOperandBits();
  const LinearLayout &layoutA = ttg::layoutOf(typeA), &layoutB = ttg::layoutOf(typeB);
  const LinearLayout &layoutC = ttg::layoutOf(type);
  Values registersA = kernel.get(op.getA());
  Values registersB = kernel.get(op.getB());
  Values c = convert(kernel, op.getC(), layoutC);
  // Sums of halves are kept in f32 and rounded once.
  auto formatC = floatFormat(type.getElementType());
  if (formatC)
    for (Value *&value : c)
      value = kernel.scalars.widen(value, *formatC);
  widenEights(kernel, registersA, typeA.getElementType());
  widenEights(kernel, registersB, typeB.getElementType());
  const Fragment a(std::move(registersA), layoutA), b(std::move(registersB), layoutB);
  std::map<Offsets, unsigned> findC = Fragment(c, layoutC).byOffsets;

  bool doubles = bits == 64;
  unsigned packed = doubles ? 1 : 32 / bits, halfK = instruction.k / 2;
  auto word = [&](const Fragment &fragment, uint64_t row, uint64_t column, bool alongRow) {
    llvm::SmallVector<Value *> parts;
    for (unsigned i = 0; i < packed; ++i)
      parts.push_back(alongRow ? fragment.find(row, column + i) : fragment.find(row + i, column));
    if (llvm::is_contained(parts, nullptr))
      throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                        TL_INTERNAL_ERROR);
    return doubles ? parts[0] : packWord(kernel, parts);
  };
  for (unsigned reg = 0; reg < c.size(); ++reg) {
    Offsets at = offsetsOf(layoutC, reg, 2);
    uint64_t m = at[0], n = at[1];
    if ((!doubles && (m & 8)) || (n & 1))
      continue; // not the first of its tile
    llvm::SmallVector<unsigned, 4> tile = {findC[{m, n}], findC[{m, n + 1}]};
    if (!doubles)
      tile.append({findC[{m + 8, n}], findC[{m + 8, n + 1}]});
    if (tile[0] != reg)
      continue; // a copy
    Values sums;
    for (unsigned one : tile)
      sums.push_back(c[one]);
    for (unsigned k = 0; k < unsigned(typeA.getDimSize(1)); k += instruction.k) {
      Values wordsA = {word(a, m, k, true)}, wordsB = {word(b, k, n, false)};
      if (!doubles) {
        wordsA.append({word(a, m + 8, k, true), word(a, m, k + halfK, true),
                       word(a, m + 8, k + halfK, true)});
        wordsB.push_back(word(b, k + halfK, n, false));
      }
      auto next = kernel.target.matrixProducts->multiply(kernel.builder, instruction, {wordsA},
                                                         {wordsB}, sums);
      sums.assign(next.begin(), next.end());
    }
    for (unsigned i = 0; i < tile.size(); ++i)
      c[tile[i]] = sums[i];
  }
  // Copies of a tile, in layouts larger than the tensor.
  for (unsigned reg = 0; reg < c.size(); ++reg)
    c[reg] = c[findC[offsetsOf(layoutC, reg, 2)]];
  if (formatC)
    for (Value *&value : c)
      value = kernel.scalars.narrow(value, *formatC);
  kernel.set(op, std::move(c));
}

// ---- Multiply-adds

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

void emitPlainProduct(KernelLowering &kernel, tt::DotOp op) {
  auto typeA = mlir::cast<mlir::RankedTensorType>(op.getA().getType());
  auto typeB = mlir::cast<mlir::RankedTensorType>(op.getB().getType());
  unsigned rank = unsigned(typeA.getRank());
  mlir::Type elementA = typeA.getElementType(), elementB = typeB.getElementType();
  uint64_t sizeA = llvm::alignTo(uint64_t(typeA.getNumElements()) * memoryBytes(elementA), 16);
  Scratch scratch =
      kernel.shared.acquire(sizeA + uint64_t(typeB.getNumElements()) * memoryBytes(elementB));
  Scratch partA{scratch.begin, 0}, partB{scratch.begin + sizeA, 0};
  storeShared(kernel, kernel.get(op.getA()), ttg::layoutOf(typeA),
              rowMajorShared(shapeOfType(typeA), lastAxisFirst(rank)), partA.begin, elementA);
  storeShared(kernel, kernel.get(op.getB()), ttg::layoutOf(typeB),
              rowMajorShared(shapeOfType(typeB), lastAxisFirst(rank)), partB.begin, elementB);
  kernel.shared.reads(scratch);
  auto factor = [&](Scratch from, mlir::RankedTensorType type) {
    mlir::Type element = type.getElementType();
    auto fetch = [&kernel, from, type, element, rank](Value *batch, Value *row, Value *column,
                                                      unsigned count) {
      Value *index = flatIndex(kernel, batch, row, column, type.getDimSize(rank - 2),
                               type.getDimSize(rank - 1));
      return loadNeighbours(kernel, kernel.shared.element(from, index, element), count, element);
    };
    return Factor{element, fetch, std::min(4u, 16 / memoryBytes(element))};
  };
  Values sums =
      multiplyAdd(kernel, mlir::cast<mlir::RankedTensorType>(op.getType()), kernel.get(op.getC()),
                  typeA.getDimSize(rank - 1), factor(partA, typeA), factor(partB, typeB));
  kernel.shared.release(scratch);
  kernel.set(op, std::move(sums));
}

void emitDot(KernelLowering &kernel, tt::DotOp op) {
  ttg::MatrixInstructionAttr instruction = ttg::instructionOf(op);
  if (instruction && !kernel.target.matrixProducts)
    kernel.unsupported(op, "has no matrix instructions");
  if (instruction)
    return emitMatrixProduct(kernel, op, instruction);
  emitPlainProduct(kernel, op);
}

} // namespace

Value *flatIndex(KernelLowering &kernel, Value *batch, Value *row, Value *column, int64_t rows,
                 int64_t columns) {
  auto &b = kernel.builder;
  Value *index = b.CreateAdd(b.CreateMul(row, kernel.i32(columns)), column);
  return batch ? b.CreateAdd(b.CreateMul(batch, kernel.i32(rows * columns)), index) : index;
}

Values multiplyAdd(KernelLowering &kernel, mlir::RankedTensorType type, const Values &initial,
                   int64_t extentK, const Factor &lhs, const Factor &rhs) {
  auto &b = kernel.builder;
  unsigned rank = unsigned(type.getRank()), m = rank - 2, n = rank - 1;
  const LinearLayout layout = ttg::layoutOf(type);
  mlir::Type elementC = type.getElementType();
  // Sums are kept in f32, f64 or the integer type of the result.
  bool floating = mlir::isa<mlir::FloatType>(elementC);
  auto formatC = floatFormat(elementC);
  Values sums;
  for (Value *value : initial)
    sums.push_back(floating ? kernel.scalars.widen(value, *formatC) : value);
  llvm::Type *sumType = sums[0]->getType();
  auto operand = [&](Value *value, mlir::Type element) -> Value * {
    if (!floating)
      return b.CreateSExtOrTrunc(value, sumType);
    value = kernel.scalars.widen(value, *floatFormat(element));
    return value->getType() == sumType ? value : b.CreateFPCast(value, sumType);
  };
  // So many steps of k at a time as make neighbours of the first factor, unless the code gets long.
  constexpr unsigned longCode = 512;
  unsigned steps = unsigned(std::min<int64_t>(lhs.neighbours, extentK));
  steps = std::min(steps, std::max(1u, longCode / unsigned(sums.size())));
  uint64_t together = neighbourBits(layout, n, rhs.neighbours);
  unsigned width = 1u << llvm::popcount(together);

  auto *before = b.GetInsertBlock(), *loop = kernel.newBlock("product"),
       *done = kernel.newBlock("done");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *k = b.CreatePHI(b.getInt32Ty(), 2);
  k->addIncoming(kernel.i32(0), before);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (Value *&sum : sums) {
    llvm::PHINode *phi = b.CreatePHI(sumType, 2);
    phi->addIncoming(sum, before);
    phis.push_back(phi);
    sum = phi;
  }
  // One read for each row and for each group of columns that the thread has.
  std::map<Offsets, Values> rows;
  for (unsigned step = 0; step < steps; ++step) {
    std::map<Offsets, Values> columns;
    Value *at = step ? b.CreateAdd(k, kernel.i32(step), "", true, true) : k;
    for (unsigned reg = 0; reg < sums.size(); ++reg) {
      Offsets row = offsetsOf(layout, reg, rank), column = row;
      row.erase(row.begin() + n);
      column.erase(column.begin() + m);
      uint64_t inGroup = column.back() & (width - 1);
      column.back() -= inGroup;
      Value *batch = rank == 3 ? kernel.threads.coordinate(layout, reg, "dim0") : nullptr;
      Values &xs = rows[row];
      if (xs.empty())
        for (Value *value :
             lhs.fetch(batch, kernel.threads.coordinate(layout, reg, dimName(m)), k, steps))
          xs.push_back(operand(value, lhs.element));
      Values &ys = columns[column];
      if (ys.empty())
        for (Value *value : rhs.fetch(
                 batch, at,
                 kernel.threads.coordinate(layout, unsigned(reg & ~together), dimName(n)), width))
          ys.push_back(operand(value, rhs.element));
      Value *x = xs[step], *y = ys[inGroup];
      sums[reg] = floating ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sumType}, {x, y, sums[reg]})
                           : b.CreateAdd(sums[reg], b.CreateMul(x, y));
    }
  }
  Value *next = b.CreateAdd(k, kernel.i32(steps), "", true, true);
  k->addIncoming(next, b.GetInsertBlock());
  for (unsigned reg = 0; reg < sums.size(); ++reg)
    phis[reg]->addIncoming(sums[reg], b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, kernel.i32(extentK)), loop, done);
  b.SetInsertPoint(done);
  if (floating)
    for (Value *&sum : sums)
      sum = kernel.scalars.narrow(sum, *formatC);
  return sums;
}

void registerLinearAlgebra(OperationTable &table) { table.add<emitDot>(); }

} // namespace tl::backend
