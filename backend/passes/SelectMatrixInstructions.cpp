// SPDX-License-Identifier: MIT
#include "analysis/AxisInfo.h"
#include "analysis/LayoutInference.h"
#include "dialect/MatrixLayouts.h"
#include "layout/NamedLayouts.h"
#include "layout/NeighbouringRows.h"
#include "passes/GpuPasses.h"
#include "passes/LoadedOperands.h"
#include "passes/ScaledInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_SELECTMATRIXINSTRUCTIONS
#include "passes/GpuPasses.h.inc"

namespace {

/// Whether the instruction multiplies elements of the type, where need be after widening them: f16
/// has all values of fp8.
bool takes(MatrixInstructionAttr instruction, Type element, tt::InputPrecision precision) {
  Type taken = instruction.getElement();
  if (taken.isTF32())
    return element.isF32() && precision == tt::InputPrecision::TF32;
  const bool isByte = isa<FloatType>(element) && tt::getElementBits(element) == 8;
  return element == taken || (isByte && taken.isF16());
}

/// Whether sums of the instruction can be the result: as they are, or rounded to floats that are no
/// narrower than the operands.
bool makes(MatrixInstructionAttr instruction, Type element) {
  Type sum = instruction.getSum();
  if (element == sum)
    return true;
  return isa<FloatType>(element) && isa<FloatType>(sum) &&
         tt::getElementBits(element) < tt::getElementBits(sum) &&
         tt::getElementBits(element) >= instruction.getElement().getIntOrFloatBitWidth();
}

/// Instructions of a group of four warps take elements as they are, from shared memory. They add up
/// products of fp8 imprecisely, which must be allowed for as many as one has.
bool fitsWarpGroups(MatrixInstructionAttr instruction, tt::DotOp dot, unsigned warps) {
  RankedTensorType type = dot.getType();
  if (warps % 4 || type.getRank() != 2 || type.getElementType() != instruction.getSum())
    return false;
  Type element = dot.getA().getType().getElementType();
  Type elementB = dot.getB().getType().getElementType();
  int64_t extentK = dot.getA().getType().getDimSize(1);
  Type taken = instruction.getElement();
  bool types = taken.isTF32()     ? element.isF32() && elementB == element &&
                                        dot.getInputPrecision() == tt::InputPrecision::TF32
               : tt::isFp8(taken) ? element == taken && tt::isFp8(elementB) &&
                                        int64_t(dot.getMaxNumImpreciseAcc()) >= instruction.getK()
                                  : element == taken && elementB == taken;
  if (!types || type.getDimSize(0) < instruction.getM() || extentK < instruction.getK())
    return false;
  return type.getDimSize(1) / wgmmaWarps(type.getShape().vec(), warps)[1] >= instruction.getN();
}

/// Instructions of single warps compute smaller products, too, by far faster than multiply-adds
/// would unless there are hardly any.
bool fits(MatrixInstructionAttr instruction, tt::DotOp dot, unsigned warps) {
  constexpr int64_t fewMultiplyAdds = 16;
  if (isScaled(instruction))
    return false;
  if (instruction.getFamily() == "wgmma")
    return fitsWarpGroups(instruction, dot, warps);
  RankedTensorType a = dot.getA().getType(), b = dot.getB().getType(), type = dot.getType();
  int64_t results = 1;
  for (int64_t extent : type.getShape().take_back(2))
    results *= extent;
  return results * a.getShape().back() >= fewMultiplyAdds &&
         takes(instruction, a.getElementType(), dot.getInputPrecision()) &&
         takes(instruction, b.getElementType(), dot.getInputPrecision()) &&
         makes(instruction, type.getElementType());
}

/// How many warps share each axis of a result: the matrices of a batch go to warps of their own as
/// far as there are, then rows or columns, where there are most in units of the instruction.
std::vector<unsigned> warpsAlongAxes(MatrixInstructionAttr instruction, RankedTensorType type,
                                     unsigned warps) {
  unsigned rank = unsigned(type.getRank()), m = rank - 2, n = rank - 1;
  std::vector<unsigned> split(rank, 1);
  for (unsigned axis = 0; axis < m; ++axis) {
    split[axis] = unsigned(std::min<int64_t>(warps, type.getDimSize(axis)));
    warps /= split[axis];
  }
  auto tiles = [&](unsigned axis) {
    int64_t extent = axis == m ? instruction.getM() : instruction.getN();
    return type.getDimSize(axis) / (extent * split[axis]);
  };
  while (split[m] * split[n] < warps)
    split[tiles(m) >= tiles(n) || tiles(n) <= 1 ? m : n] *= 2;
  return split;
}

/// Whether each warp's part of the result is no smaller than a tile of the instruction.
bool hasWholeTiles(MatrixInstructionAttr instruction, RankedTensorType type, unsigned warps) {
  if (instruction.getFamily() == "wgmma")
    return true;
  std::vector<unsigned> split = warpsAlongAxes(instruction, type, warps);
  const unsigned m = unsigned(type.getRank()) - 2, n = m + 1;
  return type.getDimSize(m) >= instruction.getM() * split[m] &&
         type.getDimSize(n) >= instruction.getN() * split[n];
}

/// The first that fits, is not longer than the product along k and has room in what each warp
/// computes; else the smallest that is not longer; else the shortest. Null for none.
MatrixInstructionAttr instructionFor(tt::DotOp dot, GpuAttr gpu) {
  MatrixInstructionAttr found;
  const int64_t extent = dot.getA().getType().getShape().back();
  auto size = [](MatrixInstructionAttr each) { return each.getM() * each.getN(); };
  for (auto instruction : gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>()) {
    if (!fits(instruction, dot, gpu.getWarps()))
      continue;
    const bool isShort = instruction.getK() <= extent;
    if (isShort && hasWholeTiles(instruction, dot.getType(), gpu.getWarps()))
      return instruction;
    if (!found || (isShort ? found.getK() > extent || size(instruction) < size(found)
                           : instruction.getK() < found.getK()))
      found = instruction;
  }
  return found;
}

/// Bits of the elements that an operand is loaded as and widened from, if neighbours along k lie
/// together in memory; `otherwise` if not.
unsigned loadedBits(Value operand, unsigned axisOfK, unsigned otherwise,
                    const AxisInfoAnalysis &axes) {
  auto loaded = loadedOperand(operand, axes);
  return loaded && isa<tt::LoadOp>(loaded->load) && loaded->along == axisOfK ? loaded->bits
                                                                             : otherwise;
}

/// Which k a lane has is for us to choose: as many neighbours as fill a word of what is loaded.
/// Both operands have to agree.
unsigned operandBits(tt::DotOp dot, MatrixInstructionAttr instruction,
                     const AxisInfoAnalysis &axes) {
  unsigned bits = instruction.getOperandBits();
  if (bits != 16)
    return bits;
  unsigned rank = unsigned(dot.getType().getRank());
  unsigned least = std::min(loadedBits(dot.getA(), rank - 1, bits, axes),
                            loadedBits(dot.getB(), rank - 2, bits, axes));
  return least == 8 ? 8 : bits;
}

/// How many neighbours along k a lane has at a time: a word of them for instructions that take
/// words from all over k; 16 bytes, as far as k goes, for those that take what a lane has.
unsigned neighboursAlongK(tt::DotOp dot, MatrixInstructionAttr instruction,
                          const AxisInfoAnalysis &axes) {
  if (instruction.getFamily() == "mma")
    return std::max(1u, 32 / operandBits(dot, instruction, axes));
  const int64_t extent = dot.getA().getType().getShape().back();
  const unsigned most = 128 / instruction.getOperandBits();
  unsigned neighbours = elementsAlongK(instruction);
  while (neighbours < most && int64_t(neighbours) * 2 * lanesAlongK(instruction) <= extent)
    neighbours *= 2;
  return neighbours;
}

void useInstruction(tt::DotOp dot, MatrixInstructionAttr instruction, unsigned warps,
                    const AxisInfoAnalysis &axes) {
  Builder builder(dot.getContext());
  auto attribute = [&](const LinearLayout &layout) {
    return LayoutAttr::get(builder.getContext(), layout);
  };
  std::vector<unsigned> split = warpsAlongAxes(instruction, dot.getType(), warps);
  unsigned neighbours = neighboursAlongK(dot, instruction, axes);
  auto operand = [&](unsigned index, RankedTensorType type) {
    return attribute(operandLayout(instruction, index, type.getShape().vec(), neighbours, split));
  };
  dot->setDiscardableAttr(instructionName, instruction);
  dot->setDiscardableAttr(
      anchorName, attribute(accumulatorLayout(instruction, dot.getType().getShape().vec(), split)));
  dot->setDiscardableAttr(
      operandAnchorsName,
      builder.getArrayAttr({operand(0, dot.getA().getType()), operand(1, dot.getB().getType())}));
}

/// Visits what a value is computed from in its block, the operands of an operation where the visit
/// answers true.
void walkBackward(Value value, function_ref<bool(Operation *)> visit) {
  DenseSet<Operation *> seen;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == value.getParentBlock() && seen.insert(op).second && visit(op))
      llvm::append_range(open, op->getOperands());
  }
}

