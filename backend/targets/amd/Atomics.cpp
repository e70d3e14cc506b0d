// SPDX-License-Identifier: MIT
//
// LLVM's atomic instructions, with its names of scopes. What the hardware has no instruction for
// (additions of 16 bits by themselves, of bf16 before CDNA3) LLVM's code generator makes a loop of.
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Predicates.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::amd {

using llvm::Value;

namespace {

llvm::SyncScope::ID scopeOf(GpuBuilder &b, tt::MemSyncScope scope) {
  switch (scope) {
  case tt::MemSyncScope::CTA:
    return b.getContext().getOrInsertSyncScopeID("workgroup");
  case tt::MemSyncScope::GPU:
    return b.getContext().getOrInsertSyncScopeID("agent");
  case tt::MemSyncScope::SYSTEM:
    break;
  }
  return llvm::SyncScope::System;
}

llvm::AtomicOrdering orderOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return llvm::AtomicOrdering::Monotonic;
  case tt::MemSemantic::ACQUIRE:
    return llvm::AtomicOrdering::Acquire;
  case tt::MemSemantic::RELEASE:
    return llvm::AtomicOrdering::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    break;
  }
  return llvm::AtomicOrdering::AcquireRelease;
}

llvm::AtomicRMWInst::BinOp operationOf(tt::RMWOp operation) {
  using Instruction = llvm::AtomicRMWInst;
  switch (operation) {
  case tt::RMWOp::AND:
    return Instruction::And;
  case tt::RMWOp::OR:
    return Instruction::Or;
  case tt::RMWOp::XOR:
    return Instruction::Xor;
  case tt::RMWOp::ADD:
    return Instruction::Add;
  case tt::RMWOp::FADD:
    return Instruction::FAdd;
  case tt::RMWOp::MAX:
    return Instruction::Max;
  case tt::RMWOp::MIN:
    return Instruction::Min;
  case tt::RMWOp::UMAX:
    return Instruction::UMax;
  case tt::RMWOp::UMIN:
    return Instruction::UMin;
  case tt::RMWOp::XCHG:
    break;
  }
  return Instruction::Xchg;
}

llvm::Type *floatOf(GpuBuilder &b, mlir::Type element) {
  return element.isF16()    ? b.getHalfTy()
         : element.isBF16() ? b.getBFloatTy()
         : element.isF32()  ? b.getFloatTy()
                            : b.getDoubleTy();
}

Value *global(GpuBuilder &b, const AtomicAccess &access) {
  return b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
}

/// Of floats, an instruction wherever the scope is the GPU: then the memory is its own, and not
/// that of the host, where instructions for floats do not work; and f32 may lose denormal numbers.
/// `value` is an integer, a float or a vector of floats; so is the result.
Value *emitAtomic(GpuBuilder &b, const AtomicAccess &access, tt::RMWOp operation, Value *value) {
  return emitUnder(b, access.predicate, {access.pointer, value},
                   llvm::Constant::getNullValue(value->getType()), [&] {
                     unsigned bytes = unsigned(value->getType()->getPrimitiveSizeInBits()) / 8;
                     llvm::AtomicRMWInst *made = b.CreateAtomicRMW(
                         operationOf(operation), global(b, access), value, llvm::Align(bytes),
                         orderOf(access.semantic), scopeOf(b, access.scope));
                     if (access.scope != tt::MemSyncScope::SYSTEM) {
                       auto *yes = llvm::MDNode::get(b.getContext(), {});
                       made->setMetadata("amdgpu.no.fine.grained.memory", yes);
                       made->setMetadata("amdgpu.no.remote.memory", yes);
                       if (value->getType()->isFloatTy())
                         made->setMetadata("amdgpu.ignore.denormal.mode", yes);
                     }
                     return made;
                   });
}

} // namespace

