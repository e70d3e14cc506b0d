// SPDX-License-Identifier: MIT
//
// Loads and stores of global memory. Neighbours that the layout puts into one thread move together
// as far as the axis analysis says that their addresses follow each other, are aligned, and share a
// predicate.
#include "lowering/Access.h"

#include "analysis/MemoryOrder.h"
#include "dialect/Hints.h"
#include "layout/NamedLayouts.h"
#include "lowering/SharedTensors.h"
#include "lowering/UniformBase.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

RegisterGroups groupsAlong(mlir::RankedTensorType type, unsigned axis, int64_t width) {
  RegisterGroups groups;
  const LinearLayout &layout = ttg::layoutOf(type);
  std::string dim = dimName(axis);
  if (layout.outBits(dim) == 0)
    return groups;
  llvm::SmallVector<unsigned> &bits = groups.bits;
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
  // Nothing else may move within the group.
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
  return groups;
}

RegisterGroups groupsOf(KernelLowering &kernel, mlir::Value pointer, mlir::Value mask) {
  RegisterGroups widest;
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType()))
    for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
      RegisterGroups groups = groupsAlong(type, axis, kernel.axes.vectorWidth(pointer, mask, axis));
      if (groups.width() > widest.width())
        widest = std::move(groups);
    }
  return widest;
}

// ---- Order

namespace {

template <class Numbers, class Key> unsigned numberOf(Numbers &numbers, const Key &key) {
  return numbers.try_emplace(key, unsigned(numbers.size()) + 1).first->second;
}

/// Parameters lead to memory of their own unless they are marked.
SharedEvent accessOf(KernelLowering &kernel, mlir::Value pointer, bool writes) {
  SharedEvent event{writes ? SharedEventKind::GlobalWrite : SharedEventKind::GlobalRead};
  for (mlir::Value base : basesOf(pointer)) {
    if (kernel.function.getArgAttr(mlir::cast<mlir::BlockArgument>(base).getArgNumber(),
                                   tt::mayAliasName))
      base = kernel.mayAlias = kernel.mayAlias ? kernel.mayAlias : base;
    const unsigned number = numberOf(kernel.baseNumbers, base);
    if (number > 64) {
      event.bases = 0;
      break;
    }
    event.bases |= uint64_t(1) << (number - 1);
  }
  return event;
}

} // namespace

void orderBuffer(KernelLowering &kernel, mlir::Value base, bool writes) {
  if (!kernel.shared.isDivergent())
    kernel.shared.mark(accessOf(kernel, base, writes));
}

/// Accesses through one pointer tensor are made by the same threads, if it has no copies and no two
/// lanes have one address; others may touch the same bytes of a buffer, unless they are known
/// distances apart.
void orderAccess(KernelLowering &kernel, mlir::Value pointer, bool writes) {
  if (kernel.shared.isDivergent())
    return; // a load of a region on scalars: see enterScalars
  SharedEvent event = accessOf(kernel, pointer, writes);
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType()))
    if (!kernel.threads.isFirstHolder(ttg::layoutOf(type)) &&
        hasDistinctElements(pointer, kernel.axes))
      event.pointer = numberOf(kernel.pointerNumbers, pointer);
  if (auto span = spanOf(pointer)) {
    std::vector<std::pair<const void *, int64_t>> origin;
    for (auto [value, times] : span->origin)
      origin.push_back({value.getAsOpaquePointer(), times});
    event.origin = numberOf(kernel.originNumbers, origin);
    event.from = span->begin;
    event.to = span->end;
  }
  kernel.shared.mark(event);
}

Value *predicateOf(llvm::ArrayRef<Value *> masks, unsigned reg) {
  if (masks.empty())
    return nullptr;
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(masks[reg]);
  return constant && constant->isOne() ? nullptr : masks[reg];
}

/// The base of an operation's pointers, looked for once, where an access wants it.
class BaseOfAccesses {
public:
  BaseOfAccesses(KernelLowering &kernel, mlir::Operation *operation, mlir::Value pointers,
                 size_t accesses)
      : kernel(kernel), operation(operation), pointers(pointers), accesses(unsigned(accesses)) {}

