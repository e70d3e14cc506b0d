// SPDX-License-Identifier: MIT
//
// Decides which values are stored in scratch and which sinks share a loop nest.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tl::backend::cpu {

namespace {
/// From this cost on a value is worth storing rather than computing again.
constexpr unsigned expensive = 8;
constexpr unsigned mostSinks = 16, mostCost = 600;

bool isIdentity(const Slice &slice, const Bits &bits) {
  if (bits.size() != slice.bits)
    return false;
  for (unsigned b = 0; b < bits.size(); ++b)
    if (bits[b] != int8_t(b))
      return false;
  return true;
}

Bits identityBits(unsigned count) {
  Bits bits;
  for (unsigned b = 0; b < count; ++b)
    bits.push_back(int8_t(b));
  return bits;
}

bool inGroup(const Group *group, mlir::Operation *operation) {
  return group &&
         llvm::any_of(group->sinks, [&](const Sink &sink) { return sink.operation == operation; });
}
} // namespace

bool isDeferred(mlir::Operation *operation) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    return !load.getIsVolatile() && mlir::isa<mlir::RankedTensorType>(load.getType());
  if (operation->getNumResults() == 0 ||
      !mlir::isa<mlir::RankedTensorType>(operation->getResult(0).getType()))
    return false;
  if (mlir::isa<tt::ReduceOp, tt::ScanOp, tt::HistogramOp, tt::DotOp, tt::DotScaledOp,
                tt::MapElementwiseOp, tt::CallOp, tt::AtomicRMWOp, tt::AtomicCASOp,
                tt::AtomicLoadOp, tt::ElementwiseInlineAsmOp>(operation))
    return false;
  return operation->getNumRegions() == 0;
}

uint64_t FunctionLowering::slotBytes(mlir::Type type) {
  return uint64_t(elementCount(type)) * memoryBytes(elementType(type));
}

bool FunctionLowering::isWanted(mlir::Value value, const Group *group) {
  llvm::SmallVector<mlir::Value> work = {value};
  llvm::DenseSet<mlir::Value> seen;
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    for (mlir::Operation *user : next.getUsers()) {
      if (isDeferred(user)) {
        for (mlir::Value result : user->getResults())
          if (!slots.contains(result) && seen.insert(result).second)
            work.push_back(result);
        continue;
      }
      if (order.lookup(user) >= current && !inGroup(group, user))
        return true;
    }
  }
  return false;
}

unsigned FunctionLowering::cost(mlir::Value value) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()) || slots.contains(value))
    return 0;
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || !isDeferred(operation))
    return 0;
  if (auto known = costs.find(value); known != costs.end())
    return known->second;
  costs[value] = 0;
  // What stays affine costs next to nothing in a loop.
  if (!floatFormat(elementType(value.getType())) && isAffine(value))
    return 0;
  unsigned sum = 1;
  if (mlir::isa<tt::ExpandDimsOp, tt::ReshapeOp, tt::BroadcastOp, tt::TransOp, tt::SplitOp,
                tt::SplatOp, mlir::arith::ConstantOp>(operation))
    sum = 0;
  else if (mlir::isa<tt::LoadOp>(operation))
    sum = isAffine(mlir::cast<tt::LoadOp>(operation).getPtr()) ? 2 : 10;
  else if (mlir::isa<mlir::math::AbsFOp, mlir::math::AbsIOp, mlir::math::FmaOp>(operation))
    sum = 1;
  else if (mlir::isa<mlir::math::MathDialect>(operation->getDialect()) ||
           mlir::isa<tt::ExternElementwiseOp>(operation))
    sum = 10;
  else if (mlir::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp, mlir::arith::RemSIOp,
                     mlir::arith::RemUIOp, tt::GatherOp, mlir::arith::RemFOp, tt::FpToFpOp>(
               operation))
    sum = 8;
  else if (mlir::isa<mlir::arith::DivFOp, tt::PreciseDivFOp, tt::ApproxDivFOp, tt::PreciseSqrtOp>(
               operation))
    sum = 4;
  for (mlir::Value operand : operation->getOperands())
    sum = std::min(1000u, sum + cost(operand));
  costs[value] = sum;
  return sum;
}

