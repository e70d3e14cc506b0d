// SPDX-License-Identifier: MIT
//
// A program of several blocks of threads (num_ctas), which the hardware runs as a cluster. Rows of
// its products are divided among them: block r of two has the second half of each tensor that
// follows from those rows if r is 1.
//
//     before                                after, for two blocks
//     p = program_id                        b = program_id; p = b / 2; r = b % 2
//     rows = p * 256 + range(0, 256)        rows = p * 256 + (range(0, 128) + r * 128)
//     for k                                 for k
//       a = load A[rows, k]                   a = load A[rows, k]           256 rows are 128
//       b = load B[k]                         b = load B[k]                 the same for both
//       c = dot a, b, c                       c = dot a, b, c
//     store C[rows], c                      store C[rows], c
//
// What comes out is a kernel of blocks that know nothing of each other, of which there are twice as
// many. Loads in loops that are the same for all blocks of a program are marked (ttg.multicast):
// each block may load a part of it for all.
//
// Why it is right. An element of a tensor that is divided is computed by the block that has it,
// from the same elements as before: what divided tensors follow from is divided along the same
// axis, or is whole and in all blocks the same. No operation needs elements of another block:
// products have the rows of their first operand and of the sum, reductions go along other axes,
// and whatever else moves elements along the divided axis, or does more than load and store, leaves
// the program whole, which num_ctas as a hint may.
//   - Each element is stored by one block: stores are of divided tensors alone.
//   - The order of memory operations in a program is that of one block's: what is stored is read
//     by none of the program's loads, and a parameter's memory is stored to by one operation. It
//     runs once, or stores rows of one matrix that begin at multiples of their number, so that a
//     row falls to the same block in all iterations.
//   - A marked load is made equally often by all, at the same places: its indices, and the bounds
//     and conditions around it, follow from parameters and from the program's number.
#include "analysis/MemoryOrder.h"
#include "dialect/Hints.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_SPLITPROGRAMS
#include "passes/Passes.h.inc"

namespace {

RankedTensorType tensorOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

class Splitter {
public:
  Splitter(FuncOp kernel, unsigned blocks) : kernel(kernel), blocks(blocks) {}

  bool run() {
    if (!kernel.getBody().hasOneBlock() || !findAxes() || !mayBeStored())
      return false;
    numberPrograms();
    divide();
    markLoads();
    return true;
  }

private:
  // ---- What is divided along which axis

