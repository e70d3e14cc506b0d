// SPDX-License-Identifier: MIT
#include "targets/amd/AccumulatorVectors.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace tl::backend::amd {

using llvm::Value;
using namespace llvm::PatternMatch;

namespace {

/// The elements of a vector that is put together one by one, all of them; nothing of another one.
llvm::SmallVector<Value *> elementsOf(llvm::InsertElementInst *last) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(last->getType());
  if (!type)
    return {};
  llvm::SmallVector<Value *> elements(type->getNumElements(), nullptr);
  Value *vector = last;
  while (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (!index || index->getZExtValue() >= elements.size())
      return {};
    Value *&element = elements[index->getZExtValue()];
    if (!element)
      element = insert->getOperand(1);
    vector = insert->getOperand(0);
  }
  return llvm::is_contained(elements, nullptr) ? llvm::SmallVector<Value *>() : elements;
}

/// The vector whose elements in order are what the values are; null: they are no such.
Value *vectorOf(llvm::ArrayRef<Value *> values, llvm::Type *type) {
  Value *whole = nullptr;
  for (size_t i = 0; i < values.size(); ++i) {
    Value *vector = nullptr;
    uint64_t index = 0;
    if (!match(values[i], m_ExtractElt(m_Value(vector), m_ConstantInt(index))) || index != i ||
        (whole && vector != whole))
      return nullptr;
    whole = vector;
  }
  return whole && whole->getType() == type ? whole : nullptr;
}

/// The phi of whole vectors in the place of the elements', which are phis of one block and get all
/// parts of a vector together from one place at least; null: they are no such.
llvm::PHINode *joined(llvm::ArrayRef<Value *> elements, llvm::Type *type) {
  auto *first = llvm::dyn_cast<llvm::PHINode>(elements[0]);
  if (!first)
    return nullptr;
  for (Value *element : elements)
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(element);
        !phi || phi->getParent() != first->getParent())
      return nullptr;
  const auto valuesFrom = [&](llvm::BasicBlock *block) {
    return llvm::map_to_vector(elements, [&](Value *element) {
      return llvm::cast<llvm::PHINode>(element)->getIncomingValueForBlock(block);
    });
  };
  if (llvm::none_of(first->blocks(), [&](llvm::BasicBlock *block) {
        return vectorOf(valuesFrom(block), type) != nullptr;
      }))
    return nullptr;
  llvm::IRBuilder<> b(first);
  llvm::PHINode *phi = b.CreatePHI(type, first->getNumIncomingValues());
  for (llvm::BasicBlock *block : first->blocks()) {
    const auto values = valuesFrom(block);
    Value *vector = vectorOf(values, type);
    if (!vector) {
      b.SetInsertPoint(block->getTerminator());
      vector = llvm::PoisonValue::get(type);
      for (auto [index, value] : llvm::enumerate(values))
        vector = b.CreateInsertElement(vector, value, uint64_t(index));
    }
    phi->addIncoming(vector, block);
  }
  return phi;
}

} // namespace

llvm::PreservedAnalyses CarryAccumulatorVectors::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::InsertElementInst *> wholes;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
          insert && !insert->use_empty() &&
          llvm::all_of(insert->users(), llvm::IsaPred<llvm::CallInst>))
        wholes.push_back(insert);
  for (llvm::InsertElementInst *whole : wholes) {
    llvm::SmallVector<Value *> elements = elementsOf(whole);
    if (elements.empty())
      continue;
    llvm::PHINode *phi = joined(elements, whole->getType());
    if (!phi)
      continue;
    whole->replaceAllUsesWith(phi);
    // Whoever else reads an element reads it there.
    llvm::IRBuilder<> b(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    for (auto [index, element] : llvm::enumerate(elements)) {
      element->replaceAllUsesWith(b.CreateExtractElement(phi, uint64_t(index)));
    }
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace tl::backend::amd
