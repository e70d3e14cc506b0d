// SPDX-License-Identifier: MIT
//
// Products by matrix instructions (ttg.instruction): operands and result are in their layouts, and
// each step is one instruction. Those by multiply-adds are in MultiplyAdds.cpp.
#include "dialect/Context.h"
#include "dialect/GpuTarget.h"
#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/Products.h"

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
    byOffsets.try_emplace(offsetsOf(layout, reg, unsigned(layout.outs().size())), reg);
}

Value *Fragment::find(const Offsets &offsets) const {
  auto found = byOffsets.find(offsets);
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
/// In a batch each matrix has tiles of its own.
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
  unsigned rank = unsigned(type.getRank());
  // The element beside another one of its matrix, `rows` down and `columns` to the right.
  auto beside = [rank](Offsets at, uint64_t rows, uint64_t columns) {
    at[rank - 2] += rows;
    at[rank - 1] += columns;
    return at;
  };
  auto word = [&](const Fragment &fragment, const Offsets &at, bool alongRow) {
    llvm::SmallVector<Value *> parts;
    for (unsigned i = 0; i < packed; ++i)
      parts.push_back(fragment.find(alongRow ? beside(at, 0, i) : beside(at, i, 0)));
    if (llvm::is_contained(parts, nullptr))
      throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                        TL_INTERNAL_ERROR);
    return doubles ? parts[0] : packWord(kernel, parts);
  };
  for (unsigned reg = 0; reg < c.size(); ++reg) {
    const Offsets at = offsetsOf(layoutC, reg, rank);
    if ((!doubles && (at[rank - 2] & 8)) || (at[rank - 1] & 1))
      continue; // not the first of its tile
    llvm::SmallVector<unsigned, 4> tile = {findC[at], findC[beside(at, 0, 1)]};
    if (!doubles)
      tile.append({findC[beside(at, 8, 0)], findC[beside(at, 8, 1)]});
    if (tile[0] != reg)
      continue; // a copy
    Values sums;
    for (unsigned one : tile)
      sums.push_back(c[one]);
    for (unsigned k = 0; k < unsigned(typeA.getShape().back()); k += instruction.k) {
      Offsets atA = at, atB = at;
      atA[rank - 1] = atB[rank - 2] = k;
      Values wordsA = {word(a, atA, true)}, wordsB = {word(b, atB, false)};
      if (!doubles) {
        wordsA.append({word(a, beside(atA, 8, 0), true), word(a, beside(atA, 0, halfK), true),
                       word(a, beside(atA, 8, halfK), true)});
        wordsB.push_back(word(b, beside(atB, halfK, 0), false));
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
    c[reg] = c[findC[offsetsOf(layoutC, reg, rank)]];
  if (formatC)
    for (Value *&value : c)
      value = kernel.scalars.narrow(value, *formatC);
  kernel.set(op, std::move(c));
}

void emitDot(KernelLowering &kernel, tt::DotOp op) {
  ttg::MatrixInstructionAttr instruction = ttg::instructionOf(op);
  if (instruction && !kernel.target.matrixProducts)
    kernel.unsupported(op, "has no matrix instructions");
  if (!instruction)
    throw tt::errorAt(op, "a product has no matrix instruction, nor operands in shared memory",
                      TL_INTERNAL_ERROR);
  emitMatrixProduct(kernel, op, instruction);
}

/// Passes make other products of those that can be computed.
void emitDotScaled(KernelLowering &kernel, tt::DotScaledOp op) {
  kernel.unsupported(op, "does not know operands of 6 bits in tl::dot_scaled");
}

} // namespace

void registerLinearAlgebra(OperationTable &table) {
  table.add<emitDot>();
  table.add<emitDotScaled>();
}

} // namespace tl::backend