  /// From the products' results on, to all that follows from them and that they follow from.
  bool findAxes() {
    const auto isPossible = kernel.getBody().walk([&](Operation *op) {
      if (auto dot = dyn_cast<DotOp>(op); dot && !(hasRows(dot) && want(dot.getD(), 0)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (isPossible.wasInterrupted())
      return false;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto [value, axis] = *(axes.begin() + std::ptrdiff_t(i));
      if (!followDefinition(value, axis) || !followUses(value, axis))
        return false;
    }
    return !axes.empty();
  }

  /// Enough for each block, of which an instruction of a group of warps takes 64.
  bool hasRows(DotOp dot) {
    constexpr int64_t leastRows = 64;
    return dot.getType().getRank() == 2 && dot.getType().getDimSize(0) >= leastRows * blocks;
  }

  /// Whether a value can be divided along the axis; whole values that are computed from scalars
  /// alone are computed again.
  bool want(Value value, unsigned axis) {
    RankedTensorType type = tensorOf(value);
    if (!type)
      return true;
    if (axis >= type.getRank() || type.getDimSize(axis) % blocks)
      return false;
    if (isIndex(value))
      return canSlice(value, axis);
    return axes.try_emplace(value, axis).first->second == axis;
  }
  bool wantAll(ValueRange values, unsigned axis) {
    return llvm::all_of(values, [&](Value value) { return want(value, axis); });
  }

  /// Computed from scalars by operations that are cheap, or constant.
  bool isIndex(Value value) {
    if (!tensorOf(value))
      return true;
    if (auto known = indices.find(value); known != indices.end())
      return known->second;
    Operation *op = value.getDefiningOp();
    const bool isMade = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                        (op->hasTrait<Rematerialisable>() || op->hasTrait<MovesAxes>() ||
                         op->hasTrait<OpTrait::ConstantLike>() || isElementwise(op)) &&
                        llvm::all_of(op->getOperands(), [&](Value from) { return isIndex(from); });
    return indices[value] = isMade;
  }

  static bool isElementwise(Operation *op) {
    return op->hasTrait<OpTrait::Elementwise>() && !op->hasTrait<PacksElements>() &&
           op->getNumRegions() == 0 && isMemoryEffectFree(op);
  }

  bool canSlice(Value value, unsigned axis) {
    if (!tensorOf(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (isa<MakeRangeOp, SplatOp>(op))
      return true;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return axis != expand.getAxis() &&
             canSlice(expand.getSrc(), axis - (axis > expand.getAxis()));
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return isSpreadAlong(broadcast, axis) || canSlice(broadcast.getSrc(), axis);
    if (auto trans = dyn_cast<TransOp>(op))
      return canSlice(trans.getSrc(), unsigned(trans.getOrder()[axis]));
    return isElementwise(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return canSlice(operand, axis); });
  }

  static bool isSpreadAlong(BroadcastOp op, unsigned axis) {
    return op.getSrc().getType().getDimSize(axis) == 1;
  }

  bool followDefinition(Value value, unsigned axis) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && wantCarried(loop, argument.getArgNumber() - loop.getNumInductionVars(), axis);
    }
    Operation *op = value.getDefiningOp();
    const unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return wantCarried(loop, number, axis);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return want(branch.thenYield().getOperand(number), axis) &&
             want(branch.elseYield().getOperand(number), axis);
    if (auto dot = dyn_cast<DotOp>(op))
      return axis == 0 && dot.getType().getRank() == 2 && want(dot.getA(), 0) &&
             want(dot.getC(), 0);
    if (auto load = dyn_cast<LoadOp>(op))
      return !load.getIsVolatile() && wantAll(load->getOperands(), axis);
    if (auto load = dyn_cast<DescriptorLoadOp>(op))
      return load.getDesc().getDefiningOp<MakeTensorDescOp>() &&
             tensorOf(value).getRank() == int64_t(load.getIndices().size());
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return axis != expand.getAxis() && want(expand.getSrc(), axis - (axis > expand.getAxis()));
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return isSpreadAlong(broadcast, axis) || want(broadcast.getSrc(), axis);
    if (auto trans = dyn_cast<TransOp>(op))
      return want(trans.getSrc(), unsigned(trans.getOrder()[axis]));
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return wantAll(reduce.getSrcs(), axis + (axis >= unsigned(reduce.getAxis())));
    return isElementwise(op) && wantAll(op->getOperands(), axis);
  }

  bool wantCarried(scf::ForOp loop, unsigned number, unsigned axis) {
    return want(loop.getInitArgs()[number], axis) && want(loop.getYieldedValues()[number], axis) &&
           want(loop.getRegionIterArg(number), axis) && want(loop.getResult(number), axis);
  }

  bool followUses(Value value, unsigned axis) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return followUse(use, axis); });
  }

