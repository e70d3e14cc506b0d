// SPDX-License-Identifier: MIT
//
// Loads and stores of global memory. Neighbours that the layout puts into one thread move together
// as far as the axis analysis says that their addresses follow each other, are aligned, and share a
// predicate. So do those among which the mask may end, `offsets < n`, where it does not:
//
//     all = mask[0] & mask[7]     one access of 8 neighbours where all of them are wanted
//     cut = mask[0] ^ mask[7]     8 accesses, in a branch that few threads take
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

/// The widest ones of all axes, of which `width` tells how many neighbours may go together.
static RegisterGroups widestGroups(mlir::Value pointer,
                                   llvm::function_ref<int64_t(unsigned axis)> width) {
  RegisterGroups widest;
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType()))
    for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
      RegisterGroups groups = groupsAlong(type, axis, width(axis));
      if (groups.width() > widest.width())
        widest = std::move(groups);
    }
  return widest;
}

RegisterGroups groupsOf(KernelLowering &kernel, mlir::Value pointer, mlir::Value mask) {
  return widestGroups(pointer,
                      [&](unsigned axis) { return kernel.axes.vectorWidth(pointer, mask, axis); });
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

/// Null for a constant true.
static Value *unlessTrue(Value *predicate) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(predicate);
  return constant && constant->isOne() ? nullptr : predicate;
}

