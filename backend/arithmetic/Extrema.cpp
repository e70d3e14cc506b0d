// SPDX-License-Identifier: MIT
#include "arithmetic/Extrema.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

namespace tl::backend {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// What an x86 processor does: the second operand where the first is not the larger, which it is
/// not of two zeros, nor beside NaN.
Value *comparison(llvm::IRBuilderBase &b, bool largest, Value *x, Value *y) {
  return b.CreateSelect(largest ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
}

/// The same as the instruction itself, which keeps its form beside another selection; null where no
/// register holds the vectors.
Value *instruction(llvm::IRBuilderBase &b, bool largest, Value *x, Value *y) {
  llvm::Type *type = x->getType();
  const bool wide = type->getScalarType()->isDoubleTy();
  if (!type->isVectorTy()) {
    auto *vector = llvm::FixedVectorType::get(type, wide ? 2 : 4);
    auto first = [&](Value *value) {
      return b.CreateInsertElement(llvm::PoisonValue::get(vector), value, uint64_t(0));
    };
    return b.CreateExtractElement(instruction(b, largest, first(x), first(y)), uint64_t(0));
  }
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  uint64_t widest = 0;
  if (b.GetInsertBlock()
          ->getParent()
          ->getFnAttribute("min-legal-vector-width")
          .getValueAsString()
          .getAsInteger(10, widest) ||
      bits > std::max<uint64_t>(widest, 128))
    return nullptr;
  constexpr Intrinsic::ID ids[3][2][2] = {
      {{Intrinsic::x86_sse_min_ps, Intrinsic::x86_sse_max_ps},
       {Intrinsic::x86_sse2_min_pd, Intrinsic::x86_sse2_max_pd}},
      {{Intrinsic::x86_avx_min_ps_256, Intrinsic::x86_avx_max_ps_256},
       {Intrinsic::x86_avx_min_pd_256, Intrinsic::x86_avx_max_pd_256}},
      {{Intrinsic::x86_avx512_min_ps_512, Intrinsic::x86_avx512_max_ps_512},
       {Intrinsic::x86_avx512_min_pd_512, Intrinsic::x86_avx512_max_pd_512}}};
  const int size = bits == 128 ? 0 : bits == 256 ? 1 : bits == 512 ? 2 : -1;
  if (size < 0)
    return nullptr;
  llvm::SmallVector<Value *, 3> operands = {x, y};
  if (size == 2)
    operands.push_back(b.getInt32(4)); // exceptions as the mode says
  return b.CreateIntrinsic(ids[size][wide][largest], {}, operands);
}

} // namespace

Value *emitExtremum(llvm::IRBuilderBase &b, bool largest, Value *first, Value *second,
                    bool firstIsNumber, bool secondIsNumber) {
  if (!b.GetInsertBlock()->getModule()->getTargetTriple().isX86())
    return b.CreateBinaryIntrinsic(largest ? Intrinsic::maxnum : Intrinsic::minnum, first, second);
  // Of the general intrinsic LLVM makes the instruction with the operands in an order that depends
  // on what it can prove of them.
  if (secondIsNumber)
    return comparison(b, largest, first, second);
  if (firstIsNumber)
    return comparison(b, largest, second, first);
  Value *larger = instruction(b, largest, second, first);
  if (!larger)
    larger = comparison(b, largest, second, first);
  return b.CreateSelect(b.CreateFCmpUNO(first, first), second, larger);
}

} // namespace tl::backend
