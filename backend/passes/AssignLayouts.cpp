// SPDX-License-Identifier: MIT
//
// Gives every tensor of a kernel a layout, and inserts conversions where data must move.
//
// Three steps
// -----------
// 1. *Natural layouts.* In the order of the text, each tensor value is given the layout in which it
//    comes into being at no cost. Loads have the one that coalesces (from the axis analysis), dots
//    the one of the matrix instruction, everything else what its operands imply
//    (LayoutInference.h). Values that cost nothing anywhere (ranges, splats, constants, integer
//    arithmetic on those) have none: they are *free*. A loop's carried value has the layout of what
//    the body yields, so the assignment is repeated until nothing changes.
// 2. *Demand.* Each operation asks for its operands in the layout that it works in. A free value is
//    computed again in the wanted layout, there where it was defined; any other is converted.
// 3. What nobody uses any more is dropped.
//
// So for  store(p + rows, sum(load(a + rows * n + cols), axis 1)):
//
//     load     blocked, 16 bytes a lane along the columns
//     sum      the slice of that layout: no movement
//     pointers of the store: free, built in the slice; no conversion at all
#include "analysis/AxisInfo.h"
#include "dialect/Context.h"
#include "dialect/Dialect.h"
#include "dialect/Gpu.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutInference.h"
#include "passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

using namespace mlir;

namespace tl::backend {

namespace {

Shape shapeOf(RankedTensorType type) {
  return Shape(type.getShape().begin(), type.getShape().end());
}

/// Axes by how many neighbours along them are neighbours in memory; among equals the last one
/// first.
std::vector<unsigned> mostContiguousFirst(const AxisInfo &info) {
  std::vector<unsigned> order = lastAxisFirst(info.rank());
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(info.contiguity[a], a) > std::pair(info.contiguity[b], b);
  });
  return order;
}

/// The numbers of a launch that layouts depend on.
class Assignment {
public:
  Assignment(ModuleOp module, tt::FuncOp function, const GpuShape &machine)
      : function(function), machine(machine), axes(module) {}

  void run() {
    chooseAccessLayouts();
    // Between blocks that branch to each other, values travel in the plain layout.
    for (Block &block : llvm::drop_begin(function.getBody()))
      for (Value argument : block.getArguments())
        if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
          give(argument, plainLayout(type));
    // What follows from something else comes first, however far behind it stands (a loop's result
    // follows from its body); only then may one value choose for itself, and others follow it.
    auto pass = [&](bool choose) {
      bool news = false;
      mayChoose = choose;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) { news |= assign(op); });
      return news;
    };
    do {
      while (pass(false)) {
      }
    } while (pass(true));
    rewrite();
  }