Value *predicateOf(llvm::ArrayRef<Value *> masks, unsigned reg) {
  return masks.empty() ? nullptr : unlessTrue(masks[reg]);
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

namespace {

/// Of a tensor: the bits of register numbers between which all of `values`, of which only the first
/// must be there, are known to be equal, as they are along runs of an axis.
unsigned equalBits(KernelLowering &kernel, llvm::ArrayRef<mlir::Value> values) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(values[0].getType());
  if (!type)
    return 0;
  const LinearLayout &layout = ttg::layoutOf(type);
  unsigned found = 0;
  for (unsigned bit = 0; bit < layout.inBits("register"); ++bit) {
    bool isEqual = true;
    for (unsigned axis = 0; axis < unsigned(type.getRank()) && isEqual; ++axis) {
      const std::string dim = dimName(axis);
      const uint64_t step = layout.outBits(dim) ? layout.image("register", bit, dim) : 0;
      for (mlir::Value value : values)
        isEqual &= !value || step == 0 || uint64_t(kernel.axes.of(value).constancy[axis]) > step;
    }
    found |= unsigned(isEqual) << bit;
  }
  return found;
}

/// The groups of a load or a store, each with its predicate.
class MaskedGroups {
public:
  using Access = llvm::function_ref<void(const RegisterGroups &, unsigned first, Value *predicate)>;

  /// What registers between which the bits `equal` differ would access is accessed once.
  MaskedGroups(KernelLowering &kernel, mlir::Value pointer, mlir::Value mask, unsigned equal = 0)
      : whole(widestGroups(
            pointer,
            [&](unsigned axis) { return kernel.axes.widthOutsideCuts(pointer, mask, axis); })),
        kernel(kernel), parts(groupsOf(kernel, pointer, mask)), masks(kernel.getOptional(mask)),
        registers(unsigned(kernel.get(pointer).size())), equal(equal) {
    if (whole.width() == parts.width())
      return;
    auto &b = kernel.builder;
    cuts.assign(registers, nullptr);
    anyCut = b.getFalse();
    for (unsigned first = 0; first < registers; ++first)
      if (isFirst(whole, first)) {
        cuts[first] = b.CreateXor(masks[first], masks[lastOf(first)]);
        anyCut = b.CreateOr(anyCut, cuts[first]);
      }
  }

  unsigned accesses() const { return registers / whole.width(); }
  /// Whether the mask ends among neighbours of a group, in this thread: null if it never does.
  Value *mayBeCut() const {
    auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(anyCut);
    return constant && constant->isZero() ? nullptr : anyCut;
  }

  void inWhole(Access access) const {
    for (unsigned first = 0; first < registers; ++first)
      if (isFirst(whole, first))
        access(whole, first,
               unlessTrue(masks.empty() ? nullptr
                          : cuts.empty()
                              ? masks[first]
                              : kernel.builder.CreateAnd(masks[first], masks[lastOf(first)])));
  }
  /// In a branch for threads in which the mask ends in a group: what is accessed of those groups.
  void inParts(Access access) const {
    for (unsigned first = 0; first < registers; ++first)
      if (isFirst(parts, first))
        access(parts, first,
               kernel.builder.CreateAnd(masks[first], cuts[whole.positionOf(first).first]));
  }

  const RegisterGroups whole;

private:
  bool isFirst(const RegisterGroups &groups, unsigned reg) const {
    return groups.isFirst(reg) && !(reg & equal);
  }
  unsigned lastOf(unsigned first) const { return whole.registerOf(first, whole.width() - 1); }

  KernelLowering &kernel;
  const RegisterGroups parts;
  const Values masks;
  Values cuts;
  const unsigned registers, equal;
  Value *anyCut = nullptr;
};

/// Bits of registers, those that there are, which a branch has changed. Small ones go as the words
/// in which they were loaded: taken apart before the branch, they would be waited for there.
Values eitherOf(KernelLowering &kernel, const RegisterGroups &groups, const Values &changed,
                llvm::BasicBlock *branch, const Values &before, llvm::BasicBlock *elsewhere) {
  auto &b = kernel.builder;
  constexpr unsigned wordBits = 32;
  const unsigned bits = before[0]->getType()->getIntegerBitWidth();
  const unsigned perWord = std::clamp(wordBits / bits, 1u, groups.width());
  auto *word = llvm::FixedVectorType::get(b.getIntNTy(bits), perWord);
  auto packed = [&](const Values &elements, unsigned first, unsigned from) -> Value * {
    Value *value = llvm::PoisonValue::get(word);
    for (unsigned i = 0; i < perWord; ++i)
      value = b.CreateInsertElement(value, elements[groups.registerOf(first, from + i)], i);
    return b.CreateBitCast(value, b.getIntNTy(bits * perWord));
  };
  struct Word {
    unsigned first, from;
    llvm::PHINode *either;
  };
  llvm::SmallVector<Word> words;
  for (unsigned first = 0; first < before.size(); ++first)
    for (unsigned i = 0; groups.isFirst(first) && before[first] && i < groups.width(); i += perWord)
      words.push_back({first, i, b.CreatePHI(b.getIntNTy(bits * perWord), 2)});
  llvm::IRBuilderBase::InsertPointGuard here(b);
  for (auto [block, elements] : {std::pair(branch, &changed), std::pair(elsewhere, &before)}) {
    b.SetInsertPoint(block->getTerminator());
    for (Word &each : words)
      each.either->addIncoming(packed(*elements, each.first, each.from), block);
  }
  b.SetInsertPoint(words[0].either->getParent());
  Values results(before.size());
  for (Word &each : words) {
    Value *vector = b.CreateBitCast(each.either, word);
    for (unsigned i = 0; i < perWord; ++i)
      results[groups.registerOf(each.first, each.from + i)] =
          b.CreateExtractElement(vector, uint64_t(i));
  }
  return results;
}

void emitLoad(KernelLowering &kernel, tt::LoadOp load) {
  auto &b = kernel.builder;
  orderAccess(kernel, load.getPtr(), false);
  mlir::Type element = elementType(load.getType());
  const Values pointers = kernel.get(load.getPtr());
  Values others = kernel.getOptional(load.getOther());
  for (Value *&other : others)
    other = kernel.toMemory(other, element);
  const unsigned equal = load.getIsVolatile()
                             ? 0
                             : equalBits(kernel, {load.getPtr(), load.getMask(), load.getOther()});
  const MaskedGroups masked(kernel, load.getPtr(), load.getMask(), equal);
  BaseOfAccesses base(kernel, load, load.getPtr(), masked.accesses());
  Values results(pointers.size(), nullptr); // as memory has them
  auto loadGroup = [&](const RegisterGroups &groups, unsigned first, Value *predicate,
                       const Values &elsewhere) {
    GlobalAccess access;
    access.pointer = pointers[first];
    access.predicate = predicate;
    access.elementBytes = memoryBytes(element);
    access.elements = groups.width();
    access.cache = load.getCache();
    access.evict = load.getEvict();
    access.isVolatile = load.getIsVolatile();
    Values fill;
    if (predicate && !elsewhere.empty())
      for (unsigned i = 0; i < groups.width(); ++i)
        fill.push_back(elsewhere[groups.registerOf(first, i)]);
    base.setBase(access, fill);
    auto loaded = kernel.target.memory.load(b, access, fill);
    for (unsigned i = 0; i < groups.width(); ++i)
      results[groups.registerOf(first, i)] = loaded[i];
  };
  masked.inWhole([&](const RegisterGroups &groups, unsigned first, Value *predicate) {
    loadGroup(groups, first, predicate, others);
  });
  if (Value *cut = masked.mayBeCut()) {
    const Values whole = results;
    llvm::BasicBlock *before = b.GetInsertBlock(), *branch = nullptr;
    kernel.emitIf(cut, [&] {
      masked.inParts([&](const RegisterGroups &groups, unsigned first, Value *predicate) {
        loadGroup(groups, first, predicate, whole);
      });
      branch = b.GetInsertBlock();
    });
    results = eitherOf(kernel, masked.whole, results, branch, whole, before);
  }
  for (unsigned reg = 0; reg < results.size(); ++reg)
    results[reg] = reg & equal ? results[reg & ~equal] : kernel.fromMemory(results[reg], element);
  // What may change while threads look at it must be one value for all of them.
  if (!mlir::isa<mlir::RankedTensorType>(load.getType()) && load.getIsVolatile())
    results[0] = broadcastFromFirstThread(kernel, results[0]);
  kernel.set(load, std::move(results));
}

void emitStore(KernelLowering &kernel, tt::StoreOp store) {
  auto &b = kernel.builder;
  orderAccess(kernel, store.getPtr(), true);
  mlir::Type element = elementType(store.getValue().getType());
  const Values pointers = kernel.get(store.getPtr()), stored = kernel.get(store.getValue());
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(store.getPtr().getType());
  Value *holder =
      type ? kernel.threads.isFirstHolder(ttg::layoutOf(type)) : kernel.threads.isFirstThread();
  const MaskedGroups masked(kernel, store.getPtr(), store.getMask());
  BaseOfAccesses base(kernel, store, store.getPtr(), masked.accesses());
  auto storeGroup = [&](const RegisterGroups &groups, unsigned first, Value *mask) {
    if (type && isCopy(ttg::layoutOf(type), first))
      return;
    GlobalAccess access;
    access.pointer = pointers[first];
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
  };
  masked.inWhole(storeGroup);
  if (Value *cut = masked.mayBeCut())
    kernel.emitIf(cut, [&] { masked.inParts(storeGroup); });
}

} // namespace

void registerMemory(OperationTable &table) {
  table.add<emitLoad>();
  table.add<emitStore>();
}

} // namespace tl::backend
