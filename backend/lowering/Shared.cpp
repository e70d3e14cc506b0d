// SPDX-License-Identifier: MIT
//
// Tensors in shared memory: as wide accesses as the two layouts allow. Where it lies and who waits
// for whom is in Barriers.cpp.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tl::backend {

using llvm::Value;

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

GpuLowering::Values GpuLowering::loadNeighbours(Value *pointer, unsigned count,
                                                mlir::Type element) {
  unsigned bytes = memoryBytes(element);
  Value *vector =
      builder.CreateAlignedLoad(llvm::FixedVectorType::get(builder.getIntNTy(bytes * 8), count),
                                pointer, llvm::Align(uint64_t(bytes) * count));
  Values values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(fromMemory(builder.CreateExtractElement(vector, uint64_t(i)), element));
  return values;
}

void GpuLowering::storeShared(llvm::ArrayRef<Value *> registers, const LinearLayout &from,
                              const LinearLayout &layout, uint64_t offset, mlir::Type element,
                              Value *moved) {
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
      Value *pointer = builder.CreateGEP(type, sharedPointer(offset, moved), index);
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
                                            uint64_t offset, mlir::Type element, Value *moved) {
  unsigned bytes = memoryBytes(element);
  AccessGroups groups = groupsFor(to, layout, bytes);
  LinearLayout places = placesInShared(to, layout);
  llvm::Type *type = builder.getIntNTy(bytes * 8);
  unsigned count = groups.access.elements;
  Values registers(1u << to.inBits("register"), nullptr);
  for (unsigned first : groups.firsts) {
    Value *pointer =
        builder.CreateGEP(type, sharedPointer(offset, moved), coordinate(places, first, "offset"));
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

void GpuLowering::emitLocalAlloc(ttg::LocalAllocOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getType());
  const LinearLayout &layout = type.getLayout().getMap();
  uint64_t bytes = (uint64_t(1) << layout.inBits("offset")) * memoryBytes(type.getElementType());
  if (type.getShape().size() > layout.outs().size())
    bytes *= uint64_t(type.getShape().front());
  Scratch memory = acquire(bytes, 128, false, bool(op.getSrc()));
  locals[op.getResult()] = {memory, nullptr};
  if (op.getSrc())
    storeShared(get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()), layout, memory.begin,
                type.getElementType());
}

void GpuLowering::emitLocalLoad(ttg::LocalLoadOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getSrc().getType());
  LocalMemory memory = locals.lookup(op.getSrc());
  reads(memory.scratch);
  set(op, loadShared(ttg::layoutOf(op.getType()), type.getLayout().getMap(), memory.scratch.begin,
                     type.getElementType(), memory.moved));
}

void GpuLowering::emitLocalStore(ttg::LocalStoreOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  LocalMemory memory = locals.lookup(op.getDst());
  writes(memory.scratch);
  storeShared(get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()), type.getLayout().getMap(),
              memory.scratch.begin, type.getElementType(), memory.moved);
}

/// Parts and other names of shared memory. A part that is chosen when the kernel runs counts as the
/// whole where threads wait for each other.
bool GpuLowering::emitView(mlir::Operation *op) {
  if (auto index = mlir::dyn_cast<ttg::MemDescIndexOp>(op)) {
    auto type = mlir::cast<ttg::MemDescType>(index.getType());
    uint64_t bytes = (uint64_t(1) << type.getLayout().getMap().inBits("offset")) *
                     memoryBytes(type.getElementType());
    LocalMemory memory = locals.lookup(index.getSrc());
    Value *number = scalar(index.getIndex());
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(number); constant && !memory.moved) {
      memory.scratch.begin += constant->getZExtValue() * bytes;
      memory.scratch.end = memory.scratch.begin + bytes;
    } else {
      Value *more = builder.CreateMul(number, i32(int64_t(bytes)));
      memory.moved = memory.moved ? builder.CreateAdd(memory.moved, more) : more;
    }
    locals[index.getResult()] = memory;
    return true;
  }
  if (auto part = mlir::dyn_cast<ttg::MemDescSubviewOp>(op)) {
    const LinearLayout &whole = part.getSrc().getType().getLayout().getMap();
    auto type = mlir::cast<ttg::MemDescType>(part.getType());
    unsigned bytes = memoryBytes(type.getElementType());
    LinearLayout::Index at;
    for (auto [axis, offset] : llvm::enumerate(part.getOffsets()))
      at.push_back({dimName(unsigned(axis)), uint64_t(offset)});
    uint64_t place = 0;
    for (const auto &[name, value] : whole.rightInverse()->apply(at))
      if (name == "offset")
        place = value;
    LocalMemory memory = locals.lookup(part.getSrc());
    memory.scratch.begin += place * bytes;
    if (!memory.moved)
      memory.scratch.end = memory.scratch.begin +
                           (uint64_t(1) << type.getLayout().getMap().inBits("offset")) * bytes;
    locals[part.getResult()] = memory;
    return true;
  }
  if (auto renamed = mlir::dyn_cast<ttg::MemDescTransOp>(op)) {
    locals[renamed.getResult()] = locals.lookup(renamed.getSrc());
    return true;
  }
  return false;
}

} // namespace tl::backend
