// SPDX-License-Identifier: MIT
//
// Loads and stores of vectors of elements; a cache hint that the hardware knows is "used once".
// Those with a predicate are branches around an access, or, if their base and how far they go from
// it are known, accesses of a buffer that begins there: where the predicate is false the offset is
// beyond its end, which the hardware looks at, and brings zeros or stores nothing.
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Predicates.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

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

/// An access as the instructions of buffers know it.
struct BufferAccess {
  llvm::Type *type;
  Value *resource, *offset;
};

BufferAccess bufferAccess(GpuBuilder &b, const GlobalAccess &access,
                          const Architecture &architecture) {
  constexpr uint32_t beyond = uint32_t(1) << 31; // no extent is larger
  // Words of 32 bits, though they are not looked at. RDNA wants a bit, and to know that offsets are
  // compared with the extent.
  constexpr uint32_t format = 7u << 12 | 4u << 15, rdna = 1u << 24 | 3u << 28;
  const unsigned bytes = access.elementBytes * access.elements;
  llvm::Type *type = bytes < 4 ? b.getIntNTy(8 * bytes) : b.getInt32Ty();
  if (bytes > 4)
    type = llvm::FixedVectorType::get(type, bytes / 4);
  llvm::Type *global = b.getPtrTy(1);
  Value *resource = b.CreateIntrinsic(Intrinsic::amdgcn_make_buffer_rsrc, {b.getPtrTy(8), global},
                                      {b.CreateAddrSpaceCast(access.base, global), b.getInt16(0),
                                       b.getInt64(access.extent),
                                       b.getInt32(architecture.isCdna() ? format : format | rdna)});
  return {type, resource, b.CreateSelect(access.predicate, access.offset, b.getInt32(beyond))};
}

} // namespace

/// By the number of instructions, and of registers. A single access is shorter as a branch. The
/// offsets wait in registers for accesses that follow at the same places. Filling takes an
/// instruction a word, which in a branch is a move that often comes for free.
///
///     a row of 4096 f32 on 4 waves    as branches                       as buffers
///     gfx942, 4 bytes at a time       243 instructions, 22 registers    148, 32
///     gfx942, 16 bytes                66, 20                            60, 20; filled 77, 21
///     gfx1100, 4 bytes                493, 37                           244, 64
///     gfx1100, 16 bytes               136, 36                           99, 40; filled 131, 40
bool Memory::wantsBase(const GlobalAccess &access, unsigned accesses, bool isFilled) const {
  constexpr unsigned fewest = 2, most = 32, mostFilledBytes = 8;
  return !access.isVolatile && access.cache == tt::CacheModifier::NONE &&
         access.evict == tt::EvictionPolicy::NORMAL && accesses >= fewest && accesses <= most &&
         (!isFilled || access.elementBytes * access.elements <= mostFilledBytes);
}

llvm::SmallVector<Value *> Memory::load(GpuBuilder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<Value *> others) const {
  llvm::Type *type = accessType(b, access);
  Value *otherwise = others.empty() ? llvm::Constant::getNullValue(type) : joined(b, type, others);
  Value *loaded = nullptr;
  if (access.predicate && access.base) {
    const BufferAccess buffer = bufferAccess(b, access, architecture);
    loaded = b.CreateIntrinsic(Intrinsic::amdgcn_raw_ptr_buffer_load, {buffer.type},
                               {buffer.resource, buffer.offset, b.getInt32(0), b.getInt32(0)});
    loaded = b.CreateBitCast(loaded, type);
    auto *constant = llvm::dyn_cast<llvm::Constant>(otherwise);
    if (!constant || !constant->isNullValue())
      loaded = b.CreateSelect(access.predicate, loaded, otherwise);
  } else {
    loaded = emitUnder(b, access.predicate, {access.pointer}, otherwise, [&] {
      Value *pointer = b.CreateAddrSpaceCast(access.pointer, b.getPtrTy(1));
      return hinted(
          b.CreateAlignedLoad(type, pointer, llvm::Align(access.elementBytes * access.elements)),
          access);
    });
  }
  if (access.elements == 1)
    return {loaded};
  llvm::SmallVector<Value *> elements;
  for (unsigned i = 0; i < access.elements; ++i)
    elements.push_back(b.CreateExtractElement(loaded, uint64_t(i)));
  return elements;
}

void Memory::store(GpuBuilder &b, const GlobalAccess &access,
                   llvm::ArrayRef<Value *> values) const {
  if (access.predicate && access.base) {
    const BufferAccess buffer = bufferAccess(b, access, architecture);
    Value *words = b.CreateBitCast(joined(b, accessType(b, access), values), buffer.type);
    b.CreateIntrinsic(Intrinsic::amdgcn_raw_ptr_buffer_store, {buffer.type},
                      {words, buffer.resource, buffer.offset, b.getInt32(0), b.getInt32(0)});
    return;
  }
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