private:
  // ---- Natural layouts -------------------------------------------------------------------------

  /// The layout in which an access coalesces: neighbours in memory go to neighbouring registers,
  /// then to neighbouring lanes. Accesses of one shape and order agree on the widest vector.
  void chooseAccessLayouts() {
    struct Access {
      Operation *op;
      RankedTensorType type;
      std::vector<unsigned> order;
      unsigned perThread;
    };
    SmallVector<Access> accesses;
    function.walk([&](Operation *op) {
      auto [pointer, mask] = accessed(op);
      auto type = pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : RankedTensorType();
      if (!type)
        return;
      if (type.getRank() == 0) {
        accessLayouts[op] = plainLayout(type);
        return;
      }
      AxisInfo info = axes.of(pointer);
      std::vector<unsigned> order = mostContiguousFirst(info);
      int64_t width = axes.vectorWidth(pointer, mask, order[0]);
      // No thread goes idle for the sake of wide accesses.
      int64_t share = std::max<int64_t>(1, type.getNumElements() / (machine.warps * machine.lanes));
      accesses.push_back({op, type, order, unsigned(std::min(width, share))});
    });
    for (Access &access : accesses) {
      unsigned widest = access.perThread;
      for (const Access &other : accesses)
        if (other.type.getShape() == access.type.getShape() && other.order == access.order)
          widest = std::max(widest, other.perThread);
      firstAccess.try_emplace(access.type.getShape(), access.op);
      accessLayouts[access.op] =
          dealtLayout(shapeOf(access.type), access.order, widest, machine.lanes, machine.warps);
    }
  }

  static std::pair<Value, Value> accessed(Operation *op) {
    return TypeSwitch<Operation *, std::pair<Value, Value>>(op)
        .Case<tt::LoadOp>(
            [](auto load) { return std::pair<Value, Value>(load.getPtr(), load.getMask()); })
        .Case<tt::StoreOp>(
            [](auto store) { return std::pair<Value, Value>(store.getPtr(), store.getMask()); })
        .Case<tt::AtomicRMWOp>(
            [](auto rmw) { return std::pair<Value, Value>(rmw.getPtr(), rmw.getMask()); })
        .Case<tt::AtomicLoadOp>(
            [](auto load) { return std::pair<Value, Value>(load.getPtr(), load.getMask()); })
        .Case<tt::AtomicStoreOp>(
            [](auto store) { return std::pair<Value, Value>(store.getPtr(), store.getMask()); })
        .Case<tt::AtomicCASOp>(
            [](auto cas) { return std::pair<Value, Value>(cas.getPtr(), cas.getMask()); })
        .Default(std::pair<Value, Value>());
  }

  const LinearLayout *natural(Value value) const {
    auto found = naturals.find(value);
    return found == naturals.end() ? nullptr : found->second;
  }

  /// Sets a natural layout; true if that is news. What has one keeps it.
  bool give(Value value, const LinearLayout &layout) {
    if (!isa<RankedTensorType>(value.getType()))
      return false;
    if (naturals.count(value))
      return false;
    kept.push_back(layout);
    naturals[value] = &kept.back();
    return true;
  }
  bool give(Value value, const std::optional<LinearLayout> &layout) {
    return layout && give(value, *layout);
  }

  /// Free operations can be computed in any layout for little.
  static bool isCheap(Operation *op) {
    if (isa<tt::MakeRangeOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::AddPtrOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (!isElementwise(op) || !isPure(op))
      return false;
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isIntOrIndex() || isa<tt::PointerType>(element);
    });
  }

  LinearLayout plainLayout(RankedTensorType type) const {
    return backend::plainLayout(shapeOf(type), machine.lanes, machine.warps);
  }

  std::optional<std::vector<unsigned>> matrixWarps(tt::DotOp dot) const {
    return machine.matrixProducts ? matrixInstructionWarps(dot, machine.warps) : std::nullopt;
  }

  /// The natural layouts of an operation's results. True if one is new.
  bool assign(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return assignLoop(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults(),
                        loop.getBody()->getTerminator()->getOperands());
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      bool news = assignLoop(loop.getBeforeArguments(), loop.getInits(), {},
                             loop.getYieldOp().getOperands());
      auto passed = loop.getConditionOp().getArgs();
      for (auto [value, argument, result] :
           llvm::zip(passed, loop.getAfterArguments(), loop.getResults()))
        if (const LinearLayout *layout = natural(value)) {
          news |= give(argument, *layout);
          news |= give(result, *layout);
        }
      return news;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool news = false;
      if (branch.getNumResults())
        for (auto [result, then, otherwise] :
             llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                       branch.elseYield().getOperands()))
          if (const LinearLayout *layout = natural(then) ? natural(then) : natural(otherwise))
            news |= give(result, *layout);
      return news;
    }
    if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
      return false;
    if (auto found = accessLayouts.find(op); found != accessLayouts.end()) {
      // An atomic works where its value is.
      if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op); rmw && natural(rmw.getVal()))
        return give(op->getResult(0), *natural(rmw.getVal()));
      return give(op->getResult(0), found->second);
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (auto dot = dyn_cast<tt::DotOp>(op))
      return give(dot.getResult(), accumulatorLayout(dot));
    if (isa<tt::HistogramOp>(op))
      return give(op->getResult(0), plainLayout(type));
    if (isa<tt::DotScaledOp>(op))
      return give(op->getResult(0), productLayout(shapeOf(type), machine.lanes, machine.warps));
    // From the dearest operand: one that has a layout, the last loaded before the splatted.
    const LinearLayout *best = nullptr;
    unsigned operand = 0;
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      if (const LinearLayout *layout = natural(value);
          layout && (!best || weight(value) > weight(op->getOperand(operand)))) {
        if (isa<tt::GatherOp>(op) && index == 0)
          continue;
        best = layout;
        operand = unsigned(index);
      }
    std::optional<LinearLayout> layout;
    if (best)
      layout = forwardLayout(op, operand, *best);
    // What has chosen before does not use up the choice of others.
    if (!layout && !isCheap(op) && !natural(op->getResult(0)) && std::exchange(mayChoose, false))
      layout = ownLayout(op, type);
    if (!layout)
      return false;
    bool news = false;
    for (Value result : op->getResults())
      news |= give(result, *layout);
    return news;
  }

  /// Operations that cannot do without a layout, where no operand has one. An elementwise result
  /// meets what is loaded or stored sooner or later: random numbers a mask, for instance.
  LinearLayout ownLayout(Operation *op, RankedTensorType type) {
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      auto from = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
      return removeAxis(plainLayout(from), unsigned(reduce.getAxis()));
    }
    if (isa<tt::DescriptorLoadOp>(op)) {
      // From rows in shared memory, 16 bytes at a time.
      unsigned bytes = std::max(1u, tt::getElementBits(type) / 8);
      return dealtLayout(shapeOf(type), lastAxisFirst(unsigned(type.getRank())), 16 / bytes,
                         machine.lanes, machine.warps);
    }
    if (isElementwise(op) && firstAccess.count(type.getShape()))
      return accessLayouts[firstAccess[type.getShape()]];
    return plainLayout(type);
  }

  /// How dear it is to move a value; equal for all but broadcasts, which are smaller before.
  static unsigned weight(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && isCheap(op))
      return 1;
    return 2;
  }

  bool assignLoop(ValueRange arguments, ValueRange inits, ValueRange results, ValueRange yields) {
    bool news = false;
    for (unsigned i = 0; i < arguments.size(); ++i) {
      const LinearLayout *layout = natural(arguments[i]);
      if (!layout)
        layout = natural(yields[i]) ? natural(yields[i]) : natural(inits[i]);
      if (!layout)
        continue;
      LinearLayout copy = *layout;
      news |= give(arguments[i], copy);
      if (i < results.size())
        news |= give(results[i], copy);
    }
    return news;
  }

  LinearLayout accumulatorLayout(tt::DotOp dot) const {
    if (auto warps = matrixWarps(dot))
      return matrixAccumulator(dot, *warps);
    return productLayout(shapeOf(dot.getType()), machine.lanes, machine.warps);
  }

  // ---- Demand ----------------------------------------------------------------------------------

  Value get(Value value, const LinearLayout &layout) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value;
    if (const LinearLayout *own = natural(value); own && *own == layout)
      return value;
    auto encoding = ttg::LayoutAttr::get(value.getContext(), layout);
    Value &known = variants[{value, encoding}];
    if (known)
      return known;
    Value made = make(value, layout);
    return variants[{value, encoding}] = made;
  }

  Value make(Value value, const LinearLayout &layout) {
    Operation *op = value.getDefiningOp();
    if (op && isCheap(op) && !natural(value)) {
      SmallVector<Value> operands;
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        if (!isa<RankedTensorType>(operand.getType())) {
          operands.push_back(operand);
          continue;
        }
        auto wanted = backwardLayout(op, unsigned(index), layout);
        operands.push_back(get(operand, *wanted));
      }
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op);
      copy->setOperands(operands);
      setLayout(copy->getResult(0), layout);
      // The value of a constant has the constant's type.
      if (auto constant = dyn_cast<arith::ConstantOp>(copy))
        constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                                  .reshape(cast<ShapedType>(constant.getType())));
      made.insert(copy);
      return copy->getResult(0);
    }
    if (!natural(value))
      giveCarried(value, layout); // what is free everywhere takes the first that is asked
    const LinearLayout &own = *natural(value);
    setLayout(value, own);
    if (own == layout)
      return value;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto target = ttg::withLayout(cast<RankedTensorType>(value.getType()), layout);
    auto convert = ttg::ConvertLayoutOp::create(builder, value.getLoc(), target, value);
    made.insert(convert);
    return convert.getResult();
  }

  static void setLayout(Value value, const LinearLayout &layout) {
    value.setType(ttg::withLayout(cast<RankedTensorType>(value.getType()), layout));
  }

  /// The layout in which operation `op` wants operand `index`; nothing for what it takes as it is.
  std::optional<LinearLayout> wanted(Operation *op, unsigned index) {
    Value operand = op->getOperand(index);
    auto own = [&](Value value) -> std::optional<LinearLayout> {
      const LinearLayout *layout = natural(value);
      return layout ? std::optional(*layout) : std::nullopt;
    };
    if (isa<scf::ForOp>(op) || isa<scf::WhileOp>(op)) {
      auto loop = cast<LoopLikeOpInterface>(op);
      unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
      return index < first ? std::nullopt : demandOf(loop.getRegionIterArgs()[index - first]);
    }
    if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      if (auto loop = dyn_cast<scf::WhileOp>(parent))
        return demandOf(loop.getBeforeArguments()[index]);
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return demandOf(loop.getRegionIterArgs()[index]);
      return demandOf(parent->getResult(index));
    }
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      return index == 0
                 ? std::nullopt
                 : demandOf(cast<scf::WhileOp>(op->getParentOp()).getAfterArguments()[index - 1]);
    if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      auto argument = branch.getSuccessorBlockArgument(index);
      return argument ? demandOf(*argument) : std::nullopt;
    }
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      // Decided once: the analysis knows nothing of a pointer that was computed again.
      auto [known, isNew] = storeLayouts.try_emplace(store);
      if (isNew)
        known->second = storeLayout(store);
      return known->second;
    }
    if (isa<tt::AtomicStoreOp>(op))
      return accessLayouts[op];
    if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
      auto layout = own(histogram.getSrc());
      return layout ? layout : plainLayout(histogram.getSrc().getType());
    }
    if (auto dot = dyn_cast<tt::DotOp>(op))
      return dotOperandLayout(dot, index);
    if (auto dot = dyn_cast<tt::DotScaledOp>(op); dot && operand == dot.getC())
      return own(dot.getResult());
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      if (auto layout = own(reduce.getSrcs()[0]))
        return layout;
      return plainLayout(cast<RankedTensorType>(operand.getType()));
    }
    if (op->getNumResults() && isa<RankedTensorType>(op->getResult(0).getType()) &&
        natural(op->getResult(0))) {
      if (accessLayouts.count(op))
        return own(op->getResult(0));
      if (auto layout = backwardLayout(op, index, *natural(op->getResult(0))))
        return layout;
    }
    if (auto layout = own(operand))
      return layout;
    return plainLayout(cast<RankedTensorType>(operand.getType()));
  }

  std::optional<LinearLayout> demandOf(Value target) {
    if (!natural(target))
      giveCarried(target, plainLayout(cast<RankedTensorType>(target.getType())));
    return *natural(target);
  }

  /// Gives a layout to a value, and to what must have the same: a loop's argument and its result.
  void giveCarried(Value value, const LinearLayout &wanted) {
    LinearLayout layout = wanted;
    auto set = [&](Value one) {
      if (give(one, layout))
        setLayout(one, layout);
    };
    set(value);
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      unsigned number = argument ? argument.getArgNumber() - loop.getNumInductionVars()
                                 : cast<OpResult>(value).getResultNumber();
      set(loop.getRegionIterArg(number));
      set(loop.getResult(number));
    } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
      if (argument && argument.getOwner() == loop.getBeforeBody())
        return;
      unsigned number =
          argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
      set(loop.getAfterArguments()[number]);
      set(loop.getResult(number));
    }
  }

  /// A store works where its value is, unless that would scatter the lanes over memory.
  LinearLayout storeLayout(tt::StoreOp store) {
    const LinearLayout &coalesced = accessLayouts[store];
    const LinearLayout *own = natural(store.getValue());
    if (!own)
      return coalesced;
    auto type = cast<RankedTensorType>(store.getValue().getType());
    if (type.getNumElements() <= int64_t(machine.warps) * machine.lanes)
      return *own; // at most one element a thread: moving them costs more than it saves
    return 2 * sectors(store, *own) <= 3 * sectors(store, coalesced) ? *own : coalesced;
  }

  /// How many 32-byte pieces of memory the accesses of a warp touch, each access counted on its
  /// own.
  unsigned sectors(tt::StoreOp store, const LinearLayout &layout) {
    AxisInfo info = axes.of(store.getPtr());
    std::vector<unsigned> order = mostContiguousFirst(info);
    unsigned bytes = std::max(1u, tt::getElementBits(store.getValue().getType()) / 8);
    unsigned lanes = 1u << layout.inBits("lane");
    // Registers that move together: they count along the fastest axis, from its lowest bit.
    int64_t width = axes.vectorWidth(store.getPtr(), store.getMask(), order[0]);
    unsigned together = 1;
    std::string fastest = dimName(order[0]);
    auto counts = [&](uint64_t step) {
      for (unsigned bit = 0; bit < layout.inBits("register"); ++bit)
        if (layout.outBits(fastest) && layout.image("register", bit, fastest) == step)
          return true;
      return false;
    };
    while (together * 2 <= width && counts(together))
      together *= 2;
    unsigned accesses = std::max(1u, (1u << layout.inBits("register")) / together);
    // Rows of other axes are taken to be far apart.
    llvm::DenseSet<uint64_t> touched;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint64_t row = 0, column = 0;
      for (const auto &[name, value] : layout.apply({{"lane", lane}})) {
        unsigned axis = unsigned(std::stoul(name.substr(3)));
        if (axis == order[0])
          column = value;
        else
          row = row << 21 | value;
      }
      for (uint64_t piece = column * bytes / 32; piece <= ((column + together) * bytes - 1) / 32;
           ++piece)
        touched.insert(row << 24 | piece);
    }
    return unsigned(touched.size()) * accesses;
  }

  LinearLayout dotOperandLayout(tt::DotOp dot, unsigned index) {
    if (index == 2)
      return *natural(dot.getResult());
    auto type = cast<RankedTensorType>(dot->getOperand(index).getType());
    if (auto warps = matrixWarps(dot))
      return mma2Operand(shapeOf(type), index, matrixOperandBits(dot), *warps);
    if (const LinearLayout *own = natural(dot->getOperand(index)))
      return *own; // the lowering goes through shared memory
    return plainLayout(type);
  }

  // ---- Rewriting -------------------------------------------------------------------------------

  void rewrite() {
    // Operations first seen, since the demand adds others.
    SmallVector<Operation *> all;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function)
        all.push_back(op);
    });
    for (Operation *op : all)
      for (Value result : op->getResults())
        if (natural(result))
          setLayout(result, *natural(result));
    function.walk([&](Block *block) {
      for (Value argument : block->getArguments())
        if (natural(argument))
          setLayout(argument, *natural(argument));
    });
    for (Operation *op : all) {
      if (isFree(op))
        continue; // computed where it is asked for
      for (unsigned index = 0; index < op->getNumOperands(); ++index)
        if (isa<RankedTensorType>(op->getOperand(index).getType()))
          if (auto layout = wanted(op, index))
            op->setOperand(index, get(op->getOperand(index), *layout));
      setBlockArguments(op);
    }
    // Free operations have served as patterns.
    for (Operation *op : llvm::reverse(all))
      if (isFree(op) && op->use_empty())
        op->erase();
    for (Operation *op : llvm::reverse(made))
      if (op->use_empty())
        op->erase();
  }

  /// Carried values that took a layout on demand.
  void setBlockArguments(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (natural(argument))
            setLayout(argument, *natural(argument));
    for (Value result : op->getResults())
      if (natural(result))
        setLayout(result, *natural(result));
  }

  bool isFree(Operation *op) const {
    return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
           isCheap(op) && !natural(op->getResult(0));
  }

  tt::FuncOp function;
  GpuShape machine;
  AxisInfoAnalysis axes;
  std::deque<LinearLayout> kept; // stays where it is
  bool mayChoose = false;        // the next value that nothing implies a layout of
  DenseMap<Value, const LinearLayout *> naturals;
  DenseMap<Operation *, LinearLayout> accessLayouts, storeLayouts;
  DenseMap<ArrayRef<int64_t>, Operation *> firstAccess; // of a shape, in the order of the text
  DenseMap<std::pair<Value, Attribute>, Value> variants;
  llvm::SetVector<Operation *> made;
};

} // namespace

