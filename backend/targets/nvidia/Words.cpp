// SPDX-License-Identifier: MIT
#include "targets/nvidia/Words.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::nvidia {

using llvm::Value;

Words wordsOf(const GlobalAccess &access) {
  unsigned bytes = access.elementBytes * access.elements;
  if (bytes >= 16 && access.elementBytes == 8)
    return {64, bytes / 8};
  if (bytes >= 4 && access.elementBytes <= 4)
    return {32, bytes / 4};
  if (bytes == 8)
    return {64, 1};
  return {bytes * 8, 1};
}

llvm::SmallVector<Value *> pack(GpuBuilder &b, llvm::ArrayRef<Value *> elements,
                                const Words &words) {
  llvm::SmallVector<Value *> packed;
  unsigned per = unsigned(elements.size()) / words.words;
  for (unsigned word = 0; word < words.words; ++word) {
    Value *value = elements[word * per];
    if (per > 1) {
      value = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), per));
      for (unsigned i = 0; i < per; ++i)
        value = b.CreateInsertElement(value, elements[word * per + i], uint64_t(i));
    }
    value = b.CreateBitCast(value, b.getIntNTy(words.bits));
    packed.push_back(b.CreateZExt(value, b.getIntNTy(words.registerBits())));
  }
  return packed;
}

llvm::SmallVector<Value *> unpack(GpuBuilder &b, llvm::ArrayRef<Value *> packed, const Words &words,
                                  const GlobalAccess &access) {
  llvm::SmallVector<Value *> elements;
  unsigned per = access.elements / words.words;
  llvm::Type *element = b.getIntNTy(access.elementBytes * 8);
  for (Value *word : packed) {
    Value *value = b.CreateTrunc(word, b.getIntNTy(words.bits));
    if (per == 1) {
      elements.push_back(value);
      continue;
    }
    Value *vector = b.CreateBitCast(value, llvm::FixedVectorType::get(element, per));
    for (unsigned i = 0; i < per; ++i)
      elements.push_back(b.CreateExtractElement(vector, uint64_t(i)));
  }
  return elements;
}

std::string operandList(unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

} // namespace tl::backend::nvidia