/// Whether a value is computed from a product in the same block, and its elements are about where
/// the product's are. Those of a transpose come to other threads through shared memory anyway.
bool followsFromProduct(Value value) {
  bool follows = false;
  walkBackward(value, [&](Operation *op) {
    follows |= isa<tt::DotOp>(op);
    return !follows && !isa<tt::TransOp>(op);
  });
  return follows;
}

/// Whether a loop widens integers that it loads, which arrive after a barrier.
bool isWidened(Value value) {
  if (!isa<scf::ForOp>(value.getParentBlock()->getParentOp()))
    return false;
  bool widens = false, loads = false, isKnown = true;
  walkBackward(value, [&](Operation *op) {
    widens |= isa<arith::SIToFPOp, arith::UIToFPOp>(op);
    const bool isLoad = isa<tt::LoadOp>(op);
    loads |= isLoad;
    isKnown &= isLoad || (isPure(op) && op->getNumRegions() == 0);
    return !isLoad && isKnown;
  });
  return isKnown && widens && loads;
}

/// How a first operand of a group of warps comes into registers, if that is better than by way of
/// shared memory.
enum class Registers { None, Rows, NeighbouringRows };

/// What a loop loads with rows of 32 or 8 bits, not k, along memory is taken as it lies by
/// registers; shared memory would have to be written element by element. What is computed from 32
/// bits is in registers anyway.
Registers registersOf(tt::DotOp dot, GpuAttr gpu, const AxisInfoAnalysis &axes) {
  auto loaded = loadedOperand(dot.getA(), axes);
  if (!loaded || !isa<scf::ForOp>(dot->getParentOp()) ||
      !isComputedFromLoads(dot.getA(), dot->getBlock()))
    return Registers::None;
  const bool isTaken = loaded->isUnchanged
                           ? loaded->along == 0 && (loaded->bits == 32 || loaded->bits == 8)
                           : loaded->bits == 32 &&
                                 hasRoomForComputed(dot.getType(), gpu.getWarps() * gpu.getLanes());
  return !isTaken             ? Registers::None
         : loaded->along == 0 ? Registers::NeighbouringRows
                              : Registers::Rows;
}

