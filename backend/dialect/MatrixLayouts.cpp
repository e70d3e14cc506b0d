// SPDX-License-Identifier: MIT
#include "dialect/MatrixLayouts.h"

using namespace tl::backend;

namespace tl::ttg {

namespace {

bool isMfma(MatrixInstructionAttr instruction) { return instruction.getFamily() == "mfma"; }

/// 1 or 2; 0 for others.
unsigned wmmaVersion(MatrixInstructionAttr instruction) {
  return instruction.getFamily() == "wmma1" ? 1 : instruction.getFamily() == "wmma2" ? 2 : 0;
}

} // namespace

LinearLayout accumulatorLayout(MatrixInstructionAttr instruction, const Shape &shape,
                               const std::vector<unsigned> &warps) {
  const unsigned bits = instruction.getSum().isF64() ? 64 : 32;
  if (isMfma(instruction))
    return mfmaAccumulator(shape, unsigned(instruction.getM()), warps, bits);
  if (unsigned version = wmmaVersion(instruction))
    return wmmaAccumulator(shape, version, warps);
  return mma2Accumulator(shape, warps, bits);
}

LinearLayout operandLayout(MatrixInstructionAttr instruction, unsigned index, const Shape &shape,
                           unsigned neighbours, const std::vector<unsigned> &warps) {
  if (isMfma(instruction))
    return mfmaOperand(shape, index, unsigned(instruction.getM()), neighbours, warps);
  if (unsigned version = wmmaVersion(instruction))
    return wmmaOperand(shape, index, version, neighbours, warps);
  return mma2Operand(shape, index, instruction.getOperandBits() == 64 ? 64 : 32 / neighbours,
                     warps);
}

unsigned lanesAlongK(MatrixInstructionAttr instruction) {
  if (isMfma(instruction))
    return 64 / unsigned(instruction.getM());
  if (unsigned version = wmmaVersion(instruction))
    return version;
  return 4;
}

unsigned elementsAlongK(MatrixInstructionAttr instruction) {
  return unsigned(instruction.getK()) / lanesAlongK(instruction);
}

} // namespace tl::ttg
