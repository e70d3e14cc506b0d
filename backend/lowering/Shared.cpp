// SPDX-License-Identifier: MIT
//
// Shared memory. All scratch of a kernel comes from one arena. The state at each point of the
// program is the set of ranges that threads may still be reading (or writing) since the last
// barrier; a range is handed out again only behind a barrier. Operations that use scratch have a
// barrier inside, between writing and reading, so with two ranges in turn most need no other.
//
// State flows as control does: branches join by union, and at the head of a loop and of any block
// with several predecessors everything is taken to be in use.
#include "lowering/GpuLowering.h"

#include "layout/Queries.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tl::backend {

using llvm::Value;
using namespace cpu;

namespace {

constexpr uint64_t alignment = 16;
/// The arena grows up to here to save barriers; beyond, space is dearer.
constexpr uint64_t generous = 8 * 1024;

} // namespace

void GpuLowering::barrier() {
  target.barrier(builder);
  shared.pending.clear();
  shared.accesses.clear();
  shared.everything = false;
}

void GpuLowering::join(const SharedState &other) {
  shared.everything |= other.everything;
  for (const Scratch &range : other.pending)
    shared.pending.push_back(range);
  shared.accesses.append(other.accesses);
}

GpuLowering::Scratch GpuLowering::acquire(uint64_t bytes) {
  bytes = llvm::alignTo(std::max<uint64_t>(bytes, 1), alignment);
  auto overlaps = [&](uint64_t begin) {
    return llvm::any_of(shared.pending, [&](const Scratch &range) {
      return begin < range.end && range.begin < begin + bytes;
    });
  };
  if (!shared.everything) {
    // First fit: the bottom, or behind a range in use.
    llvm::SmallVector<uint64_t> places = {arenaBegin};
    for (const Scratch &range : shared.pending)
      places.push_back(range.end);
    llvm::sort(places);
    uint64_t limit = std::max(arenaEnd, arenaBegin + generous);
    for (uint64_t begin : places)
      if (!overlaps(begin) && begin + bytes <= limit) {
        arenaEnd = std::max(arenaEnd, begin + bytes);
        return {begin, begin + bytes};
      }
  }
  barrier();
  arenaEnd = std::max(arenaEnd, arenaBegin + bytes);
  return {arenaBegin, arenaBegin + bytes};
}

void GpuLowering::release(Scratch scratch) { shared.pending.push_back(scratch); }

Value *GpuLowering::sharedPointer(uint64_t offset) {
  llvm::Type *byte = builder.getInt8Ty();
  auto *memory = module.getNamedGlobal("shared_memory");
  if (!memory) {
    memory = new llvm::GlobalVariable(module, llvm::ArrayType::get(byte, 0), false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, "shared_memory",
                                      nullptr, llvm::GlobalValue::NotThreadLocal, 3);
    memory->setAlignment(llvm::Align(alignment));
  }
  return offset ? builder.CreateConstInBoundsGEP1_64(byte, memory, offset) : memory;
}

Value *GpuLowering::sharedElement(Scratch scratch, Value *index, mlir::Type element) {
  return builder.CreateGEP(memoryType(context, element), sharedPointer(scratch.begin), index);
}

// ---- Tensors -----------------------------------------------------------------------------------

namespace {

/// Registers in the order of accesses: each group of `elements` goes together.
struct AccessGroups {
  SharedAccess access;
  llvm::SmallVector<unsigned> firsts; // register numbers without the bits of the access
  unsigned registerOf(unsigned first, unsigned element) const {
    unsigned reg = first;
    for (unsigned bit = 0; bit < access.registerBits.size(); ++bit)
      if (element >> bit & 1)
        reg |= 1u << access.registerBits[bit];
    return reg;
  }
};

AccessGroups groupsFor(const LinearLayout &distributed, const LinearLayout &shared,
                       unsigned bytes) {
  AccessGroups groups{sharedAccess(distributed, shared, bytes), {}};
  unsigned mask = 0;
  for (unsigned bit : groups.access.registerBits)
    mask |= 1u << bit;
  for (unsigned reg = 0; reg < 1u << distributed.inBits("register"); ++reg)
    if (!(reg & mask))
      groups.firsts.push_back(reg);
  return groups;
}

} // namespace

void GpuLowering::storeShared(llvm::ArrayRef<Value *> registers, const LinearLayout &from,
                              const LinearLayout &layout, uint64_t offset, mlir::Type element) {
  unsigned bytes = memoryBytes(element);
  AccessGroups groups = groupsFor(from, layout, bytes);
  LinearLayout places = placesInShared(from, layout);
  llvm::Type *type = builder.getIntNTy(bytes * 8);
  unsigned count = groups.access.elements;
  auto body = [&] {
    for (unsigned first : groups.firsts) {
      if (isCopy(from, first))
        continue;
      Value *index = coordinate(places, first, "offset");
      Value *pointer = builder.CreateGEP(type, sharedPointer(offset), index);
      Value *vector = nullptr;
      if (count == 1) {
        vector = toMemory(registers[first], element);
      } else {
        vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, count));
        for (unsigned i = 0; i < count; ++i)
          vector = builder.CreateInsertElement(
              vector, toMemory(registers[groups.registerOf(first, i)], element), uint64_t(i));
      }
      builder.CreateAlignedStore(vector, pointer, llvm::Align(uint64_t(bytes) * count));
    }
  };
  emitIf(isFirstHolder(from), body);
}

GpuLowering::Values GpuLowering::loadShared(const LinearLayout &to, const LinearLayout &layout,
                                            uint64_t offset, mlir::Type element) {
  unsigned bytes = memoryBytes(element);
  AccessGroups groups = groupsFor(to, layout, bytes);
  LinearLayout places = placesInShared(to, layout);
  llvm::Type *type = builder.getIntNTy(bytes * 8);
  unsigned count = groups.access.elements;
  Values registers(1u << to.inBits("register"), nullptr);
  for (unsigned first : groups.firsts) {
    Value *pointer =
        builder.CreateGEP(type, sharedPointer(offset), coordinate(places, first, "offset"));
    llvm::Type *access = count == 1 ? type : llvm::FixedVectorType::get(type, count);
    Value *vector =
        builder.CreateAlignedLoad(access, pointer, llvm::Align(uint64_t(bytes) * count));
    for (unsigned i = 0; i < count; ++i)
      registers[groups.registerOf(first, i)] = fromMemory(
          count == 1 ? vector : builder.CreateExtractElement(vector, uint64_t(i)), element);
  }
  return registers;
}

// ---- Memory that a kernel asks for -------------------------------------------------------------

void GpuLowering::reserveLocals() {
  function.walk([&](ttg::LocalAllocOp alloc) {
    auto type = mlir::cast<ttg::MemDescType>(alloc.getType());
    uint64_t elements = uint64_t(1) << type.getLayout().getMap().inBits("offset");
    locals[alloc.getResult()] = arenaBegin;
    arenaBegin += llvm::alignTo(elements * memoryBytes(type.getElementType()), 128);
  });
  arenaEnd = arenaBegin;
}

void GpuLowering::emitLocalAlloc(ttg::LocalAllocOp op) {
  if (!op.getSrc())
    return;
  auto type = mlir::cast<ttg::MemDescType>(op.getType());
  barrier(); // the last round of a loop may still read it
  storeShared(get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()), type.getLayout().getMap(),
              locals.lookup(op.getResult()), type.getElementType());
}

} // namespace tl::backend
