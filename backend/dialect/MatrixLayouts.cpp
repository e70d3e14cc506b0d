// SPDX-License-Identifier: MIT
#include "dialect/MatrixLayouts.h"

using namespace tl::backend;

namespace tl::ttg {

bool isScaled(MatrixInstructionAttr instruction) {
  return instruction.getFamily() == "scaled_mfma";
}

namespace {

bool isMfma(MatrixInstructionAttr instruction) {
  return instruction.getFamily() == "mfma" || isScaled(instruction);
}

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

LinearLayout scaleLayout(MatrixInstructionAttr instruction, unsigned index, Shape shape,
                         const std::vector<unsigned> &warps) {
  const unsigned side = unsigned(instruction.getM()), rank = unsigned(shape.size());
  if (index == 0)
    return mfmaOperand(shape, 0, side, 1, warps);
  // The second operand has its columns last, its scales have them first.
  std::swap(shape[rank - 1], shape[rank - 2]);
  const std::string first = dimName(rank - 2), last = dimName(rank - 1);
  LinearLayout layout = mfmaOperand(shape, 1, side, 1, warps)
                            .renameOut(first, "other")
                            .renameOut(last, first)
                            .renameOut("other", last);
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i)
    order[i] = i < 2 ? 1 - i : i;
  return layout.permuteOuts(order);
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