void FunctionLowering::walk(Slice &slice, mlir::Value value, Bits bits) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType())) {
    slice.scalars.push_back(value);
    return;
  }
  auto &seen = slice.visited[value];
  if (llvm::is_contained(seen, bits))
    return;
  seen.push_back(bits);
  bool identity = isIdentity(slice, bits);
  if (slots.contains(value)) {
    slice.slots.push_back({value, bits, identity});
    return;
  }
  walkDefinition(slice, value, bits);
}

void FunctionLowering::walkDefinition(Slice &slice, mlir::Value value, const Bits &bits) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return;
  bool identity = isIdentity(slice, bits);
  // A boundary below bit p of a value: the nest must not run over it with one digit.
  auto cutAt = [&](const Bits &at, unsigned p) {
    if (p < at.size() && at[p] != fixed)
      slice.cuts |= 1u << at[p];
    if (p > 0 && at[p - 1] != fixed && unsigned(at[p - 1]) + 1 < slice.bits)
      slice.cuts |= 1u << (at[p - 1] + 1);
  };
  auto fields = [&](llvm::ArrayRef<int64_t> shape, const Bits &from) {
    llvm::SmallVector<Bits, 6> result(shape.size());
    unsigned position = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      unsigned width = bitsOf(shape[d]);
      result[d].append(from.begin() + position, from.begin() + position + width);
      position += width;
    }
    return result;
  };
  auto join = [](llvm::ArrayRef<Bits> parts) {
    Bits all;
    for (size_t d = parts.size(); d-- > 0;)
      all.append(parts[d]);
    return all;
  };
  auto cutFields = [&](llvm::ArrayRef<int64_t> shape, const Bits &from,
                       llvm::function_ref<bool(size_t)> which) {
    unsigned position = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      unsigned width = bitsOf(shape[d]);
      if (width && which(d)) {
        cutAt(from, position);
        cutAt(from, position + width);
      }
      position += width;
    }
  };
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(operation))
    return walk(slice, reduce.getSrcs()[mlir::cast<mlir::OpResult>(value).getResultNumber()], bits);
  if (mlir::isa<tt::ExpandDimsOp, tt::ReshapeOp>(operation))
    return walk(slice, operation->getOperand(0), bits);
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(operation)) {
    auto from = shapeOf(broadcast.getSrc().getType()), to = shapeOf(value.getType());
    auto parts = fields(to, bits);
    cutFields(to, bits, [&](size_t d) { return from[d] != to[d]; });
    for (size_t d = 0; d < to.size(); ++d)
      if (from[d] != to[d])
        parts[d].clear();
    return walk(slice, broadcast.getSrc(), join(parts));
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(operation)) {
    auto shape = shapeOf(value.getType());
    auto parts = fields(shape, bits);
    cutFields(shape, bits, [](size_t) { return true; });
    llvm::SmallVector<Bits, 6> from(parts.size());
    for (auto [to, dimension] : llvm::enumerate(trans.getOrder()))
      from[dimension] = parts[to];
    return walk(slice, trans.getSrc(), join(from));
  }
  if (auto joined = mlir::dyn_cast<tt::JoinOp>(operation)) {
    cutAt(bits, 1);
    Bits rest(bits.begin() + 1, bits.end());
    slice.cost += 2;
    walk(slice, joined.getLhs(), rest);
    return walk(slice, joined.getRhs(), rest);
  }
  if (auto cat = mlir::dyn_cast<tt::CatOp>(operation)) {
    cutAt(bits, bits.size() - 1);
    Bits rest(bits.begin(), bits.end() - 1);
    slice.cost += 2;
    walk(slice, cat.getLhs(), rest);
    return walk(slice, cat.getRhs(), rest);
  }
  if (auto split = mlir::dyn_cast<tt::SplitOp>(operation)) {
    Bits all = {fixed};
    all.append(bits);
    return walk(slice, split.getSrc(), all);
  }
  if (auto gather = mlir::dyn_cast<tt::GatherOp>(operation)) {
    walk(slice, gather.getIndices(), bits);
    auto indicesShape = shapeOf(gather.getIndices().getType());
    auto sourceShape = shapeOf(gather.getSrc().getType());
    auto parts = fields(indicesShape, bits);
    cutFields(indicesShape, bits, [](size_t) { return true; });
    for (size_t d = 0; d < sourceShape.size(); ++d) {
      if (d == size_t(gather.getAxis()))
        parts[d].clear();
      while (parts[d].size() < bitsOf(sourceShape[d]))
        parts[d].push_back(fixed);
    }
    slice.cost += 10;
    return walk(slice, gather.getSrc(), join(parts));
  }
  mlir::Type element = elementType(value.getType());
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation)) {
    slice.loads.push_back({value, bits, identity});
    slice.widestBytes = std::max(slice.widestBytes, memoryBytes(element));
    slice.cost += 2;
    if (load.getMask())
      slice.masks.push_back({load.getMask(), bits, identity});
  } else {
    if (auto format = floatFormat(element))
      slice.widestBytes = std::max(slice.widestBytes, *format == FloatFormat::f64 ? 8u : 4u);
    if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(operation))
      if (mlir::isa<mlir::RankedTensorType>(select.getCondition().getType()))
        slice.masks.push_back({select.getCondition(), bits, identity});
    // Index arithmetic and masks mostly stay outside of the innermost loop.
    unsigned own = floatFormat(element) || !isAffine(value) ? 1 : 0;
    if (element.isInteger(1))
      own = 0;
    if (mlir::isa<mlir::math::MathDialect>(operation->getDialect()))
      own = 10;
    else if (mlir::isa<mlir::arith::DivFOp, tt::FpToFpOp>(operation))
      own = 4;
    slice.cost += own;
  }
  slice.values.push_back({value, bits, identity});
  for (mlir::Value operand : operation->getOperands())
    walk(slice, operand, bits);
}

