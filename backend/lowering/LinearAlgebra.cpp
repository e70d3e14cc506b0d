// SPDX-License-Identifier: MIT
//
// Products by matrix instructions (ttg.instruction): operands and result are in their layouts, and
// each step is one instruction. Those by multiply-adds are in MultiplyAdds.cpp.
#include "dialect/Context.h"
#include "dialect/MatrixLayouts.h"
#include "layout/NamedLayouts.h"
#include "lowering/Conversions.h"
#include "lowering/Products.h"

#include "llvm/IR/Constants.h"

#include <map>
#include <set>

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

// ---- Matrix instructions

/// fp8 becomes f16, two at a time: neighbours along k are neighbouring registers.
void widenFp8(KernelLowering &kernel, Values &values, mlir::Type element) {
  auto format = floatFormat(element);
  if (!format || memoryBytes(element) != 1)
    return;
  constexpr Rounding nearest = Rounding::toNearestEven;
  for (unsigned i = 0; i < values.size(); i += 2) {
    unsigned count = std::min(2u, unsigned(values.size()) - i);
    auto pair = kernel.target.arithmetic.convertPair(
        kernel.builder, values[i], values[i + count - 1], *format, FloatFormat::f16, nearest);
    for (unsigned j = 0; j < count; ++j)
      values[i + j] =
          pair ? (j ? pair->second : pair->first)
               : kernel.scalars.convertFloat(values[i + j], *format, FloatFormat::f16, nearest);
  }
}

MatrixInstruction instructionFor(ttg::MatrixInstructionAttr chosen) {
  return {unsigned(chosen.getM()), unsigned(chosen.getN()), unsigned(chosen.getK()),
          chosen.getElement(), chosen.getSum()};
}

/// The combinations of the images of registers on one axis: what they add to a coordinate there.
llvm::SmallVector<uint64_t, 4> offsetsAlong(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<uint64_t, 4> offsets = {0};
  for (unsigned bit = 0; bit < layout.inBits("register"); ++bit)
    if (uint64_t image = layout.image("register", bit, dimName(axis)))
      for (size_t i = 0, count = offsets.size(); i < count; ++i)
        offsets.push_back(offsets[i] | image);
  return offsets;
}

Offsets beside(Offsets at, unsigned axis, uint64_t distance) {
  at[axis] += distance;
  return at;
}

