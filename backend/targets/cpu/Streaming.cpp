// SPDX-License-Identifier: MIT
//
// Stores that go past the caches. A plain store reads its cache line first and pushes another one
// out; where all programs together write more than the caches hold, both are wasted. Such stores
// need addresses of whole vectors, and a fence before anybody else may look.
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
/// Bytes written by a launch from which on the caches are no use; about the share of the last level
/// that a few cores have to themselves.
constexpr uint64_t largeResult = uint64_t(32) << 20;
constexpr unsigned mostCost = 24;
} // namespace

Value *FunctionLowering::shouldStream(Nest &nest, const NestPlan &plan, unsigned digit) {
  if (!features.x86 || plan.small || plan.slice.cost > mostCost || nest.lanes == 1 ||
      plan.lowBit[digit] != 0 || nest.mode == MaskMode::dead)
    return nullptr;
  // Programs that talk to each other in memory order it themselves, but not stores like these.
  if (lowering.hasAtomics)
    return nullptr;
  unsigned level = nest.levels.size() - 1;
  Index index{nest.digits};
  Value *aligned = nullptr;
  uint64_t bytes = 0;
  for (const FusionRoot &root : plan.roots) {
    if (root.kind != FusionRoot::Kind::store)
      continue;
    auto store = mlir::cast<tt::StoreOp>(root.operation);
    unsigned element = memoryBytes(elementType(store.getValue().getType()));
    unsigned vector = nest.lanes * element;
    if (vector != 16 && vector != 32 && vector != 64)
      return nullptr;
    Lanes pointer = address(nest, store.getPtr(), index);
    auto *stride = pointer.isAffine() ? llvm::dyn_cast<llvm::ConstantInt>(pointer.stride) : nullptr;
    if (!stride || stride->getSExtValue() != int64_t(element))
      return nullptr;
    bytes += bufferBytes(store.getValue().getType());
    at(nest, level);
    Value *low = builder.CreateAnd(builder.CreatePtrToInt(pointer.value, builder.getInt64Ty()),
                                   i64(vector - 1));
    aligned = aligned ? builder.CreateOr(aligned, low) : low;
  }
  if (!aligned)
    return nullptr;
  at(nest, level);
  Value *programs = i64(1);
  for (unsigned axis = 0; axis < 3; ++axis)
    programs = builder.CreateMul(
        programs,
        builder.CreateZExt(
            builder.CreateLoad(builder.getInt32Ty(), builder.CreateConstInBoundsGEP1_64(
                                                         builder.getInt32Ty(), gridPointer, axis)),
            builder.getInt64Ty()));
  Value *large = builder.CreateICmpUGE(programs, i64((largeResult + bytes - 1) / bytes));
  streams = true;
  return builder.CreateAnd(large, builder.CreateICmpEQ(aligned, i64(0)));
}

void FunctionLowering::markStreaming(llvm::StoreInst *store) {
  auto *vector = llvm::cast<llvm::FixedVectorType>(store->getValueOperand()->getType());
  store->setAlignment(llvm::Align(vector->getNumElements() *
                                  vector->getElementType()->getPrimitiveSizeInBits() / 8));
  store->setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(builder.getInt32(1))));
}

/// At the end of a kernel's range of programs.
void FunctionLowering::fenceStreams() {
  if (streams)
    builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
}

} // namespace tl::backend::cpu
