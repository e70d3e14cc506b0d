// SPDX-License-Identifier: MIT
#include "analysis/AxisInfo.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"

#include "mlir/IR/Builders.h"

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
  bool isEight = isa<FloatType>(element) && tt::getElementBits(element) == 8;
  return element == taken || (isEight && taken.isF16());
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

bool fits(MatrixInstructionAttr instruction, tt::DotOp dot) {
  RankedTensorType a = dot.getA().getType(), b = dot.getB().getType(), type = dot.getType();
  return type.getRank() == 2 && type.getDimSize(0) >= instruction.getM() &&
         type.getDimSize(1) >= instruction.getN() && a.getDimSize(1) >= instruction.getK() &&
         takes(instruction, a.getElementType(), dot.getInputPrecision()) &&
         takes(instruction, b.getElementType(), dot.getInputPrecision()) &&
         makes(instruction, type.getElementType());
}

/// How many warps share the rows and the columns of a result: they go where it is longest, in units
/// of the instruction.
std::vector<unsigned> warpsAlongAxes(MatrixInstructionAttr instruction, RankedTensorType type,
                                     unsigned warps) {
  std::vector<unsigned> split = {1, 1};
  auto tiles = [&](unsigned axis) {
    int64_t extent = axis == 0 ? instruction.getM() : instruction.getN();
    return type.getDimSize(axis) / (extent * split[axis]);
  };
  while (split[0] * split[1] < warps)
    split[tiles(0) >= tiles(1) || tiles(1) <= 1 ? 0 : 1] *= 2;
  return split;
}

void useInstruction(tt::DotOp dot, MatrixInstructionAttr instruction, unsigned warps) {
  Builder builder(dot.getContext());
  auto attribute = [&](const LinearLayout &layout) {
    return LayoutAttr::get(builder.getContext(), layout);
  };
  std::vector<unsigned> split = warpsAlongAxes(instruction, dot.getType(), warps);
  auto operand = [&](unsigned index, RankedTensorType type) {
    return attribute(
        mma2Operand(type.getShape().vec(), index, instruction.getOperandBits(), split));
  };
  dot->setDiscardableAttr(instructionName, instruction);
  dot->setDiscardableAttr(anchorName,
                          attribute(mma2Accumulator(dot.getType().getShape().vec(), split,
                                                    instruction.getSum().isF64() ? 64 : 32)));
  dot->setDiscardableAttr(
      operandAnchorsName,
      builder.getArrayAttr({operand(0, dot.getA().getType()), operand(1, dot.getB().getType())}));
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
    auto instructions = gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>();
    getOperation().walk([&](Operation *op) {
      if (isa<tt::DotScaledOp>(op))
        return useNoInstruction(op, gpu);
      auto dot = dyn_cast<tt::DotOp>(op);
      if (!dot)
        return;
      auto found = llvm::find_if(
          instructions, [&](MatrixInstructionAttr instruction) { return fits(instruction, dot); });
      if (found != instructions.end())
        useInstruction(dot, *found, gpu.getWarps());
      else
        useNoInstruction(dot, gpu);
    });
    markAnalysesPreserved<AxisInfoAnalysis>();
  }
};

} // namespace
} // namespace tl::ttg