/// The widest instruction that the result has room for. Its first operand stays in registers if it
/// is widened, or follows from another product: then no register that the instruction still reads
/// is computed again before a product that it waits for. ptxas of CUDA before 13.3 may move other
/// computations there. One that is read through registers has lanes with neighbouring rows.
void useWarpGroups(tt::DotOp dot, MatrixInstructionAttr instruction, GpuAttr gpu,
                   const AxisInfoAnalysis &axes) {
  constexpr int64_t widest = 256;
  Builder b(dot.getContext());
  Shape shape = dot.getType().getShape().vec();
  std::vector<unsigned> split = wgmmaWarps(shape, gpu.getWarps());
  int64_t n = std::min<int64_t>(widest, shape[1] / split[1]);
  auto chosen = MatrixInstructionAttr::get(
      b.getContext(), instruction.getFamily(),
      b.getDenseI64ArrayAttr({instruction.getM(), n, instruction.getK()}), instruction.getElement(),
      instruction.getSum());
  LinearLayout result = wgmmaAccumulator(shape, unsigned(n), split);
  LinearLayout operand =
      wgmmaOperand(dot.getA().getType().getShape().vec(), instruction.getOperandBits(), split);
  const Registers registers = registersOf(dot, gpu, axes);
  if (registers == Registers::NeighbouringRows) {
    result = withNeighbouringRows(result);
    operand = withNeighbouringRows(operand);
  }
  dot->setDiscardableAttr(instructionName, chosen);
  dot->setDiscardableAttr(anchorName, LayoutAttr::get(b.getContext(), result));
  if (registers != Registers::None || (instruction.getOperandBits() == 16 &&
                                       (followsFromProduct(dot.getA()) || isWidened(dot.getA()))))
    dot->setDiscardableAttr(operandAnchorsName,
                            b.getArrayAttr({LayoutAttr::get(b.getContext(), operand)}));
}