void FunctionLowering::walkSink(Slice &slice, const Sink &sink) {
  Bits bits = identityBits(slice.bits);
  auto element = [&](mlir::Value value) {
    mlir::Type type = elementType(value.getType());
    unsigned bytes = memoryBytes(type);
    slice.widestBytes = std::max(slice.widestBytes, bytes);
  };
  switch (sink.kind) {
  case Sink::Kind::materialise:
    element(sink.value);
    if (sink.value.getDefiningOp() &&
        (isDeferred(sink.value.getDefiningOp()) ||
         mlir::isa<tt::ReduceOp, tt::LoadOp>(sink.value.getDefiningOp())) &&
        !sink.copy)
      walkDefinition(slice, sink.value, bits);
    else
      walk(slice, sink.value, bits);
    break;
  case Sink::Kind::store: {
    auto store = mlir::cast<tt::StoreOp>(sink.operation);
    element(store.getValue());
    if (store.getMask())
      slice.masks.push_back({store.getMask(), bits, true});
    for (mlir::Value operand : store->getOperands())
      walk(slice, operand, bits);
    break;
  }
  case Sink::Kind::reduce: {
    auto reduce = mlir::cast<tt::ReduceOp>(sink.operation);
    slice.scalarOnly |= !isVectorisable(reduce.getCombineOp());
    for (mlir::Value source : reduce.getSrcs()) {
      element(source);
      walk(slice, source, bits);
    }
    // The region may use scalars from outside of it.
    reduce.getCombineOp().walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (operand.getParentRegion() != &reduce.getCombineOp())
          slice.scalars.push_back(operand);
    });
    break;
  }
  }
}

namespace {
mlir::Type nestType(const Sink &sink) {
  switch (sink.kind) {
  case Sink::Kind::materialise:
    return sink.value.getType();
  case Sink::Kind::store:
    return mlir::cast<tt::StoreOp>(sink.operation).getPtr().getType();
  case Sink::Kind::reduce:
    return mlir::cast<tt::ReduceOp>(sink.operation).getSrcs()[0].getType();
  }
  llvm_unreachable("kind of sink");
}
} // namespace