/// The registers of a product's result: the sums of each of the warp's tiles, laid out like `tile`,
/// go through the instructions of all steps of k.
Values emitTiles(KernelLowering &kernel, mlir::Value accumulator, mlir::RankedTensorType type,
                 const LinearLayout &tile, unsigned steps,
                 llvm::function_ref<llvm::SmallVector<Value *>(const Offsets &at, unsigned step,
                                                               llvm::ArrayRef<Value *> sums)>
                     multiply) {
  const LinearLayout &layout = ttg::layoutOf(type);
  Values c = convert(kernel, accumulator, layout);
  // Sums of halves are kept in f32 and rounded once.
  auto format = floatFormat(type.getElementType());
  if (format)
    for (Value *&value : c)
      value = kernel.scalars.widen(value, *format);
  std::map<Offsets, unsigned> find = Fragment(c, layout).byOffsets;
  std::vector<std::pair<Offsets, Values>> tiles;
  const unsigned m = unsigned(type.getRank()) - 2, n = m + 1;
  const uint64_t rows = offsetsAlong(tile, 0).back(), columns = offsetsAlong(tile, 1).back();
  auto registersOf = [&](const Offsets &at) {
    llvm::SmallVector<unsigned, 16> registers;
    for (unsigned reg = 0; reg < 1u << tile.inBits("register"); ++reg) {
      Offsets inTile = offsetsOf(tile, reg, 2);
      // Of a tensor with fewer rows or columns, those that it has.
      auto found = find.find(beside(beside(at, m, inTile[0]), n, inTile[1]));
      if (found == find.end())
        found = find.find(beside(at, m, inTile[0]));
      if (found == find.end())
        found = find.find(beside(at, n, inTile[1]));
      registers.push_back(found == find.end() ? find[at] : found->second);
    }
    return registers;
  };
  for (auto &[at, reg] : find)
    if (!(at[m] & rows) && !(at[n] & columns)) {
      Values &sums = tiles.emplace_back(at, Values()).second;
      for (unsigned one : registersOf(at))
        sums.push_back(c[one]);
    }
  // Products that do not wait for each other come one after the other.
  for (unsigned step = 0; step < steps; ++step)
    for (auto &[at, sums] : tiles) {
      auto next = multiply(at, step, sums);
      sums.assign(next.begin(), next.end());
    }
  // The first of equals last, where rows or columns are there more than once.
  for (auto &[at, sums] : tiles) {
    auto registers = registersOf(at);
    for (size_t i = registers.size(); i-- > 0;)
      c[registers[i]] = sums[i];
  }
  // Copies of a tile, in layouts larger than the tensor.
  for (unsigned reg = 0; reg < c.size(); ++reg)
    c[reg] = c[find[offsetsOf(layout, reg, unsigned(type.getRank()))]];
  if (format)
    for (Value *&value : c)
      value = kernel.scalars.narrow(value, *format);
  return c;
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
/// Of f64, m8n8k4, the halves are missing and a word is one element. Other families have other rows
/// and columns of C, and one row of A: the layout of one tile says which. Which k a lane calls its
/// first, second and so on does not matter as long as A and B agree: they are taken in the order in
/// which the lane's registers count them.
///
/// A tensor smaller than the instruction is held more than once along m and n, and so is its
/// result, which nobody minds; what there is not along k is zero.
class MatrixProduct {
public:
  MatrixProduct(KernelLowering &kernel, tt::DotOp op, ttg::MatrixInstructionAttr chosen)
      : kernel(kernel), op(op), instruction(instructionFor(chosen)),
        perWord(std::max(1u, 32 / chosen.getOperandBits())),
        pieces(ttg::elementsAlongK(chosen) / perWord),
        tile(ttg::accumulatorLayout(chosen, {chosen.getM(), chosen.getN()}, {1, 1})),
        tileA(operandTile(chosen, 0)), tileB(operandTile(chosen, 1)),
        rowsOfA(offsetsAlong(tileA, 0)), a(operand(op.getA(), 0)), b(operand(op.getB(), 1)) {}

  Values emit() {
    const auto steps = unsigned(llvm::divideCeil(a.alongK.size(), perWord * pieces));
    return emitTiles(kernel, op.getC(), op.getType(), tile, steps,
                     [&](const Offsets &at, unsigned step, llvm::ArrayRef<Value *> sums) {
                       const unsigned m = unsigned(at.size()) - 2;
                       Values wordsA, wordsB;
                       for (unsigned piece = 0; piece < pieces; ++piece) {
                         unsigned first = (step * pieces + piece) * perWord;
                         for (uint64_t row : rowsOfA)
                           wordsA.push_back(word(a, beside(at, m, row), first));
                         wordsB.push_back(word(b, at, first));
                       }
                       return kernel.target.matrixProducts->multiply(kernel.builder, instruction,
                                                                     {wordsA}, {wordsB}, sums);
                     });
  }

private:
  struct Operand {
    Fragment fragment;
    unsigned axisOfK;
    std::vector<uint64_t> alongK; // what registers add to k, in order
    std::map<std::pair<Offsets, unsigned>, Value *> words;
  };

  /// The layout of what one instruction takes of an operand.
  LinearLayout operandTile(ttg::MatrixInstructionAttr chosen, unsigned index) const {
    Shape shape =
        index == 0 ? Shape{chosen.getM(), chosen.getK()} : Shape{chosen.getK(), chosen.getN()};
    const unsigned neighbours = chosen.getFamily() == "mma" ? perWord : perWord * pieces;
    return ttg::operandLayout(chosen, index, shape, neighbours, {1, 1});
  }

  Operand operand(mlir::Value value, unsigned index) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    const LinearLayout &layout = ttg::layoutOf(type);
    Values registers = kernel.get(value);
    if (instruction.element.getIntOrFloatBitWidth() > 8)
      widenFp8(kernel, registers, type.getElementType());
    unsigned axisOfK = unsigned(type.getRank()) - 1 - index;
    Operand made{Fragment(std::move(registers), layout), axisOfK, {}, {}};
    std::set<uint64_t> alongK;
    for (const auto &[offsets, reg] : made.fragment.byOffsets)
      alongK.insert(offsets[made.axisOfK]);
    made.alongK.assign(alongK.begin(), alongK.end());
    clear(made.fragment.registers, layout, made.axisOfK, index);
    return made;
  }

  /// Lanes that go along k beyond its extent have copies, which must not count.
  void clear(Values &registers, const LinearLayout &layout, unsigned axisOfK, unsigned index) {
    const LinearLayout &whole = index == 0 ? tileA : tileB;
    unsigned beyond = 0;
    for (unsigned bit = 0; bit < whole.inBits("lane"); ++bit)
      if (whole.image("lane", bit, dimName(1 - index)) &&
          (!layout.outBits(dimName(axisOfK)) || !layout.image("lane", bit, dimName(axisOfK))))
        beyond |= 1u << bit;
    if (!beyond)
      return;
    auto &b = kernel.builder;
    Value *counts = b.CreateICmpEQ(b.CreateAnd(kernel.threads.lane, beyond), kernel.i32(0));
    for (Value *&value : registers)
      value = b.CreateSelect(counts, value, llvm::Constant::getNullValue(value->getType()));
  }

  /// Neighbours along k from the one with the given number on, of the row or column where `at`
  /// lies.
  Value *word(Operand &from, Offsets at, unsigned first) {
    at[from.axisOfK] = 0;
    Value *&made = from.words[{at, first}];
    if (made)
      return made;
    llvm::Type *type = from.fragment.registers[0]->getType();
    llvm::SmallVector<Value *> parts;
    for (unsigned i = first; i < first + perWord; ++i) {
      if (i >= from.alongK.size()) {
        parts.push_back(llvm::Constant::getNullValue(type));
        continue;
      }
      at[from.axisOfK] = from.alongK[i];
      Value *part = from.fragment.find(at);
      if (!part) { // the second half of the rows, of a tensor that has only one
        Offsets upper = at;
        upper[2 * at.size() - 3 - from.axisOfK] &= ~rowsOfA.back();
        part = from.fragment.find(upper);
      }
      parts.push_back(part);
    }
    if (llvm::is_contained(parts, nullptr) || a.alongK != b.alongK)
      throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                        TL_INTERNAL_ERROR);
    return made = type->isDoubleTy() ? parts[0] : packWord(kernel, parts);
  }

  KernelLowering &kernel;
  tt::DotOp op;
  const MatrixInstruction instruction;
  const unsigned perWord, pieces; // elements of a word, words of a lane along k of an instruction
  const LinearLayout tile, tileA, tileB;        // of one instruction
  const llvm::SmallVector<uint64_t, 4> rowsOfA; // that a lane has of it
  Operand a, b;
};

