// SPDX-License-Identifier: MIT
//
// wgmma, as PTX: LLVM has no intrinsics for it.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

std::string inputName(mlir::Type element) {
  if (element.isF16())
    return "f16";
  if (element.isBF16())
    return "bf16";
  if (element.isF32())
    return "tf32";
  if (element.isInteger(8))
    return "s8";
  return mlir::isa<mlir::Float8E5M2Type>(element) ? "e5m2" : "e4m3";
}

/// "{$2, $3}": registers of inline PTX from number `first` on.
std::string registerList(unsigned first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// Inline PTX that changes the registers of `values`, which it numbers from 0 on, and reads
/// `operands`, numbered after them.
llvm::SmallVector<Value *> emitInPlace(GpuBuilder &b, const std::string &text,
                                       llvm::ArrayRef<Value *> values,
                                       llvm::ArrayRef<Value *> operands) {
  auto letter = [](Value *value) {
    llvm::Type *type = value->getType();
    return type->isFloatTy()                   ? "f"
           : type->isDoubleTy()                ? "d"
           : type->getScalarSizeInBits() == 16 ? "h"
           : type->getScalarSizeInBits() == 64 ? "l"
                                               : "r";
  };
  std::string constraints;
  llvm::SmallVector<llvm::Type *> types;
  llvm::SmallVector<Value *> all(operands);
  for (Value *value : values) {
    constraints += std::string(constraints.empty() ? "=" : ",=") + letter(value);
    types.push_back(value->getType());
    all.push_back(value);
  }
  for (Value *operand : operands)
    constraints += std::string(constraints.empty() ? "" : ",") + letter(operand);
  for (unsigned i = 0; i < values.size(); ++i)
    constraints += "," + std::to_string(i);
  llvm::Type *type = types.empty()       ? b.getVoidTy()
                     : types.size() == 1 ? types[0]
                                         : llvm::StructType::get(b.getContext(), types);
  Value *result = emitPtx(b, type, text, constraints, all, true, /*convergent=*/true);
  llvm::SmallVector<Value *> after;
  for (unsigned i = 0; i < values.size(); ++i)
    after.push_back(values.size() == 1 ? result : b.CreateExtractValue(result, i));
  return after;
}

} // namespace

void WarpGroupProducts::fence(GpuBuilder &b) const {
  emitPtx(b, b.getVoidTy(), "fence.proxy.async.shared::cta;", "", {}, true);
}

llvm::SmallVector<Value *> WarpGroupProducts::start(GpuBuilder &b,
                                                    const WarpGroupInstruction &instruction,
                                                    llvm::ArrayRef<WarpGroupTile> tiles,
                                                    bool endsGroup) const {
  bool integers = instruction.a.isInteger(8);
  bool halves = instruction.a.isF16() || instruction.a.isBF16();
  std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(instruction.n) + "k" +
                     std::to_string(instruction.k) + (integers ? ".s32." : ".f32.") +
                     inputName(instruction.a) + "." + inputName(instruction.b) + " ";
  // Operands after the accumulator: whether it is added to, signs, and which ones are transposed.
  std::string signs = integers ? "" : ", 1, 1";
  auto transposed = [&](bool isTransposed) { return isTransposed ? ", 1" : ", 0"; };

  // What begins with zeros is added to nothing at first, and needs no registers that hold them.
  auto isFresh = [](const WarpGroupTile &tile) {
    return llvm::all_of(tile.sums, [](Value *sum) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(sum);
      return constant && constant->isNullValue();
    });
  };
  llvm::SmallVector<Value *> sums, operands;
  llvm::SmallVector<bool> fresh;
  for (const WarpGroupTile &tile : tiles) {
    fresh.push_back(isFresh(tile));
    for (Value *sum : tile.sums)
      sums.push_back(fresh.back() ? llvm::PoisonValue::get(sum->getType()) : sum);
  }
  std::string text = "{\n\t.reg .pred added, fresh;\n\tsetp.ne.b32 added, 1, 0;\n\t"
                     "setp.ne.b32 fresh, 0, 0;\n\twgmma.fence.sync.aligned;\n\t";
  unsigned first = 0;
  auto take = [&](llvm::ArrayRef<Value *> values) {
    operands.append(values.begin(), values.end());
    return unsigned(sums.size() + operands.size() - values.size());
  };
  for (auto [tile, isNew] : llvm::zip_equal(tiles, fresh)) {
    std::string accumulator = registerList(first, tile.sums.size());
    for (const WarpGroupTile::Step &step : tile.steps) {
      bool fromMemory = step.a.size() == 1;
      unsigned a = take(step.a), descriptor = take(step.b);
      text += name + accumulator + ", " +
              (fromMemory ? "$" + std::to_string(a) : registerList(a, step.a.size())) + ", $" +
              std::to_string(descriptor) +
              (isNew && &step == tile.steps.begin() ? ", fresh" : ", added") + signs;
      if (halves && fromMemory)
        text += transposed(instruction.transposedA);
      if (halves)
        text += transposed(instruction.transposedB);
      text += ";\n\t";
    }
    first += unsigned(tile.sums.size());
  }
  return emitInPlace(b, text + (endsGroup ? "wgmma.commit_group.sync.aligned;\n\t}" : "}"), sums,
                     operands);
}

llvm::SmallVector<Value *> WarpGroupProducts::wait(GpuBuilder &b, unsigned pendings,
                                                   llvm::ArrayRef<Value *> sums) const {
  return emitInPlace(b, "wgmma.wait_group.sync.aligned " + std::to_string(pendings) + ";", sums,
                     {});
}

} // namespace tl::backend::nvidia
