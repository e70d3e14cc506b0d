// SPDX-License-Identifier: MIT
#include "passes/ScaledInstructions.h"

#include "dialect/MatrixLayouts.h"

using namespace mlir;

namespace tl::ttg {

namespace {

using tt::ScaleDotElemType;

/// Whether bytes of the format are what an instruction takes.
bool isTaken(ScaleDotElemType format, bool isPackedAlongK) {
  return format == ScaleDotElemType::E4M3 || format == ScaleDotElemType::E5M2 ||
         (format == ScaleDotElemType::E2M1 && isPackedAlongK);
}

bool isExponents(Value scales) {
  return !scales || getElementTypeOrSelf(scales.getType()).isInteger(8);
}

} // namespace

bool computes(MatrixInstructionAttr instruction, tt::DotScaledOp product) {
  constexpr int32_t group = 32;
  ArrayRef<int64_t> shape = product.getType().getShape().take_back(2);
  return isScaled(instruction) && isTaken(product.getAElemType(), product.getLhsKPack()) &&
         isTaken(product.getBElemType(), product.getRhsKPack()) &&
         isExponents(product.getAScale()) && isExponents(product.getBScale()) &&
         product.getScaleFactor() == group && shape[0] >= instruction.getM() &&
         shape[1] >= instruction.getN() && product.getReductionExtent() >= instruction.getK();
}

bool isComputedAsItIs(tt::DotScaledOp product, GpuAttr gpu) {
  return llvm::any_of(gpu.getMatrixInstructions().getAsRange<MatrixInstructionAttr>(),
                      [&](MatrixInstructionAttr each) { return computes(each, product); });
}

} // namespace tl::ttg