/// A product of narrow floats that the instruction scales. Of a row or column a lane has 32
/// elements for one instruction, as bytes that follow each other along k by 16, and one exponent,
/// whose 32 elements may be another lane's: where they are, the hardware knows.
class ScaledProduct {
public:
  ScaledProduct(KernelLowering &kernel, tt::DotScaledOp op, ttg::MatrixInstructionAttr chosen)
      : kernel(kernel), op(op), instruction(instructionFor(chosen)),
        tile(ttg::accumulatorLayout(chosen, {chosen.getM(), chosen.getN()}, {1, 1})),
        a(factor(op.getA(), op.getAElemType(), op.getAScale(), 0)),
        b(factor(op.getB(), op.getBElemType(), op.getBScale(), 1)) {}

  Values emit() {
    const auto steps = unsigned(op.getReductionExtent()) / instruction.k;
    return emitTiles(kernel, op.getC(), op.getType(), tile, steps,
                     [&](const Offsets &at, unsigned step, llvm::ArrayRef<Value *> sums) {
                       const Values wordsA = words(a, at, step), wordsB = words(b, at, step);
                       return kernel.target.matrixProducts->multiply(
                           kernel.builder, instruction, taken(a, wordsA, at, step),
                           taken(b, wordsB, at, step), sums);
                     });
  }

private:
  static constexpr unsigned perWord = 4; // bytes

  struct Factor {
    Fragment bytes;
    std::optional<Fragment> scales;
    unsigned axisOfK, axisOfRows, bytesOfLane;  // of one instruction
    std::vector<uint64_t> alongK, scalesAlongK; // what registers add to k, in order
    mlir::Type format;
    std::map<std::pair<Offsets, unsigned>, Value *> words, scaleWords;
  };

