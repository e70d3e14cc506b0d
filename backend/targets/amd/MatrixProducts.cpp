// SPDX-License-Identifier: MIT
//
// MFMA and WMMA, by LLVM's intrinsics: which there are is said once, in the table, from which the
// description of the GPU is made, too.
#include "targets/amd/MatrixProducts.h"

#include "support/Error.h"
#include "targets/amd/AmdGpu.h"

#include "mlir/IR/Builders.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// Elements of both factors; `scaled` are bytes of floats with scales, each factor's of a format of
/// its own.
enum class Element { f16, bf16, f32, f64, i8, e4m3, e5m2, e4m3b8, e5m2b16, scaled };

constexpr unsigned cdna2 = 1, cdna3 = 2, cdna4 = 4, rdna3 = 8, rdna4 = 16;
constexpr unsigned cdna3And4 = cdna3 | cdna4, cdna = cdna2 | cdna3 | cdna4;

struct Row {
  unsigned generations;
  unsigned m, n, k;
  Element element;
  Intrinsic::ID id;
};

/// The best first: large tiles read fewer operands, long ones are fewer instructions. Those for
/// floats of 8 bits come before that for f16, which takes them, too, widened.
constexpr Row rows[] = {
    {cdna4, 32, 32, 64, Element::scaled, Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4},
    {cdna4, 16, 16, 128, Element::scaled, Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4},
    {cdna4, 32, 32, 64, Element::e4m3, Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4},
    {cdna4, 32, 32, 64, Element::e5m2, Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4},
    {cdna3, 32, 32, 16, Element::e4m3b8, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_fp8},
    {cdna3, 32, 32, 16, Element::e5m2b16, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_bf8},
    {cdna4, 32, 32, 16, Element::e4m3, Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_fp8},
    {cdna4, 32, 32, 16, Element::e5m2, Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_bf8},
    {cdna4, 32, 32, 16, Element::f16, Intrinsic::amdgcn_mfma_f32_32x32x16_f16},
    {cdna4, 32, 32, 16, Element::bf16, Intrinsic::amdgcn_mfma_f32_32x32x16_bf16},
    {cdna4, 32, 32, 32, Element::i8, Intrinsic::amdgcn_mfma_i32_32x32x32_i8},
    {cdna, 32, 32, 8, Element::f16, Intrinsic::amdgcn_mfma_f32_32x32x8f16},
    {cdna, 32, 32, 8, Element::bf16, Intrinsic::amdgcn_mfma_f32_32x32x8bf16_1k},
    {cdna3And4, 32, 32, 16, Element::i8, Intrinsic::amdgcn_mfma_i32_32x32x16_i8},
    {cdna2, 32, 32, 8, Element::i8, Intrinsic::amdgcn_mfma_i32_32x32x8i8},
    {cdna, 32, 32, 2, Element::f32, Intrinsic::amdgcn_mfma_f32_32x32x2f32},
    {cdna4, 16, 16, 128, Element::e4m3, Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4},
    {cdna4, 16, 16, 128, Element::e5m2, Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4},
    {cdna3, 16, 16, 32, Element::e4m3b8, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8},
    {cdna3, 16, 16, 32, Element::e5m2b16, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_bf8},
    {cdna4, 16, 16, 32, Element::e4m3, Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8},
    {cdna4, 16, 16, 32, Element::e5m2, Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_bf8},
    {rdna4, 16, 16, 16, Element::e4m3, Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_fp8},
    {rdna4, 16, 16, 16, Element::e5m2, Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_bf8},
    {cdna4, 16, 16, 32, Element::f16, Intrinsic::amdgcn_mfma_f32_16x16x32_f16},
    {cdna4, 16, 16, 32, Element::bf16, Intrinsic::amdgcn_mfma_f32_16x16x32_bf16},
    {cdna4, 16, 16, 64, Element::i8, Intrinsic::amdgcn_mfma_i32_16x16x64_i8},
    {cdna, 16, 16, 16, Element::f16, Intrinsic::amdgcn_mfma_f32_16x16x16f16},
    {cdna, 16, 16, 16, Element::bf16, Intrinsic::amdgcn_mfma_f32_16x16x16bf16_1k},
    {cdna3And4, 16, 16, 32, Element::i8, Intrinsic::amdgcn_mfma_i32_16x16x32_i8},
    {cdna2, 16, 16, 16, Element::i8, Intrinsic::amdgcn_mfma_i32_16x16x16i8},
    {cdna, 16, 16, 4, Element::f32, Intrinsic::amdgcn_mfma_f32_16x16x4f32},
    {cdna, 16, 16, 4, Element::f64, Intrinsic::amdgcn_mfma_f64_16x16x4f64},
    {rdna3 | rdna4, 16, 16, 16, Element::f16, Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {rdna3 | rdna4, 16, 16, 16, Element::bf16, Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    {rdna3 | rdna4, 16, 16, 16, Element::i8, Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
};

mlir::Type typeOf(mlir::MLIRContext &context, Element element) {
  switch (element) {
  case Element::f16:
    return mlir::Float16Type::get(&context);
  case Element::bf16:
    return mlir::BFloat16Type::get(&context);
  case Element::f32:
    return mlir::Float32Type::get(&context);
  case Element::f64:
    return mlir::Float64Type::get(&context);
  case Element::i8:
  case Element::scaled:
    return mlir::IntegerType::get(&context, 8);
  case Element::e4m3:
    return mlir::Float8E4M3FNType::get(&context);
  case Element::e5m2:
    return mlir::Float8E5M2Type::get(&context);
  case Element::e4m3b8:
    return mlir::Float8E4M3FNUZType::get(&context);
  case Element::e5m2b16:
    break;
  }
  return mlir::Float8E5M2FNUZType::get(&context);
}

const Row &rowOf(const Architecture &architecture, const MatrixInstruction &instruction) {
  for (const Row &row : rows)
    if (row.generations >> unsigned(architecture.generation) & 1 && row.m == instruction.m &&
        row.n == instruction.n && row.k == instruction.k &&
        typeOf(*instruction.element.getContext(), row.element) == instruction.element)
      return row;
  raise(TL_INTERNAL_ERROR, "a product is given to a matrix instruction that there is not");
}

Value *vectorOf(GpuBuilder &b, llvm::ArrayRef<Value *> values) {
  Value *vector = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(values[0]->getType(), unsigned(values.size())));
  for (unsigned i = 0; i < values.size(); ++i)
    vector = b.CreateInsertElement(vector, values[i], uint64_t(i));
  return vector;
}

/// How instructions that scale call the format of a factor.
unsigned formatCode(mlir::Type format) {
  return mlir::isa<mlir::Float4E2M1FNType>(format) ? 4
         : mlir::isa<mlir::Float8E5M2Type>(format) ? 1
                                                   : 0;
}

/// Words as the one operand that the intrinsic takes: a scalar of 32 or 64 bits, or a vector.
Value *operandOf(GpuBuilder &b, Element element, llvm::ArrayRef<Value *> words, bool isWmma) {
  if (element == Element::f64)
    return words[0];
  Value *all = words.size() > 1 ? vectorOf(b, words) : words[0];
  const unsigned halves = 2 * unsigned(words.size());
  if (element == Element::f32)
    return b.CreateBitCast(all, b.getFloatTy());
  if (element == Element::f16)
    return b.CreateBitCast(all, llvm::FixedVectorType::get(b.getHalfTy(), halves));
  if (element == Element::bf16) // older intrinsics know it as integers
    return b.CreateBitCast(
        all, llvm::FixedVectorType::get(!isWmma && halves == 8 ? b.getBFloatTy() : b.getInt16Ty(),
                                        halves));
  return !isWmma && words.size() == 2 ? b.CreateBitCast(all, b.getInt64Ty()) : all;
}

} // namespace

mlir::ArrayAttr matrixInstructions(mlir::MLIRContext &context, const Architecture &architecture) {
  mlir::Builder b(&context);
  const char *plain = architecture.isCdna()                          ? "mfma"
                      : architecture.generation == Generation::rdna3 ? "wmma1"
                                                                     : "wmma2";
  llvm::SmallVector<mlir::Attribute> all;
  for (const Row &row : rows)
    if (row.generations >> unsigned(architecture.generation) & 1)
      all.push_back(ttg::MatrixInstructionAttr::get(
          &context, row.element == Element::scaled ? "scaled_mfma" : plain,
          b.getDenseI64ArrayAttr({row.m, row.n, row.k}), typeOf(context, row.element),
          row.element == Element::i8    ? mlir::Type(b.getI32Type())
          : row.element == Element::f64 ? mlir::Type(b.getF64Type())
                                        : mlir::Type(b.getF32Type())));
  return b.getArrayAttr(all);
}

llvm::SmallVector<Value *> MatrixProducts::multiply(GpuBuilder &b,
                                                    const MatrixInstruction &instruction,
                                                    const MatrixFactor &a, const MatrixFactor &bs,
                                                    llvm::ArrayRef<Value *> c) const {
  const Row &row = rowOf(architecture, instruction);
  const bool isWmma = !architecture.isCdna();
  Value *sums = vectorOf(b, c);
  llvm::Type *sumType = sums->getType();
  Value *left = operandOf(b, row.element, a.registers, isWmma),
        *right = operandOf(b, row.element, bs.registers, isWmma);
  llvm::CallInst *made = nullptr;
  if (row.id == Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4 ||
      row.id == Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4) {
    // With the constant zero for both words of scales it is the instruction that scales nothing.
    // Scales that are given may be or become that: then a byte which is not read keeps them apart.
    auto format = [&](const MatrixFactor &factor) {
      return b.getInt32(formatCode(factor.format ? factor.format : instruction.element));
    };
    auto isNonZero = [](Value *word) {
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(word);
      return constant && !constant->isZero();
    };
    Value *scalesA = a.scales, *scalesB = bs.scales;
    if (!scalesA || !scalesB)
      scalesA = scalesB = b.getInt32(0);
    else if (!isNonZero(scalesA) && !isNonZero(scalesB))
      scalesA = b.CreateOr(scalesA, uint64_t(1) << 8 * ((a.scaleByte + 1) % 4));
    made = b.CreateIntrinsic(row.id, {left->getType(), right->getType()},
                             {left, right, sums, format(a), format(bs), b.getInt32(a.scaleByte),
                              scalesA, b.getInt32(bs.scaleByte), scalesB});
  } else if (!isWmma) {
    // No part of a factor is given to other lanes.
    made =
        b.CreateIntrinsic(row.id, {left, right, sums, b.getInt32(0), b.getInt32(0), b.getInt32(0)});
  } else if (row.element == Element::i8) {
    made = b.CreateIntrinsic(row.id, {sumType, left->getType()},
                             {b.getTrue(), left, b.getTrue(), right, sums, b.getFalse()});
  } else {
    made = b.CreateIntrinsic(row.id, {sumType, left->getType()}, {left, right, sums});
  }
  // All lanes take part: it must not move under a condition.
  made->addFnAttr(llvm::Attribute::Convergent);
  llvm::SmallVector<Value *> results;
  for (unsigned i = 0; i < c.size(); ++i)
    results.push_back(b.CreateExtractElement(made, uint64_t(i)));
  return results;
}

} // namespace tl::backend::amd
