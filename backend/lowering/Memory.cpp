// SPDX-License-Identifier: MIT
//
// Loads and stores of global memory. Neighbours that the layout puts into one thread move together
// as far as the axis analysis says that their addresses follow each other, are aligned, and share a
// predicate.
#include "lowering/GpuLowering.h"

#include "analysis/MemoryOrder.h"
#include "dialect/Hints.h"

#include "layout/NamedLayouts.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

GpuLowering::Grouping GpuLowering::groupsOf(mlir::Value pointer, mlir::Value mask) {
  Grouping grouping;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType());
  if (!type)
    return grouping;
  const LinearLayout &layout = ttg::layoutOf(type);
  grouping.count = registersOf(type);
  for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
    int64_t width = axes.vectorWidth(pointer, mask, axis);
    std::string dim = dimName(axis);
    if (width <= 1 || layout.outBits(dim) == 0)
      continue;
    llvm::SmallVector<unsigned> bits;
    // Register bit that counts by 2^i along the axis and moves nothing else.
    auto find = [&](uint64_t step) -> std::optional<unsigned> {
      for (const auto &in : layout.ins())
        if (in.name == "register")
          for (unsigned bit = 0; bit < in.images.size(); ++bit) {
            bool alone = layout.image("register", bit, dim) == step;
            for (unsigned other = 0; other < unsigned(type.getRank()) && alone; ++other)
              if (other != axis && layout.outBits(dimName(other)))
                alone = layout.image("register", bit, dimName(other)) == 0;
            if (alone)
              return bit;
          }
      return std::nullopt;
    };
    while (int64_t(2) << bits.size() <= width) {
      auto bit = find(uint64_t(1) << bits.size());
      if (!bit)
        break;
      bits.push_back(*bit);
    }
    // Nothing else may move within the vector.
    auto mixed = [&] {
      uint64_t within = (uint64_t(1) << bits.size()) - 1;
      for (const auto &in : layout.ins())
        for (unsigned bit = 0; bit < in.images.size(); ++bit)
          if (!(in.name == "register" && llvm::is_contained(bits, bit)) &&
              (layout.image(in.name, bit, dim) & within))
            return true;
      return false;
    };
    while (!bits.empty() && mixed())
      bits.pop_back();
    if (bits.size() > grouping.bits.size())
      grouping.bits = bits;
  }
  return grouping;
}

// ---- Order -------------------------------------------------------------------------------------

/// Accesses through one pointer tensor are made by the same threads, if it has no copies and no two
/// lanes have one address; others may meet in a buffer. Parameters lead to memory of their own
/// unless they are marked.
void GpuLowering::orderAccess(mlir::Value pointer, bool writes) {
  if (divergent)
    return; // a load of a region on scalars: see enterScalars
  SharedEvent event{writes ? SharedEventKind::GlobalWrite : SharedEventKind::GlobalRead};
  auto number = [&](mlir::Value value) {
    return pointerNumbers.try_emplace(value, unsigned(pointerNumbers.size()) + 1).first->second;
  };
  if (mlir::Value base = baseOf(pointer)) {
    if (function.getArgAttr(mlir::cast<mlir::BlockArgument>(base).getArgNumber(), tt::mayAliasName))
      base = aliasing = aliasing ? aliasing : base;
    event.base = number(base);
  }
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType()))
    if (!isFirstHolder(ttg::layoutOf(type)) && hasDistinctElements(pointer, axes))
      event.pointer = number(pointer);
  mark(event);
}

/// The bits of an element as memory has them.
Value *GpuLowering::toMemory(Value *value, mlir::Type element) {
  llvm::Type *type = value->getType();
  if (type->isIntegerTy(1))
    return builder.CreateZExt(value, builder.getInt8Ty());
  if (type->isIntegerTy())
    return value;
  llvm::Type *bits = builder.getIntNTy(memoryBytes(element) * 8);
  return type->isPointerTy() ? builder.CreatePtrToInt(value, bits)
                             : builder.CreateBitCast(value, bits);
}

Value *GpuLowering::fromMemory(Value *bits, mlir::Type element) {
  if (element.isInteger(1))
    return builder.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
  llvm::Type *type = registerTypeOf(element);
  if (type->isIntegerTy())
    return bits;
  return type->isPointerTy() ? builder.CreateIntToPtr(bits, type)
                             : builder.CreateBitCast(bits, type);
}

namespace {

bool isTrue(Value *value) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
  return constant && constant->isOne();
}

} // namespace

void GpuLowering::emitLoad(tt::LoadOp load) {
  orderAccess(load.getPtr(), false);
  mlir::Type element = elementType(load.getType());
  const Values pointers = get(load.getPtr());
  Values masks, others;
  if (load.getMask())
    masks = get(load.getMask());
  if (load.getOther())
    others = get(load.getOther());
  Grouping grouping = groupsOf(load.getPtr(), load.getMask());
  Values results(pointers.size(), nullptr);
  for (unsigned first = 0; first < pointers.size(); ++first) {
    if (!grouping.isFirst(first))
      continue;
    GlobalAccess access;
    access.pointer = pointers[first];
    access.predicate = masks.empty() || isTrue(masks[first]) ? nullptr : masks[first];
    access.elementBytes = memoryBytes(element);
    access.elements = grouping.width();
    access.cache = load.getCache();
    access.evict = load.getEvict();
    access.isVolatile = load.getIsVolatile();
    Values fill;
    if (access.predicate && !others.empty())
      for (unsigned i = 0; i < grouping.width(); ++i)
        fill.push_back(toMemory(others[grouping.registerOf(first, i)], element));
    auto loaded = target.load(builder, access, fill);
    for (unsigned i = 0; i < grouping.width(); ++i)
      results[grouping.registerOf(first, i)] = fromMemory(loaded[i], element);
  }
  // What may change while threads look at it must be one value for all of them.
  if (!mlir::isa<mlir::RankedTensorType>(load.getType()) && load.getIsVolatile())
    results[0] = broadcastFromFirstThread(results[0]);
  set(load, std::move(results));
}

void GpuLowering::emitStore(tt::StoreOp store) {
  orderAccess(store.getPtr(), true);
  mlir::Type element = elementType(store.getValue().getType());
  const Values pointers = get(store.getPtr()), stored = get(store.getValue());
  Values masks;
  if (store.getMask())
    masks = get(store.getMask());
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(store.getPtr().getType());
  Value *holder = type ? isFirstHolder(ttg::layoutOf(type)) : isFirstThread();
  Grouping grouping = groupsOf(store.getPtr(), store.getMask());
  for (unsigned first = 0; first < pointers.size(); ++first) {
    if (!grouping.isFirst(first) || (type && isCopy(ttg::layoutOf(type), first)))
      continue;
    GlobalAccess access;
    access.pointer = pointers[first];
    access.predicate = holder;
    if (!masks.empty() && !isTrue(masks[first]))
      access.predicate = holder ? builder.CreateAnd(holder, masks[first]) : masks[first];
    access.elementBytes = memoryBytes(element);
    access.elements = grouping.width();
    access.cache = store.getCache();
    access.evict = store.getEvict();
    Values words;
    for (unsigned i = 0; i < grouping.width(); ++i)
      words.push_back(toMemory(stored[grouping.registerOf(first, i)], element));
    target.store(builder, access, words);
  }
}

} // namespace tl::backend
