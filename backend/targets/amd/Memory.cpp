// SPDX-License-Identifier: MIT
//
// Loads and stores of vectors of elements; a cache hint that the hardware knows is "used once".
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Predicates.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::amd {

using llvm::Value;

namespace {

llvm::Type *accessType(GpuBuilder &b, const GlobalAccess &access) {
  llvm::Type *element = b.getIntNTy(access.elementBytes * 8);
  return access.elements == 1
             ? element
             : static_cast<llvm::Type *>(llvm::FixedVectorType::get(element, access.elements));
}

Value *joined(GpuBuilder &b, llvm::Type *type, llvm::ArrayRef<Value *> elements) {
  if (!type->isVectorTy())
    return elements[0];
  Value *vector = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < elements.size(); ++i)
    vector = b.CreateInsertElement(vector, elements[i], uint64_t(i));
  return vector;
}

/// Marks an access by its hints.
template <class Instruction> Instruction *hinted(Instruction *made, const GlobalAccess &access) {
  if (access.isVolatile || access.cache == tt::CacheModifier::CV ||
      access.cache == tt::CacheModifier::WT)
    made->setVolatile(true);
  else if (access.cache == tt::CacheModifier::CS || access.evict == tt::EvictionPolicy::EVICT_FIRST)
    made->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(made->getContext(), llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                                  llvm::Type::getInt32Ty(made->getContext()), 1))));
  return made;
}

} // namespace

llvm::SmallVector<Value *> Memory::load(GpuBuilder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<Value *> others) const {
  llvm::Type *type = accessType(b, access);
  Value *otherwise = others.empty() ? llvm::Constant::getNullValue(type) : joined(b, type, others);
  Value *loaded = emitUnder(b, access.predicate, {access.pointer}, otherwise, [&] {
    Value *pointer = b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
    return hinted(
        b.CreateAlignedLoad(type, pointer, llvm::Align(access.elementBytes * access.elements)),
        access);
  });
  if (access.elements == 1)
    return {loaded};
  llvm::SmallVector<Value *> elements;
  for (unsigned i = 0; i < access.elements; ++i)
    elements.push_back(b.CreateExtractElement(loaded, uint64_t(i)));
  return elements;
}

void Memory::store(GpuBuilder &b, const GlobalAccess &access,
                   llvm::ArrayRef<Value *> values) const {
  llvm::SmallVector<Value *> operands(values);
  operands.push_back(access.pointer);
  emitUnder(b, access.predicate, operands, nullptr, [&]() -> Value * {
    Value *pointer = b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
    return hinted(b.CreateAlignedStore(joined(b, accessType(b, access), values), pointer,
                                       llvm::Align(access.elementBytes * access.elements)),
                  access);
  });
}

} // namespace tl::backend::amd
