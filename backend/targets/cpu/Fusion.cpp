// SPDX-License-Identifier: MIT
//
// Decides which values are stored in scratch and which fusion roots share a loop nest.
#include "targets/cpu/FunctionLowering.h"

namespace tl::backend::cpu {

namespace {
/// From this cost on a value is worth storing rather than computing again.
constexpr unsigned expensive = 8;
constexpr unsigned mostRoots = 16, mostCost = 600;

bool inGroup(const Group *group, mlir::Operation *operation) {
  return group && llvm::any_of(group->roots,
                               [&](const FusionRoot &root) { return root.operation == operation; });
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

uint64_t FunctionLowering::bufferBytes(mlir::Type type) {
  return uint64_t(elementCount(type)) * memoryBytes(elementType(type));
}

/// `unwanted`: values that nobody needs, to which this adds what it finds. They stay so while
/// values are only added to those that have buffers.
static bool isWanted(FunctionLowering &f, mlir::Value value, const Group *group,
                     llvm::DenseSet<mlir::Value> &unwanted) {
  if (unwanted.contains(value))
    return false;
  llvm::SmallVector<mlir::Value> work = {value};
  llvm::DenseSet<mlir::Value> seen = {value};
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    for (mlir::Operation *user : next.getUsers()) {
      if (isDeferred(user)) {
        for (mlir::Value result : user->getResults())
          if (!f.buffers.contains(result) && !unwanted.contains(result) &&
              seen.insert(result).second)
            work.push_back(result);
        continue;
      }
      if (f.order.lookup(user) >= f.current && !inGroup(group, user))
        return true;
    }
  }
  unwanted.insert_range(seen);
  return false;
}

bool FunctionLowering::isWanted(mlir::Value value, const Group *group) {
  llvm::DenseSet<mlir::Value> unwanted;
  return cpu::isWanted(*this, value, group, unwanted);
}

static bool canJoin(FunctionLowering &f, const FusionRoot &root, const Slice &slice) {
  if (slice.bits != f.open.slice.bits || f.open.roots.size() >= mostRoots ||
      f.open.slice.cost + slice.cost > mostCost)
    return false;
  auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(root.operation);
  bool columns = reduce && !f.reducesInnermost(reduce);
  if (columns || f.open.columns) {
    if (!columns || !f.open.columns)
      return false;
    auto first = mlir::cast<tt::ReduceOp>(f.open.roots[0].operation);
    if (first.getAxis() != reduce.getAxis() ||
        first.getSrcs()[0].getType() != reduce.getSrcs()[0].getType())
      if (first.getAxis() != reduce.getAxis() ||
          shapeOf(first.getSrcs()[0].getType()) != shapeOf(reduce.getSrcs()[0].getType()))
        return false;
  }
  if (reduce && !columns)
    for (const FusionRoot &other : f.open.roots)
      if (auto second = mlir::dyn_cast_or_null<tt::ReduceOp>(other.operation))
        if (shapeOf(second.getSrcs()[0].getType()).back() !=
            shapeOf(reduce.getSrcs()[0].getType()).back())
          return false;
  if (f.lowering.options.deterministic) {
    const unsigned ours = f.fixedPartials(root), theirs = f.fixedPartials(f.open.roots);
    if ((ours && theirs && ours != theirs) ||
        FunctionLowering::cutsPartials(std::max(ours, theirs), slice) ||
        FunctionLowering::cutsPartials(std::max(ours, theirs), f.open.slice))
      return false;
  }
  // What the open group makes can be used in it only element by element.
  auto isPending = [&](mlir::Value value) {
    for (const FusionRoot &other : f.open.roots)
      if ((other.value == value && !other.copy) ||
          (other.kind == FusionRoot::Kind::reduce && value.getDefiningOp() == other.operation))
        return true;
    return false;
  };
  for (mlir::Value value : slice.scalars)
    if (isPending(value))
      return false;
  for (const Slice::Use &use : slice.buffers) {
    if (isPending(use.value) && (!use.identity || use.value.getDefiningOp<tt::ReduceOp>()))
      return false;
    // A buffer that the group overwrites in place is read only by the group itself.
    for (const FusionRoot &other : f.open.roots)
      if (other.buffer && other.buffer == f.buffers.lookup(use.value) && !isPending(use.value))
        return false;
  }
  if (root.buffer)
    for (const Slice::Use &use : f.open.slice.buffers)
      if (f.buffers.lookup(use.value) == root.buffer)
        return false;
  for (const Slice::Use &use : slice.loads)
    for (const FusionRoot &other : f.open.roots)
      if (other.kind == FusionRoot::Kind::store &&
          f.order.lookup(use.value.getDefiningOp()) > f.order.lookup(other.operation))
        return false;
  if (root.kind == FusionRoot::Kind::store) {
    llvm::SmallVector<FusionRoot> all(f.open.roots);
    all.push_back(root);
    llvm::SmallVector<Hazard> hazards;
    llvm::SmallVector<mlir::Value> copied;
    if (!f.findHazards(all, f.sliceOf(all), hazards, copied) || !copied.empty() ||
        hazards.size() > 8)
      return false;
  }
  return true;
}

void FunctionLowering::addRoot(FusionRoot root) {
  Slice slice = sliceOf(root);
  // Scalars of the open group are needed to write the code of this fusion root.
  if (!open.empty() && !canJoin(*this, root, slice)) {
    flush();
    slice = sliceOf(root);
  }
  if (open.empty()) {
    open.slice = std::move(slice);
    auto reduce = mlir::dyn_cast_or_null<tt::ReduceOp>(root.operation);
    open.columns = reduce && !reducesInnermost(reduce);
  } else {
    llvm::SmallVector<FusionRoot> all(open.roots);
    all.push_back(root);
    open.slice = sliceOf(all);
  }
  open.roots.push_back(root);
  if (root.storesValue())
    buffers[root.value] = root.buffer;
}

ScratchBuffer *FunctionLowering::materialise(mlir::Value value, ScratchBuffer *target) {
  if (auto known = buffers.find(value); known != buffers.end()) {
    if (!target || target == known->second)
      return known->second;
    llvm_unreachable("a materialised value is copied by pass()");
  }
  FusionRoot root;
  root.kind = FusionRoot::Kind::materialise;
  root.value = value;
  root.buffer = target ? target : bufferInPlace(value);
  if (!root.buffer)
    root.buffer = scratch.allocate(bufferBytes(value.getType()));
  if (value.getParentBlock() != block)
    borrowed.push_back(value);
  addRoot(root);
  return root.buffer;
}

/// The buffer of an operand that is read for the last time, element by element, to compute the
/// value.
ScratchBuffer *FunctionLowering::bufferInPlace(mlir::Value value) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || !isDeferred(operation) || mlir::isa<tt::LoadOp>(operation))
    return nullptr;
  Slice slice;
  slice.bits = bitsOf(elementCount(value.getType()));
  walkDefinition(*this, slice, value, identityBits(slice.bits));
  uint64_t bytes = bufferBytes(value.getType());
  for (Slice::Use use : slice.buffers) {
    ScratchBuffer *buffer = buffers.lookup(use.value);
    if (!use.identity || !buffer->address || !scratch.isOfThisLoop(*buffer) ||
        bufferBytes(use.value.getType()) != bytes || use.value.getParentBlock() != block)
      continue;
    // Nobody else may read it: not this slice at another index, not a later operation.
    unsigned uses = llvm::count_if(slice.buffers, [&](const Slice::Use &other) {
      return buffers.lookup(other.value) == buffer;
    });
    bool shared = llvm::any_of(buffers, [&](auto &entry) {
      return entry.second == buffer && entry.first != use.value && isWanted(entry.first);
    });
    // Groups that wait for values computed before them have not read it yet.
    shared |= llvm::any_of(waiting, [&](const Group *group) {
      return llvm::any_of(group->slice.buffers, [&](const Slice::Use &other) {
        return buffers.lookup(other.value) == buffer;
      });
    });
    if (uses != 1 || shared)
      continue;
    buffers[value] = buffer; // as if it were stored, so that this use does not count
    bool wanted = isWanted(use.value);
    buffers.erase(value);
    if (!wanted)
      return buffer;
  }
  return nullptr;
}