Slice FunctionLowering::sliceOf(llvm::ArrayRef<Sink> sinks) {
  Slice slice;
  slice.bits = bitsOf(elementCount(nestType(sinks.front())));
  for (const Sink &sink : sinks)
    walkSink(slice, sink);
  return slice;
}

bool FunctionLowering::canJoin(const Sink &sink, const Slice &slice) {
  if (slice.bits != open.slice.bits || open.sinks.size() >= mostSinks ||
      open.slice.cost + slice.cost > mostCost)
    return false;
  auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(sink.operation);
  bool columns = reduce && !reducesInnermost(reduce);
  if (columns || open.columns) {
    if (!columns || !open.columns)
      return false;
    auto first = mlir::cast<tt::ReduceOp>(open.sinks[0].operation);
    if (first.getAxis() != reduce.getAxis() ||
        first.getSrcs()[0].getType() != reduce.getSrcs()[0].getType())
      if (first.getAxis() != reduce.getAxis() ||
          shapeOf(first.getSrcs()[0].getType()) != shapeOf(reduce.getSrcs()[0].getType()))
        return false;
  }
  if (reduce && !columns)
    for (const Sink &other : open.sinks)
      if (auto second = mlir::dyn_cast_or_null<tt::ReduceOp>(other.operation))
        if (shapeOf(second.getSrcs()[0].getType()).back() !=
            shapeOf(reduce.getSrcs()[0].getType()).back())
          return false;
  // What the open group makes can be used in it only element by element.
  auto isPending = [&](mlir::Value value) {
    for (const Sink &other : open.sinks)
      if ((other.value == value && !other.copy) ||
          (other.kind == Sink::Kind::reduce && value.getDefiningOp() == other.operation))
        return true;
    return false;
  };
  for (mlir::Value value : slice.scalars)
    if (isPending(value))
      return false;
  for (const Slice::Use &use : slice.slots) {
    if (isPending(use.value) && (!use.identity || use.value.getDefiningOp<tt::ReduceOp>()))
      return false;
    // A slot that the group overwrites in place is read only by the group itself.
    for (const Sink &other : open.sinks)
      if (other.slot && other.slot == slots.lookup(use.value) && !isPending(use.value))
        return false;
  }
  if (sink.slot)
    for (const Slice::Use &use : open.slice.slots)
      if (slots.lookup(use.value) == sink.slot)
        return false;
  for (const Slice::Use &use : slice.loads)
    for (const Sink &other : open.sinks)
      if (other.kind == Sink::Kind::store &&
          order.lookup(use.value.getDefiningOp()) > order.lookup(other.operation))
        return false;
  if (sink.kind == Sink::Kind::store) {
    llvm::SmallVector<Sink> all(open.sinks);
    all.push_back(sink);
    llvm::SmallVector<Hazard> hazards;
    llvm::SmallVector<mlir::Value> copied;
    if (!findHazards(all, sliceOf(all), hazards, copied) || !copied.empty() || hazards.size() > 8)
      return false;
  }
  return true;
}

void FunctionLowering::addSink(Sink sink) {
  Slice slice = sliceOf(sink);
  // Scalars of the open group are needed to write the code of this sink.
  if (!open.empty() && !canJoin(sink, slice)) {
    flush();
    slice = sliceOf(sink);
  }
  if (open.empty()) {
    open.slice = std::move(slice);
    auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(sink.operation);
    open.columns = reduce && !reducesInnermost(reduce);
  } else {
    llvm::SmallVector<Sink> all(open.sinks);
    all.push_back(sink);
    open.slice = sliceOf(all);
  }
  open.sinks.push_back(sink);
  if (sink.kind == Sink::Kind::materialise && !sink.copy)
    slots[sink.value] = sink.slot;
}

Slot *FunctionLowering::materialise(mlir::Value value, Slot *target) {
  if (auto known = slots.find(value); known != slots.end()) {
    if (!target || target == known->second)
      return known->second;
    llvm_unreachable("a materialised value is copied by pass()");
  }
  Sink sink;
  sink.kind = Sink::Kind::materialise;
  sink.value = value;
  sink.slot = target ? target : slotInPlace(value);
  if (!sink.slot)
    sink.slot = scratch.allocate(slotBytes(value.getType()));
  if (value.getParentBlock() != block)
    borrowed.push_back(value);
  addSink(sink);
  return sink.slot;
}