  void setBase(GlobalAccess &access, llvm::ArrayRef<Value *> fill = {}) {
    const bool isFilled = llvm::any_of(fill, [](Value *value) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(value);
      return !constant || !constant->isNullValue();
    });
    if (!access.predicate || !mlir::isa<mlir::RankedTensorType>(pointers.getType()) ||
        !kernel.target.memory.wantsBase(access, accesses, isFilled))
      return;
    if (!isKnown)
      base = uniformBaseOf(kernel, pointers, operation);
    isKnown = true;
    if (!base)
      return;
    auto &b = kernel.builder;
    Value *distance = b.CreateSub(b.CreatePtrToInt(access.pointer, b.getInt64Ty()),
                                  b.CreatePtrToInt(base->pointer, b.getInt64Ty()));
    access.base = base->pointer;
    // It is less than the extent. Said by a mask, so that LLVM computes it without the base.
    access.offset = b.CreateAnd(b.CreateTrunc(distance, b.getInt32Ty()),
                                uint32_t(llvm::bit_ceil(base->extent) - 1));
    access.extent = base->extent;
  }

private:
  KernelLowering &kernel;
  mlir::Operation *operation;
  mlir::Value pointers;
  const unsigned accesses;
  bool isKnown = false;
  std::optional<UniformBase> base;
};

// ---- Operations

static void emitLoad(KernelLowering &kernel, tt::LoadOp load) {
  auto &b = kernel.builder;
  orderAccess(kernel, load.getPtr(), false);
  mlir::Type element = elementType(load.getType());
  const Values pointers = kernel.get(load.getPtr());
  const Values masks = kernel.getOptional(load.getMask());
  const Values others = kernel.getOptional(load.getOther());
  RegisterGroups groups = groupsOf(kernel, load.getPtr(), load.getMask());
  Values results(pointers.size(), nullptr);
  BaseOfAccesses base(kernel, load, load.getPtr(), pointers.size() / groups.width());
  for (unsigned first = 0; first < pointers.size(); ++first) {
    if (!groups.isFirst(first))
      continue;
    GlobalAccess access;
    access.pointer = pointers[first];
    access.predicate = predicateOf(masks, first);
    access.elementBytes = memoryBytes(element);
    access.elements = groups.width();
    access.cache = load.getCache();
    access.evict = load.getEvict();
    access.isVolatile = load.getIsVolatile();
    Values fill;
    if (access.predicate && !others.empty())
      for (unsigned i = 0; i < groups.width(); ++i)
        fill.push_back(kernel.toMemory(others[groups.registerOf(first, i)], element));
    base.setBase(access, fill);
    auto loaded = kernel.target.memory.load(b, access, fill);
    for (unsigned i = 0; i < groups.width(); ++i)
      results[groups.registerOf(first, i)] = kernel.fromMemory(loaded[i], element);
  }
  // What may change while threads look at it must be one value for all of them.
  if (!mlir::isa<mlir::RankedTensorType>(load.getType()) && load.getIsVolatile())
    results[0] = broadcastFromFirstThread(kernel, results[0]);
  kernel.set(load, std::move(results));
}

static void emitStore(KernelLowering &kernel, tt::StoreOp store) {
  auto &b = kernel.builder;
  orderAccess(kernel, store.getPtr(), true);
  mlir::Type element = elementType(store.getValue().getType());
  const Values pointers = kernel.get(store.getPtr()), stored = kernel.get(store.getValue());
  const Values masks = kernel.getOptional(store.getMask());
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(store.getPtr().getType());
  Value *holder =
      type ? kernel.threads.isFirstHolder(ttg::layoutOf(type)) : kernel.threads.isFirstThread();
  RegisterGroups groups = groupsOf(kernel, store.getPtr(), store.getMask());
  BaseOfAccesses base(kernel, store, store.getPtr(), pointers.size() / groups.width());
  for (unsigned first = 0; first < pointers.size(); ++first) {
    if (!groups.isFirst(first) || (type && isCopy(ttg::layoutOf(type), first)))
      continue;
    GlobalAccess access;
    access.pointer = pointers[first];
    Value *mask = predicateOf(masks, first);
    access.predicate = !mask ? holder : holder ? b.CreateAnd(holder, mask) : mask;
    access.elementBytes = memoryBytes(element);
    access.elements = groups.width();
    access.cache = store.getCache();
    access.evict = store.getEvict();
    base.setBase(access);
    Values words;
    for (unsigned i = 0; i < groups.width(); ++i)
      words.push_back(kernel.toMemory(stored[groups.registerOf(first, i)], element));
    kernel.target.memory.store(b, access, words);
  }
}

void registerMemory(OperationTable &table) {
  table.add<emitLoad>();
  table.add<emitStore>();
}

} // namespace tl::backend