Value *Atomics::readModifyWrite(GpuBuilder &b, const AtomicAccess &access, tt::RMWOp operation,
                                Value *value, mlir::Type element, bool) const {
  if (operation != tt::RMWOp::FADD)
    return emitAtomic(b, access, operation, value);
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !element.isF64())
    return nullptr;
  Value *old = emitAtomic(b, access, operation, b.CreateBitCast(value, floatOf(b, element)));
  return b.CreateBitCast(old, value->getType());
}

/// Two of 16 bits.
unsigned Atomics::vectorWidth(tt::RMWOp operation, mlir::Type element) const {
  return operation == tt::RMWOp::FADD && (element.isF16() || element.isBF16()) ? 2 : 1;
}

llvm::SmallVector<Value *> Atomics::readModifyWriteVector(GpuBuilder &b, const AtomicAccess &access,
                                                          tt::RMWOp operation,
                                                          llvm::ArrayRef<Value *> values,
                                                          mlir::Type element, bool) const {
  auto *type = llvm::FixedVectorType::get(floatOf(b, element), unsigned(values.size()));
  Value *vector = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < values.size(); ++i)
    vector = b.CreateInsertElement(vector, b.CreateBitCast(values[i], type->getElementType()),
                                   uint64_t(i));
  Value *all = emitAtomic(b, access, operation, vector);
  llvm::SmallVector<Value *> olds;
  for (unsigned i = 0; i < values.size(); ++i)
    olds.push_back(b.CreateBitCast(b.CreateExtractElement(all, uint64_t(i)), values[i]->getType()));
  return olds;
}

Value *Atomics::compareAndSwap(GpuBuilder &b, const AtomicAccess &access, Value *expected,
                               Value *value) const {
  const llvm::AtomicOrdering order = orderOf(access.semantic);
  Value *both = b.CreateAtomicCmpXchg(
      global(b, access), expected, value, llvm::Align(value->getType()->getIntegerBitWidth() / 8),
      order, llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scopeOf(b, access.scope));
  return b.CreateExtractValue(both, 0);
}

Value *Atomics::load(GpuBuilder &b, const AtomicAccess &access, unsigned bits) const {
  llvm::Type *type = b.getIntNTy(bits);
  return emitUnder(b, access.predicate, {access.pointer}, llvm::Constant::getNullValue(type), [&] {
    llvm::LoadInst *made = b.CreateAlignedLoad(type, global(b, access), llvm::Align(bits / 8));
    made->setAtomic(access.semantic == tt::MemSemantic::RELAXED ? llvm::AtomicOrdering::Monotonic
                                                                : llvm::AtomicOrdering::Acquire,
                    scopeOf(b, access.scope));
    return made;
  });
}

void Atomics::store(GpuBuilder &b, const AtomicAccess &access, Value *value) const {
  emitUnder(b, access.predicate, {access.pointer, value}, nullptr, [&] {
    llvm::StoreInst *made = b.CreateAlignedStore(
        value, global(b, access), llvm::Align(value->getType()->getIntegerBitWidth() / 8));
    made->setAtomic(access.semantic == tt::MemSemantic::RELAXED ? llvm::AtomicOrdering::Monotonic
                                                                : llvm::AtomicOrdering::Release,
                    scopeOf(b, access.scope));
    return made;
  });
}

void Atomics::release(GpuBuilder &b, const AtomicAccess &access) const {
  emitUnder(b, access.predicate, {}, nullptr,
            [&] { return b.CreateFence(llvm::AtomicOrdering::Release, scopeOf(b, access.scope)); });
}

void Atomics::addShared(GpuBuilder &b, Value *pointer, Value *value, Value *predicate) const {
  emitUnder(b, predicate, {pointer, value}, nullptr, [&] {
    return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, pointer, value, llvm::Align(4),
                             llvm::AtomicOrdering::Monotonic, scopeOf(b, tt::MemSyncScope::CTA));
  });
}

} // namespace tl::backend::amd