/// The slot of an operand that is read for the last time, element by element, to compute the value.
Slot *FunctionLowering::slotInPlace(mlir::Value value) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || !isDeferred(operation) || mlir::isa<tt::LoadOp>(operation))
    return nullptr;
  Slice slice;
  slice.bits = bitsOf(elementCount(value.getType()));
  walkDefinition(slice, value, identityBits(slice.bits));
  uint64_t bytes = slotBytes(value.getType());
  for (Slice::Use use : slice.slots) {
    Slot *slot = slots.lookup(use.value);
    if (!use.identity || !slot->address || !scratch.isOfThisLoop(*slot) ||
        slotBytes(use.value.getType()) != bytes || use.value.getParentBlock() != block)
      continue;
    // Nobody else may read it: not this slice at another index, not a later operation.
    unsigned uses = llvm::count_if(
        slice.slots, [&](const Slice::Use &other) { return slots.lookup(other.value) == slot; });
    bool shared = llvm::any_of(slots, [&](auto &entry) {
      return entry.second == slot && entry.first != use.value && isWanted(entry.first);
    });
    // Groups that wait for values computed before them have not read it yet.
    shared |= llvm::any_of(waiting, [&](const Group *group) {
      return llvm::any_of(group->slice.slots, [&](const Slice::Use &other) {
        return slots.lookup(other.value) == slot;
      });
    });
    if (uses != 1 || shared)
      continue;
    slots[value] = slot; // as if it were stored, so that this use does not count
    bool wanted = isWanted(use.value);
    slots.erase(value);
    if (!wanted)
      return slot;
  }
  return nullptr;
}

void FunctionLowering::addTees(Group &group) {
  if (group.columns)
    return;
  llvm::SmallVector<Slice::Use> uses(group.slice.values);
  llvm::SmallVector<Sink> tees;
  for (Slice::Use use : uses) {
    if (!use.identity || slots.contains(use.value) || use.value.getParentBlock() != block ||
        cost(use.value) < expensive || !isWanted(use.value, &group))
      continue;
    Sink sink;
    sink.kind = Sink::Kind::materialise;
    sink.value = use.value;
    sink.slot = scratch.allocate(slotBytes(use.value.getType()));
    tees.push_back(sink);
    slots[use.value] = sink.slot;
  }
  // Run apart, what is stored in scratch comes before anything that is written to memory, and after
  // what it reads.
  llvm::SmallVector<Sink> others;
  for (const Sink &sink : group.sinks)
    (sink.kind == Sink::Kind::materialise && !sink.copy ? tees : others).push_back(sink);
  llvm::sort(tees, [&](const Sink &a, const Sink &b) {
    return order.lookup(a.value.getDefiningOp()) < order.lookup(b.value.getDefiningOp());
  });
  tees.append(others);
  group.sinks.assign(tees.begin(), tees.end());
}

/// Costly values that the group would compute more than once for each of their elements.
llvm::SmallVector<mlir::Value> FunctionLowering::replicated(const Group &group) {
  llvm::SmallVector<mlir::Value> result;
  for (const Slice::Use &use : group.slice.values) {
    if (use.identity || slots.contains(use.value) || cost(use.value) < expensive)
      continue;
    // A value used inside of a costly one that is stored is not computed here any more.
    bool covered = llvm::any_of(result, [&](mlir::Value other) { return other == use.value; });
    if (!covered)
      result.push_back(use.value);
  }
  return result;
}

void FunctionLowering::flush() {
  if (open.empty())
    return;
  Group group = std::move(open);
  open = Group();
  costs.clear();
  for (;;) {
    auto values = replicated(group);
    if (values.empty())
      break;
    waiting.push_back(&group);
    materialise(values.front());
    flush();
    waiting.pop_back();
    group.slice = sliceOf(group.sinks);
  }
  addTees(group);
  emitGroup(group);
  scratch.tick();
}

} // namespace tl::backend::cpu
