// SPDX-License-Identifier: MIT
#include "targets/cpu/ConstantMasks.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tl::backend::cpu {

void expandConstantMasks(llvm::Function &function) {
  llvm::SmallVector<llvm::IntrinsicInst *> stores;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::masked_store)
        stores.push_back(call);

  for (llvm::IntrinsicInst *store : stores) {
    llvm::Value *value = store->getArgOperand(0), *pointer = store->getArgOperand(1);
    auto *mask = llvm::dyn_cast<llvm::Constant>(store->getArgOperand(store->arg_size() - 1));
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (!mask || !type)
      continue;
    unsigned count = 0, lane = 0;
    bool known = true;
    for (unsigned i = 0; i < type->getNumElements() && known; ++i) {
      auto *bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(mask->getAggregateElement(i));
      known = bit != nullptr;
      if (known && bit->isOne()) {
        ++count;
        lane = i;
      }
    }
    if (!known || (count > 1 && count < type->getNumElements()))
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Align alignment = store->getParamAlign(1).valueOrOne();
    if (count == 1) {
      llvm::Type *element = type->getElementType();
      llvm::Value *place = builder.CreateConstGEP1_64(element, pointer, lane);
      uint64_t bytes = lane * (element->getPrimitiveSizeInBits().getFixedValue() / 8);
      builder.CreateAlignedStore(builder.CreateExtractElement(value, lane), place,
                                 llvm::commonAlignment(alignment, bytes));
    } else if (count > 1) {
      builder.CreateAlignedStore(value, pointer, alignment);
    }
    store->eraseFromParent();
  }
}

} // namespace tl::backend::cpu