std::optional<std::vector<unsigned>> matrixInstructionWarps(tt::DotOp dot, unsigned warps) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  auto result = cast<RankedTensorType>(dot.getType());
  Type element = a.getElementType();
  Type elementB = dot.getB().getType().getElementType(), sum = result.getElementType();
  if (result.getRank() != 2)
    return std::nullopt;
  int64_t m = result.getDimSize(0), n = result.getDimSize(1), k = a.getDimSize(1);
  auto isEight = [](Type type) { return isa<FloatType>(type) && tt::getElementBits(type) == 8; };
  bool same = element == elementB;
  bool tf32 = same && element.isF32() && dot.getInputPrecision() == tt::InputPrecision::TF32;
  // fp8 is widened to f16, which has all of its values.
  bool halves =
      (same && (element.isF16() || element.isBF16())) || (isEight(element) && isEight(elementB));
  bool doubles = same && element.isF64() && sum.isF64();
  bool integers = same && element.isInteger(8) && sum.isInteger(32);
  int64_t minK = tf32 ? 8 : integers ? 32 : doubles ? 4 : 16, rows = doubles ? 8 : 16;
  bool types = (halves && (sum.isF32() || sum.isF16() || sum.isBF16())) || (tf32 && sum.isF32()) ||
               integers || doubles;
  if (!types || m < rows || n < 8 || k < minK)
    return std::nullopt;
  // Warps go where the tile is longest, in units of the instruction.
  std::vector<unsigned> split = {1, 1};
  while (split[0] * split[1] < warps) {
    if (m / (rows * split[0]) >= n / (8 * split[1]) || n / (8 * split[1]) <= 1)
      split[0] *= 2;
    else
      split[1] *= 2;
  }
  return split;
}