/// Whether the group will have stored the value in scratch.
static bool stores(const Group &group, mlir::Value value) {
  return llvm::any_of(group.roots, [&](const FusionRoot &root) {
    return root.storesValue() && root.value == value;
  });
}

FunctionLowering::NotYetStored::NotYetStored(FunctionLowering &owner, const Group &group)
    : owner(owner) {
  for (const FusionRoot &root : group.roots)
    if (root.storesValue() && owner.buffers.erase(root.value))
      stored.push_back({root.value, root.buffer});
}

FunctionLowering::NotYetStored::~NotYetStored() {
  for (auto &[value, buffer] : stored)
    owner.buffers[value] = buffer;
}

static void addTees(FunctionLowering &f, Group &group) {
  Scratch &scratch = f.scratch;
  if (group.columns)
    return;
  llvm::SmallVector<Slice::Use> uses(group.slice.values);
  llvm::SmallVector<FusionRoot> secondaryOutputs;
  llvm::DenseSet<mlir::Value> unwanted; // of a long chain, each value is asked about
  for (Slice::Use use : uses) {
    if (!use.identity || f.buffers.contains(use.value) || use.value.getParentBlock() != f.block ||
        f.cost(use.value) < expensive || !isWanted(f, use.value, &group, unwanted) ||
        llvm::any_of(f.waiting, [&](const Group *other) { return stores(*other, use.value); }))
      continue;
    FusionRoot root;
    root.kind = FusionRoot::Kind::materialise;
    root.value = use.value;
    root.buffer = scratch.allocate(f.bufferBytes(use.value.getType()));
    secondaryOutputs.push_back(root);
    f.buffers[use.value] = root.buffer;
  }
  // Run apart, what is stored in scratch comes before anything that is written to memory, and after
  // what it reads.
  llvm::SmallVector<FusionRoot> others;
  for (const FusionRoot &root : group.roots)
    (root.storesValue() ? secondaryOutputs : others).push_back(root);
  llvm::sort(secondaryOutputs, [&](const FusionRoot &a, const FusionRoot &b) {
    return f.order.lookup(a.value.getDefiningOp()) < f.order.lookup(b.value.getDefiningOp());
  });
  secondaryOutputs.append(others);
  group.roots.assign(secondaryOutputs.begin(), secondaryOutputs.end());
}

/// Costly values that the group would compute more than once for each of their elements.
static llvm::SmallVector<mlir::Value> replicated(FunctionLowering &f, const Group &group) {
  llvm::SmallVector<mlir::Value> result;
  for (const Slice::Use &use : group.slice.values) {
    if (use.identity || f.buffers.contains(use.value) || f.cost(use.value) < expensive)
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
    {
      NotYetStored before(*this, group);
      materialise(values.front());
      flush();
    }
    waiting.pop_back();
    group.slice = sliceOf(group.roots);
  }
  addTees(*this, group);
  emitGroup(group);
  scratch.tick();
}

} // namespace tl::backend::cpu
