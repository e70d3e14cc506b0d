// SPDX-License-Identifier: MIT
//
// mma.sync.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::nvidia {

using llvm::Value;

llvm::SmallVector<Value *> MatrixProducts::multiply(GpuBuilder &b,
                                                    const MatrixInstruction &instruction,
                                                    const MatrixFactor &a, const MatrixFactor &bs,
                                                    llvm::ArrayRef<Value *> c) const {
  mlir::Type element = instruction.element;
  if (element.isF64()) {
    llvm::Type *type = b.getDoubleTy();
    Value *both = emitPtx(
        b, llvm::StructType::get(type, type),
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0,$1}, {$2}, {$3}, {$4,$5};",
        "=d,=d,d,d,d,d", {a.registers[0], bs.registers[0], c[0], c[1]}, false, /*convergent=*/true);
    return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
  }
  bool integers = element.isInteger(8);
  std::string input = integers           ? "s8"
                      : element.isF16()  ? "f16"
                      : element.isBF16() ? "bf16"
                                         : "tf32";
  std::string sum = integers ? "s32" : "f32";
  llvm::SmallVector<Value *> operands;
  auto take = [&](llvm::ArrayRef<Value *> words) {
    for (Value *word : words)
      operands.push_back(element.isTF32() ? emitPtx(b, b.getInt32Ty(), "cvt.rna.tf32.f32 $0, $1;",
                                                    "=r,r", {word}, false)
                                          : word);
  };
  take(a.registers);
  take(bs.registers);
  operands.append(c.begin(), c.end());
  std::string text = "mma.sync.aligned.m16n8k" + std::to_string(instruction.k) + ".row.col." + sum +
                     "." + input + "." + input + "." + sum +
                     " {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};";
  llvm::Type *type = integers ? b.getInt32Ty() : b.getFloatTy();
  std::string letter = integers ? "r" : "f";
  std::string constraints;
  for (unsigned i = 0; i < 4; ++i)
    constraints += "=" + letter + ",";
  constraints += "r,r,r,r,r,r";
  for (unsigned i = 0; i < 4; ++i)
    constraints += "," + letter;
  Value *all = emitPtx(b, llvm::StructType::get(type, type, type, type), text, constraints,
                       operands, false, /*convergent=*/true);
  llvm::SmallVector<Value *> result;
  for (unsigned i = 0; i < 4; ++i)
    result.push_back(b.CreateExtractValue(all, i));
  return result;
}

} // namespace tl::backend::nvidia