  Factor factor(mlir::Value value, tt::ScaleDotElemType format, mlir::Value scales,
                unsigned index) {
    auto fragment = [&](mlir::Value of) {
      return Fragment(kernel.get(of), ttg::layoutOf(of.getType()));
    };
    auto along = [](const Fragment &of, unsigned axis) {
      std::set<uint64_t> all;
      for (const auto &[offsets, reg] : of.byOffsets)
        all.insert(offsets[axis]);
      return std::vector<uint64_t>(all.begin(), all.end());
    };
    mlir::MLIRContext *context = op.getContext();
    const bool isPair = format == tt::ScaleDotElemType::E2M1;
    const unsigned rank = unsigned(op.getType().getRank());
    Factor made{fragment(value),
                {},
                rank - 1 - index,
                rank - 2 + index,
                isPair ? 16u : 32u,
                {},
                {},
                {},
                {},
                {}};
    made.alongK = along(made.bytes, made.axisOfK);
    if (scales) {
      made.scales = fragment(scales);
      made.scalesAlongK = along(*made.scales, rank - 1);
    }
    made.format = isPair ? mlir::Type(mlir::Float4E2M1FNType::get(context))
                  : format == tt::ScaleDotElemType::E5M2
                      ? mlir::Type(mlir::Float8E5M2Type::get(context))
                      : mlir::Type(mlir::Float8E4M3FNType::get(context));
    return made;
  }

  [[noreturn]] void failForLayout() {
    throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                      TL_INTERNAL_ERROR);
  }

  /// Of the row or column where `at` lies.
  Values words(Factor &from, Offsets at, unsigned step) {
    at[from.axisOfK] = 0;
    Values all;
    for (unsigned first = step * from.bytesOfLane; first < (step + 1) * from.bytesOfLane;
         first += perWord) {
      Value *&made = from.words[{at, first}];
      if (!made) {
        llvm::SmallVector<Value *> parts;
        for (unsigned i = first; i < first + perWord; ++i) {
          if (i >= from.alongK.size())
            failForLayout();
          parts.push_back(from.bytes.find(beside(at, from.axisOfK, from.alongK[i])));
        }
        if (llvm::is_contained(parts, nullptr))
          failForLayout();
        made = packWord(kernel, parts);
      }
      all.push_back(made);
    }
    return all;
  }

  /// With the scales of up to four steps in one word.
  MatrixFactor taken(Factor &from, const Values &words, const Offsets &at, unsigned step) {
    MatrixFactor made{words, from.format};
    if (!from.scales) {
      made.scales = kernel.i32(127); // 2^0
      return made;
    }
    Offsets place = at;
    place[at.size() - 2] = at[from.axisOfRows];
    place[at.size() - 1] = 0;
    const unsigned first = step / perWord * perWord;
    Value *&word = from.scaleWords[{place, first}];
    if (!word) {
      llvm::Type *byte = kernel.builder.getInt8Ty();
      llvm::SmallVector<Value *> parts(perWord, llvm::ConstantInt::get(byte, 0));
      for (unsigned i = 0; i < perWord && first + i < from.scalesAlongK.size(); ++i) {
        place[at.size() - 1] = from.scalesAlongK[first + i];
        parts[i] = from.scales->find(place);
      }
      if (llvm::is_contained(parts, nullptr))
        failForLayout();
      word = packWord(kernel, parts);
    }
    made.scales = word;
    made.scaleByte = step % perWord;
    return made;
  }

  KernelLowering &kernel;
  tt::DotScaledOp op;
  const MatrixInstruction instruction;
  const LinearLayout tile; // of one instruction
  Factor a, b;
};

void emitDot(KernelLowering &kernel, tt::DotOp op) {
  ttg::MatrixInstructionAttr instruction = ttg::instructionOf(op);
  if (instruction && !kernel.target.matrixProducts)
    kernel.unsupported(op, "has no matrix instructions");
  if (!instruction)
    throw tt::errorAt(op, "a product has no matrix instruction, nor operands in shared memory",
                      TL_INTERNAL_ERROR);
  kernel.set(op, MatrixProduct(kernel, op, instruction).emit());
}

/// Passes make other products of those that can be computed without an instruction.
void emitDotScaled(KernelLowering &kernel, tt::DotScaledOp op) {
  ttg::MatrixInstructionAttr instruction = ttg::instructionOf(op);
  if (instruction && kernel.target.matrixProducts)
    return kernel.set(op, ScaledProduct(kernel, op, instruction).emit());
  kernel.unsupported(op, "does not know operands of 6 bits in tl::dot_scaled");
}

} // namespace

void registerLinearAlgebra(OperationTable &table) {
  table.add<emitDot>();
  table.add<emitDotScaled>();
}

} // namespace tl::backend
