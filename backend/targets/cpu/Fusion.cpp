// SPDX-License-Identifier: MIT
//
// Decides which values are stored in scratch and which sinks share a loop nest.
#include "targets/cpu/FunctionLowering.h"

namespace tl::backend::cpu {

namespace {
/// From this cost on a value is worth storing rather than computing again.
constexpr unsigned expensive = 8;
constexpr unsigned mostSinks = 16, mostCost = 600;

bool inGroup(const Group *group, mlir::Operation *operation) {
  return group &&
         llvm::any_of(group->sinks, [&](const Sink &sink) { return sink.operation == operation; });
}
} // namespace

bool isDeferred(mlir::Operation *operation) {
  if (operation->getNumResults() == 0 || operation->getNumRegions() ||
      !mlir::isa<mlir::RankedTensorType>(operation->getResult(0).getType()))
    return false;
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    return !load.getIsVolatile();
  if (operation->hasTrait<mlir::OpTrait::Elementwise>())
    return !operation->hasTrait<tt::PacksElements>();
  return operation->hasTrait<tt::Deferrable>() ||
         operation->hasTrait<mlir::OpTrait::ConstantLike>();
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

static bool canJoin(FunctionLowering &f, const Sink &sink, const Slice &slice) {
  if (slice.bits != f.open.slice.bits || f.open.sinks.size() >= mostSinks ||
      f.open.slice.cost + slice.cost > mostCost)
    return false;
  auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(sink.operation);
  bool columns = reduce && !f.reducesInnermost(reduce);
  if (columns || f.open.columns) {
    if (!columns || !f.open.columns)
      return false;
    auto first = mlir::cast<tt::ReduceOp>(f.open.sinks[0].operation);
    if (first.getAxis() != reduce.getAxis() ||
        first.getSrcs()[0].getType() != reduce.getSrcs()[0].getType())
      if (first.getAxis() != reduce.getAxis() ||
          shapeOf(first.getSrcs()[0].getType()) != shapeOf(reduce.getSrcs()[0].getType()))
        return false;
  }
  if (reduce && !columns)
    for (const Sink &other : f.open.sinks)
      if (auto second = mlir::dyn_cast_or_null<tt::ReduceOp>(other.operation))
        if (shapeOf(second.getSrcs()[0].getType()).back() !=
            shapeOf(reduce.getSrcs()[0].getType()).back())
          return false;
  // What the open group makes can be used in it only element by element.
  auto isPending = [&](mlir::Value value) {
    for (const Sink &other : f.open.sinks)
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
    for (const Sink &other : f.open.sinks)
      if (other.slot && other.slot == f.slots.lookup(use.value) && !isPending(use.value))
        return false;
  }
  if (sink.slot)
    for (const Slice::Use &use : f.open.slice.slots)
      if (f.slots.lookup(use.value) == sink.slot)
        return false;
  for (const Slice::Use &use : slice.loads)
    for (const Sink &other : f.open.sinks)
      if (other.kind == Sink::Kind::store &&
          f.order.lookup(use.value.getDefiningOp()) > f.order.lookup(other.operation))
        return false;
  if (sink.kind == Sink::Kind::store) {
    llvm::SmallVector<Sink> all(f.open.sinks);
    all.push_back(sink);
    llvm::SmallVector<Hazard> hazards;
    llvm::SmallVector<mlir::Value> copied;
    if (!f.findHazards(all, f.sliceOf(all), hazards, copied) || !copied.empty() ||
        hazards.size() > 8)
      return false;
  }
  return true;
}

void FunctionLowering::addSink(Sink sink) {
  Slice slice = sliceOf(sink);
  // Scalars of the open group are needed to write the code of this sink.
  if (!open.empty() && !canJoin(*this, sink, slice)) {
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
  walkDefinition(*this, slice, value, identityBits(slice.bits));
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

static void addTees(FunctionLowering &f, Group &group) {
  Scratch &scratch = f.scratch;
  if (group.columns)
    return;
  llvm::SmallVector<Slice::Use> uses(group.slice.values);
  llvm::SmallVector<Sink> tees;
  for (Slice::Use use : uses) {
    if (!use.identity || f.slots.contains(use.value) || use.value.getParentBlock() != f.block ||
        f.cost(use.value) < expensive || !f.isWanted(use.value, &group))
      continue;
    Sink sink;
    sink.kind = Sink::Kind::materialise;
    sink.value = use.value;
    sink.slot = scratch.allocate(f.slotBytes(use.value.getType()));
    tees.push_back(sink);
    f.slots[use.value] = sink.slot;
  }
  // Run apart, what is stored in scratch comes before anything that is written to memory, and after
  // what it reads.
  llvm::SmallVector<Sink> others;
  for (const Sink &sink : group.sinks)
    (sink.kind == Sink::Kind::materialise && !sink.copy ? tees : others).push_back(sink);
  llvm::sort(tees, [&](const Sink &a, const Sink &b) {
    return f.order.lookup(a.value.getDefiningOp()) < f.order.lookup(b.value.getDefiningOp());
  });
  tees.append(others);
  group.sinks.assign(tees.begin(), tees.end());
}

/// Costly values that the group would compute more than once for each of their elements.
static llvm::SmallVector<mlir::Value> replicated(FunctionLowering &f, const Group &group) {
  llvm::SmallVector<mlir::Value> result;
  for (const Slice::Use &use : group.slice.values) {
    if (use.identity || f.slots.contains(use.value) || f.cost(use.value) < expensive)
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
    auto values = replicated(*this, group);
    if (values.empty())
      break;
    waiting.push_back(&group);
    materialise(values.front());
    flush();
    waiting.pop_back();
    group.slice = sliceOf(group.sinks);
  }
  addTees(*this, group);
  emitGroup(group);
  scratch.tick();
}

} // namespace tl::backend::cpu