  bool followUse(OpOperand &use, unsigned axis) {
    Operation *op = use.getOwner();
    const unsigned number = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return wantCarried(loop, number - loop.getNumControlOperands(), axis);
    if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        return wantCarried(loop, number, axis);
      auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
      return branch && want(branch.getResult(number), axis);
    }
    if (auto dot = dyn_cast<DotOp>(op))
      return axis == 0 && number != 1 && want(dot.getD(), 0);
    if (auto store = dyn_cast<StoreOp>(op))
      return wantAll(store->getOperands(), axis);
    if (auto store = dyn_cast<DescriptorStoreOp>(op))
      return store.getDesc().getDefiningOp<MakeTensorDescOp>() &&
             tensorOf(store.getSrc()).getRank() == int64_t(store.getIndices().size());
    if (isa<LoadOp>(op))
      return want(op->getResult(0), axis);
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return want(expand.getResult(), axis + (axis >= expand.getAxis()));
    if (isa<BroadcastOp>(op))
      return want(op->getResult(0), axis);
    if (auto trans = dyn_cast<TransOp>(op)) {
      auto place = llvm::find(trans.getOrder(), int32_t(axis));
      return want(trans.getResult(), unsigned(place - trans.getOrder().begin()));
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      const unsigned along = unsigned(reduce.getAxis());
      return axis != along && llvm::all_of(reduce->getResults(), [&](Value result) {
               return want(result, axis - (axis > along));
             });
    }
    return isElementwise(op) &&
           llvm::all_of(op->getResults(), [&](Value result) { return want(result, axis); });
  }

  // ---- What the kernel does beside

  /// Whether all that it does to memory is to load, and to store what is divided elsewhere, once.
  bool mayBeStored() {
    SmallVector<Value> loaded; // parameters; null: any
    llvm::SetVector<Value> stored;
    const auto parameterOf = [](Operation *op) {
      if (auto access = dyn_cast<DescriptorAccessOpInterface>(op)) {
        auto made = access.getDesc().getDefiningOp<MakeTensorDescOp>();
        return made ? backend::ownParameterOf(made.getBase()) : Value();
      }
      return backend::ownParameterOf(cast<AccessOpInterface>(op).getPtr());
    };
    const auto isOther = kernel.getBody().walk([&](Operation *op) {
      if (isa<LoadOp, DescriptorLoadOp>(op)) {
        loaded.push_back(parameterOf(op));
        return WalkResult::advance();
      }
      if (isa<StoreOp, DescriptorStoreOp>(op)) {
        Value source =
            isa<StoreOp>(op) ? cast<StoreOp>(op).getValue() : cast<DescriptorStoreOp>(op).getSrc();
        Value parameter = parameterOf(op);
        const bool isFine =
            axes.contains(source) && parameter && stored.insert(parameter) &&
            (!op->getParentOfType<LoopLikeOpInterface>() || isBlocksOwn(op, axes.lookup(source)));
        return isFine ? WalkResult::advance() : WalkResult::interrupt();
      }
      const bool isPlain = !backend::accessesMemory(op) || isa<AssertOp>(op);
      return isPlain ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !isOther.wasInterrupted() && llvm::none_of(loaded, [&](Value parameter) {
      return !parameter ? !stored.empty() : stored.contains(parameter);
    });
  }

  /// Whether every element of the tensor falls to the same block, whenever it is stored: of a
  /// matrix that is the same in all iterations, unless its rows lie over each other.
  bool isBlocksOwn(Operation *op, unsigned axis) {
    auto store = dyn_cast<DescriptorStoreOp>(op);
    if (!store || store.getIndices().size() != 2 ||
        store.getDesc().getDefiningOp()->getParentOfType<LoopLikeOpInterface>())
      return false;
    backend::AxisInfoAnalysis known(kernel->getParentOfType<ModuleOp>());
    return known.of(store.getIndices()[axis]).divisibility[0] %
               tensorOf(store.getSrc()).getDimSize(axis) ==
           0;
  }

  // ---- The kernel of a block

  void numberPrograms() {
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location where = kernel.getLoc();
    SmallVector<Operation *> ids, counts;
    kernel.walk([&](Operation *op) {
      if (auto id = dyn_cast<GetProgramIdOp>(op); id && id.getAxis() == ProgramIDDim::X)
        ids.push_back(op);
      if (auto count = dyn_cast<GetNumProgramsOp>(op); count && count.getAxis() == ProgramIDDim::X)
        counts.push_back(op);
    });
    Value block = GetProgramIdOp::create(b, where, ProgramIDDim::X);
    Value number = arith::ConstantIntOp::create(b, where, blocks, 32);
    rank = arith::RemSIOp::create(b, where, block, number);
    Value program = arith::DivSIOp::create(b, where, block, number);
    for (Operation *id : ids) {
      id->getResult(0).replaceAllUsesWith(program);
      id->erase();
    }
    for (Operation *count : counts) {
      b.setInsertionPointAfter(count);
      auto programs = arith::DivSIOp::create(b, where, count->getResult(0), number);
      count->getResult(0).replaceAllUsesExcept(programs, programs);
    }
  }

  RankedTensorType partOf(Type type, unsigned axis) {
    auto whole = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(whole.getShape());
    shape[axis] /= blocks;
    return RankedTensorType::get(shape, whole.getElementType());
  }

  /// i32: where this block begins along an axis that has `extent` elements in each.
  Value firstOf(OpBuilder &b, Location where, int64_t extent) {
    return arith::MulIOp::create(b, where, rank,
                                 arith::ConstantIntOp::create(b, where, extent, 32));
  }

  /// What is known of the whole need not hold where a part begins.
  static void dropHints(Operation *op) {
    const SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
    for (NamedAttribute known : attributes)
      if (isHint(known))
        op->removeAttr(known.getName());
  }

  /// This block's part of an index.
  Value slice(Value value, unsigned axis) {
    if (!tensorOf(value))
      return value;
    if (Value made = slices.lookup({value, axis}))
      return made;
    Operation *op = value.getDefiningOp();
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    Location where = op->getLoc();
    RankedTensorType type = partOf(value.getType(), axis);
    Value made;
    if (auto range = dyn_cast<MakeRangeOp>(op)) {
      const int64_t extent = type.getDimSize(0);
      Value from = MakeRangeOp::create(b, where, type, range.getStart(),
                                       uint32_t(range.getStart() + extent));
      Value first = SplatOp::create(b, where, type, firstOf(b, where, extent));
      made = arith::AddIOp::create(b, where, from, first);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Attribute element = cast<SplatElementsAttr>(constant.getValue()).getSplatValue<Attribute>();
      made = arith::ConstantOp::create(b, where, DenseElementsAttr::get(type, element));
    } else if (auto hint = dyn_cast<HintOp>(op)) {
      made = slice(hint->getOperand(0), axis);
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op);
               broadcast && isSpreadAlong(broadcast, axis)) {
      made = BroadcastOp::create(b, where, type, broadcast.getSrc());
    } else {
      unsigned from = axis;
      if (auto expand = dyn_cast<ExpandDimsOp>(op))
        from -= axis > expand.getAxis();
      else if (auto trans = dyn_cast<TransOp>(op))
        from = unsigned(trans.getOrder()[axis]);
      IRMapping map;
      for (Value operand : op->getOperands())
        map.map(operand, slice(operand, from));
      b.setInsertionPointAfter(op);
      Operation *copy = b.clone(*op, map);
      dropHints(copy);
      for (OpResult result : copy->getResults())
        if (tensorOf(result))
          result.setType(partOf(result.getType(), axis));
      made = copy->getResult(cast<OpResult>(value).getResultNumber());
    }
    return slices[{value, axis}] = made;
  }

  /// Gives every divided value its type, and those who have one their parts of indices.
  void divide() {
    llvm::SetVector<Operation *> touched;
    for (auto [value, axis] : axes) {
      for (Operation *user : value.getUsers())
        touched.insert(user);
      Operation *op = value.getDefiningOp();
      if (!op)
        continue;
      touched.insert(op);
      dropHints(op);
      if (isa<scf::ForOp, scf::IfOp>(op))
        for (Region &region : op->getRegions())
          touched.insert(region.front().getTerminator());
    }
    SmallVector<std::pair<OpOperand *, unsigned>> operands;
    for (Operation *op : touched)
      for (OpOperand &operand : op->getOpOperands())
        if (auto axis = axisOfOperand(operand))
          operands.push_back({&operand, *axis});
    for (auto [operand, axis] : operands)
      operand->set(slice(operand->get(), axis));
    for (Operation *op : touched)
      if (isa<DescriptorLoadOp, DescriptorStoreOp>(op))
        divideAccess(op);
    for (auto [value, axis] : axes)
      value.setType(partOf(value.getType(), axis));
  }

  /// Of an index that an operation needs a part of.
  std::optional<unsigned> axisOfOperand(OpOperand &operand) {
    Operation *op = operand.getOwner();
    const unsigned number = operand.getOperandNumber();
    auto along = [&](Value other) -> std::optional<unsigned> {
      auto found = axes.find(other);
      return found == axes.end() ? std::nullopt : std::optional<unsigned>(found->second);
    };
    if (!tensorOf(operand.get()) || axes.contains(operand.get()))
      return {};
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return along(loop.getRegionIterArg(number - loop.getNumControlOperands()));
    if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        return along(loop.getRegionIterArg(number));
      return along(op->getParentOp()->getResult(number));
    }
    if (auto dot = dyn_cast<DotOp>(op))
      return number == 1 ? std::nullopt : along(dot.getD());
    if (auto store = dyn_cast<StoreOp>(op))
      return along(store.getValue());
    if (isa<LoadOp>(op) || isElementwise(op))
      return along(op->getResult(0));
    if (auto trans = dyn_cast<TransOp>(op)) {
      auto axis = along(trans.getResult());
      return axis ? std::optional<unsigned>(unsigned(trans.getOrder()[*axis])) : std::nullopt;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto axis = along(reduce->getResult(0));
      return axis ? std::optional<unsigned>(*axis + (*axis >= unsigned(reduce.getAxis())))
                  : std::nullopt;
    }
    return {};
  }

  /// The block of a descriptor, and where it begins.
  void divideAccess(Operation *op) {
    auto load = dyn_cast<DescriptorLoadOp>(op);
    auto store = dyn_cast<DescriptorStoreOp>(op);
    auto found = axes.find(load ? Value(load.getResult()) : Value(store.getSrc()));
    if (found == axes.end())
      return;
    const unsigned axis = found->second;
    Value described = load ? load.getDesc() : store.getDesc();
    auto made = described.getDefiningOp<MakeTensorDescOp>();
    auto type = made.getType();
    RankedTensorType part =
        partOf(RankedTensorType::get(type.getShape(), type.getElementType()), axis);
    OpBuilder b(made);
    b.setInsertionPointAfter(made);
    Operation *smaller = b.clone(*made);
    smaller->getResult(0).setType(TensorDescType::get(part));
    b.setInsertionPoint(op);
    MutableOperandRange indices = load ? load.getIndicesMutable() : store.getIndicesMutable();
    OpOperand &index = indices[axis];
    index.set(arith::AddIOp::create(b, op->getLoc(), index.get(),
                                    firstOf(b, op->getLoc(), part.getDimSize(axis))));
    op->setOperand(0, smaller->getResult(0));
    if (made->use_empty())
      made.erase();
  }

  // ---- Loads that are the same for all blocks

  void markLoads() {
    kernel.walk([&](DescriptorLoadOp load) {
      bool isSame = !axes.contains(load.getResult()) && isa<scf::ForOp>(load->getParentOp()) &&
                    llvm::all_of(load.getIndices(), [&](Value value) { return isKnown(value); });
      for (Operation *at = load->getParentOp(); isSame && !isa<FuncOp>(at);
           at = at->getParentOp()) {
        if (auto loop = dyn_cast<scf::ForOp>(at))
          isSame = isKnown(loop.getLowerBound()) && isKnown(loop.getUpperBound()) &&
                   isKnown(loop.getStep());
        else if (auto branch = dyn_cast<scf::IfOp>(at))
          isSame = isKnown(branch.getCondition());
        else
          isSame = false;
      }
      if (isSame)
        load->setAttr(multicastName, OpBuilder(load).getI32IntegerAttr(int32_t(blocks)));
    });
  }

  /// Whether a scalar follows from parameters, the program's number and how often loops have run.
  bool isKnown(Value value) {
    if (value == rank)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop ? argument == loop.getInductionVar() : argument.getOwner()->isEntryBlock();
    }
    Operation *op = value.getDefiningOp();
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !tensorOf(value) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand); });
  }

  FuncOp kernel;
  const unsigned blocks;
  llvm::MapVector<Value, unsigned> axes; // of values that are divided
  DenseMap<Value, bool> indices;
  DenseMap<std::pair<Value, unsigned>, Value> slices;
  Value rank; // of the block
};

struct SplitPrograms : impl::SplitProgramsBase<SplitPrograms> {
  using SplitProgramsBase::SplitProgramsBase;

  void runOnOperation() override {
    if (blocks < 2)
      return;
    getOperation().walk([&](FuncOp kernel) {
      if (kernel.isPublic() && Splitter(kernel, blocks).run())
        kernel->setAttr(blocksName, OpBuilder(kernel).getI32IntegerAttr(int32_t(blocks)));
    });
  }
};

} // namespace
} // namespace tl::tt