LinearLayout matrixAccumulator(tt::DotOp dot, const std::vector<unsigned> &warps) {
  return mma2Accumulator(shapeOf(dot.getType()), warps,
                         dot.getType().getElementType().isF64() ? 64 : 32);
}

unsigned matrixOperandBits(tt::DotOp dot) {
  Type element = dot.getA().getType().getElementType();
  unsigned bits = tt::getElementBits(element);
  return isa<FloatType>(element) ? std::max(16u, bits) : bits;
}

void assignLayouts(ModuleOp module, const GpuShape &machine) {
  module.getContext()->getOrLoadDialect<ttg::TTGDialect>();
  module.walk([&](tt::FuncOp function) { Assignment(module, function, machine).run(); });
}

} // namespace tl::backend

namespace tl::tt {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"

namespace {

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;
  void runOnOperation() override {
    if (numWarps == 0 || numWarps > 32 || (numWarps & (numWarps - 1)) != 0) {
      getOperation().emitError("num-warps is ")
          << std::to_string(numWarps) << ", expected a power of two from 1 to 32";
      return signalPassFailure();
    }
    if (lanes != 32 && lanes != 64) {
      getOperation().emitError("lanes is ") << std::to_string(lanes) << ", expected 32 or 64";
      return signalPassFailure();
    }
    backend::assignLayouts(getOperation(), {numWarps, lanes, matrixProducts});
  }
};

} // namespace
} // namespace tl::tt