/// The first that leaves each warp a tile of its own, else the smallest.
MatrixInstructionAttr instructionFor(tt::DotScaledOp product, GpuAttr gpu) {
  MatrixInstructionAttr found;
  for (auto instruction : gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>()) {
    if (!computes(instruction, product))
      continue;
    if (hasWholeTiles(instruction, product.getType(), gpu.getWarps()))
      return instruction;
    if (!found || instruction.getM() < found.getM())
      found = instruction;
  }
  return found;
}

/// A lane has 16 bytes along k at a time.
void useScaledInstruction(tt::DotScaledOp product, MatrixInstructionAttr instruction,
                          unsigned warps) {
  constexpr unsigned neighbours = 16;
  Builder b(product.getContext());
  const std::vector<unsigned> split = warpsAlongAxes(instruction, product.getType(), warps);
  auto shapeOf = [](Value value) {
    return Shape(cast<RankedTensorType>(value.getType()).getShape().vec());
  };
  auto attribute = [&](const LinearLayout &layout) -> Attribute {
    return LayoutAttr::get(b.getContext(), layout);
  };
  auto operand = [&](unsigned index, Value value) {
    return attribute(operandLayout(instruction, index, shapeOf(value), neighbours, split));
  };
  const Attribute sums = attribute(accumulatorLayout(instruction, shapeOf(product.getC()), split));
  SmallVector<Attribute> operands = {operand(0, product.getA()), operand(1, product.getB()), sums};
  const Value scales[] = {product.getAScale(), product.getBScale()};
  for (unsigned index : {0u, 1u})
    if (scales[index])
      operands.push_back(attribute(scaleLayout(instruction, index, shapeOf(scales[index]), split)));
  product->setDiscardableAttr(instructionName, instruction);
  product->setDiscardableAttr(anchorName, sums);
  product->setDiscardableAttr(operandAnchorsName, b.getArrayAttr(operands));
}

/// By multiply-adds.
void useNoInstruction(Operation *product, GpuAttr gpu) {
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  product->setDiscardableAttr(
      anchorName,
      LayoutAttr::get(product->getContext(),
                      productLayout(type.getShape().vec(), gpu.getLanes(), gpu.getWarps())));
}

struct SelectMatrixInstructions : impl::SelectMatrixInstructionsBase<SelectMatrixInstructions> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
    getOperation().walk([&](Operation *op) {
      if (auto product = dyn_cast<tt::DotScaledOp>(op)) {
        if (MatrixInstructionAttr instruction = instructionFor(product, gpu))
          return useScaledInstruction(product, instruction, gpu.getWarps());
        return useNoInstruction(op, gpu);
      }
      auto dot = dyn_cast<tt::DotOp>(op);
      if (!dot)
        return;
      MatrixInstructionAttr instruction = instructionFor(dot, gpu);
      if (!instruction)
        useNoInstruction(dot, gpu);
      else if (instruction.getFamily() == "wgmma")
        useWarpGroups(dot, instruction, gpu, axes);
      else
        useInstruction(dot, instruction, gpu.getWarps(), axes);
    });
    markAnalysesPreserved<AxisInfoAnalysis>();
  }
};

} // namespace
} // namespace tl::ttg
