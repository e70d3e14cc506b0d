// SPDX-License-Identifier: MIT
//
// mma.sync, by LLVM's intrinsics.
#include "targets/nvidia/NvidiaGpu.h"

#include "support/Error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

Intrinsic::ID intrinsicFor(const MatrixInstruction &instruction) {
  struct Known {
    unsigned m, n, k;
    bool (mlir::Type::*isElement)() const;
    Intrinsic::ID id;
  };
  // Sums are f32, of f64 f64.
  constexpr Known floats[] = {
      {16, 8, 16, &mlir::Type::isF16, Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32},
      {16, 8, 8, &mlir::Type::isF16, Intrinsic::nvvm_mma_m16n8k8_row_col_f32_f32},
      {16, 8, 16, &mlir::Type::isBF16, Intrinsic::nvvm_mma_m16n8k16_row_col_bf16},
      {16, 8, 8, &mlir::Type::isBF16, Intrinsic::nvvm_mma_m16n8k8_row_col_bf16},
      {16, 8, 8, &mlir::Type::isTF32, Intrinsic::nvvm_mma_m16n8k8_row_col_tf32},
      {16, 8, 4, &mlir::Type::isTF32, Intrinsic::nvvm_mma_m16n8k4_row_col_tf32},
      {8, 8, 4, &mlir::Type::isF64, Intrinsic::nvvm_mma_m8n8k4_row_col_f64},
  };
  for (const Known &known : floats)
    if (instruction.m == known.m && instruction.n == known.n && instruction.k == known.k &&
        (instruction.element.*known.isElement)())
      return known.id;
  if (instruction.m == 16 && instruction.n == 8 && instruction.element.isInteger(8) &&
      (instruction.k == 32 || instruction.k == 16))
    return instruction.k == 32 ? Intrinsic::nvvm_mma_m16n8k32_row_col_s8
                               : Intrinsic::nvvm_mma_m16n8k16_row_col_s8;
  raise(TL_INTERNAL_ERROR, "a product is given to a matrix instruction that there is not");
}

/// A word of packed elements as the intrinsic wants it. Of f32 the instruction takes the bits that
/// tf32 has.
Value *operandOf(GpuBuilder &b, mlir::Type element, Value *word) {
  if (element.isF16())
    return b.CreateBitCast(word, llvm::FixedVectorType::get(b.getHalfTy(), 2));
  return word;
}

} // namespace

llvm::SmallVector<Value *> MatrixProducts::multiply(GpuBuilder &b,
                                                    const MatrixInstruction &instruction,
                                                    const MatrixFactor &a, const MatrixFactor &bs,
                                                    llvm::ArrayRef<Value *> c) const {
  llvm::SmallVector<Value *> operands;
  for (llvm::ArrayRef<Value *> words : {a.registers, bs.registers})
    for (Value *word : words)
      operands.push_back(operandOf(b, instruction.element, word));
  operands.append(c.begin(), c.end());
  llvm::CallInst *all = b.CreateIntrinsic(intrinsicFor(instruction), operands);
  // All lanes take part: it must not move under a condition.
  all->addFnAttr(llvm::Attribute::Convergent);
  llvm::SmallVector<Value *> sums;
  for (unsigned i = 0; i < c.size(); ++i)
    sums.push_back(b.CreateExtractValue(all, i));
  return sums;
}

} // namespace tl::backend::nvidia
