// SPDX-License-Identifier: MIT
//
// Two steps. First every value gets a layout that does not follow from what is required of it: an
// operation's from its anchor or its operands, in the order of the text until nothing changes. Then
// every operand is brought into the layout that its operation requires; rematerialisable values
// take the first one that is asked for.
//
// So for  store(p + rows, sum(load(a + rows * n + cols), axis 1)):
//
//     load     its anchor: blocked, 16 bytes a lane along the columns
//     sum      the slice of that layout: no data move
//     store    its anchor, to which the sum is converted; the pointers, which are rematerialisable,
//              take it
#include "analysis/AxisInfo.h"
#include "analysis/Exchanges.h"
#include "analysis/LayoutInference.h"
#include "analysis/Rematerialisation.h"
#include "layout/LayoutForms.h"
#include "layout/NamedLayouts.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutConversions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_PROPAGATELAYOUTS
#include "passes/GpuPasses.h.inc"

namespace {

RankedTensorType tensorType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// Whether an operation is an anchored access of memory: its operands all go with the elements that
/// it accesses.
bool isAccess(Operation *op) { return isa<tt::AccessOpInterface>(op) && anchorOf(op); }

class Propagation {
public:
  Propagation(tt::FuncOp function, GpuAttr gpu)
      : function(function), gpu(gpu), rematerialisation(function) {}

  void run() {
    collectAnchors();
    assignLayouts();
    writeTypes();
    convertOperands();
    for (Operation *op : anchored) {
      op->removeDiscardableAttr(anchorName);
      op->removeDiscardableAttr(scatteredName);
      op->removeDiscardableAttr(operandAnchorsName);
    }
  }

private:
  // ---- Layouts of results

  void collectAnchors() {
    function.walk([&](Operation *op) {
      if (!anchorOf(op))
        return;
      anchored.push_back(op);
      if (isAccess(op))
        firstAccess.try_emplace(coveredShape(anchorOf(op).getMap()), anchorOf(op));
    });
  }

  void assignLayouts() {
    // Between blocks that branch to each other, values travel in the plain layout.
    for (Block &block : llvm::drop_begin(function.getBody()))
      for (Value argument : block.getArguments())
        assignPlain(argument);
    // What follows from something else comes first, even from what stands far below (a loop's
    // result follows from its body); only then may one operation choose for itself, and others
    // follow it.
    auto assignAll = [&](bool choose) {
      bool changed = false;
      mayChoose = choose;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= assignResults(op); });
      return changed;
    };
    do {
      while (assignAll(false)) {
      }
    } while (assignAll(true));
    // What is carried and follows from rematerialisable values alone, or from nothing.
    for (Value argument : function.getBody().front().getArguments())
      assignPlain(argument);
    function.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        for (Value carried : carriedTo(operand))
          assignPlain(carried);
    });
  }

  /// The layout that a value has, whatever is required of it; null if there is none (yet).
  LayoutAttr assigned(Value value) const { return layouts.lookup(value); }

  /// Assigns a layout to a value that has none; true if that is a change.
  bool assign(Value value, LayoutAttr layout) {
    return layout && tensorType(value) && layouts.try_emplace(value, layout).second;
  }
  bool assign(ValueRange values, LayoutAttr layout) {
    bool changed = false;
    for (Value value : values)
      changed |= assign(value, layout);
    return changed;
  }
  void assignPlain(Value value) {
    if (tensorType(value) && !assigned(value))
      assign(value, plain(tensorType(value)));
  }

  LayoutAttr attribute(const LinearLayout &layout) const {
    return LayoutAttr::get(gpu.getContext(), layout);
  }
  LayoutAttr attribute(const std::optional<LinearLayout> &layout) const {
    return layout ? attribute(*layout) : LayoutAttr();
  }
  LayoutAttr plain(RankedTensorType type) const {
    return attribute(plainLayout(type.getShape().vec(), gpu.getLanes(), gpu.getWarps()));
  }

  /// Assigns layouts to the results of an operation and to what its regions carry, as far as they
  /// follow from others. True if one is new.
  bool assignResults(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool changed = false;
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        changed |= assignCarried({loop.getRegionIterArg(i), loop.getResult(i)},
                                 {loop.getYieldedValues()[i], loop.getInitArgs()[i]});
      return changed;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      bool changed = false;
      for (unsigned i = 0; i < loop.getInits().size(); ++i)
        changed |= assignCarried({loop.getBeforeArguments()[i]},
                                 {loop.getYieldedValues()[i], loop.getInits()[i]});
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        changed |= assignCarried({loop.getAfterArguments()[i], loop.getResult(i)},
                                 {loop.getConditionOp().getArgs()[i]});
      return changed;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool changed = false;
      for (unsigned i = 0; i < branch.getNumResults(); ++i)
        changed |= assignCarried({branch.getResult(i)}, {branch.thenYield().getOperand(i),
                                                         branch.elseYield().getOperand(i)});
      return changed;
    }
    if (op->getNumResults() == 0 || !tensorType(op->getResult(0)) ||
        rematerialisation.contains(op) || assigned(op->getResult(0)))
      return false;
    if (LayoutAttr anchor = anchorOf(op)) {
      // An atomic works where its value is, and a load from anywhere where its addresses are, or
      // what is computed with it, unless few threads would do what many can.
      auto atomic = dyn_cast<tt::AtomicRMWOp>(op);
      const bool isScattered = op->hasAttr(scatteredName);
      LayoutAttr there = atomic        ? assigned(atomic.getVal())
                         : isScattered ? besideScattered(cast<tt::LoadOp>(op))
                                       : LayoutAttr();
      if (isScattered && !there && !mayChoose)
        return false;
      auto registers = [](LayoutAttr layout) { return layout.getMap().inBits("register"); };
      bool stays = there && registers(there) <= registers(anchor);
      return assign(op->getResult(0), stays ? there : anchor);
    }
    if (op->hasTrait<tt::AnchorsPlainLayout>())
      return assign(op->getResult(0), plain(tensorType(op->getResult(0))));
    LayoutAttr layout = fromOperands(op);
    // Whoever has chosen before does not use up the choice of others.
    if (!layout && !Rematerialisation::isCheap(op) && std::exchange(mayChoose, false))
      layout = chosen(op, tensorType(op->getResult(0)));
    return assign(op->getResults(), layout);
  }

  /// The layout of a load's addresses; where these can be computed in any, of what its value meets
  /// first, element by element.
  LayoutAttr besideScattered(tt::LoadOp load) const {
    if (!rematerialisation.contains(load.getPtr()))
      return assigned(load.getPtr());
    Value value = load.getResult();
    while (value.hasOneUse()) {
      Operation *user = *value.getUsers().begin();
      if (!isElementwise(user) || user->getNumResults() != 1)
        break;
      for (Value other : user->getOperands())
        if (other != value && tensorType(other) && assigned(other))
          return assigned(other);
      value = user->getResult(0);
    }
    return {};
  }

  /// Values that are carried have the layout of the first source that has one.
  bool assignCarried(ArrayRef<Value> carried, ArrayRef<Value> sources) {
    LayoutAttr layout = assigned(carried.front());
    for (Value source : sources)
      layout = layout ? layout : assigned(source);
    return assign(carried, layout);
  }

  /// The layout that the operand which is the most expensive to convert gives to the results: that
  /// of exchanges, which many others follow, rather than of what was loaded, and that rather than
  /// of what was computed from integers, the first of equals.
  LayoutAttr fromOperands(Operation *op) const {
    auto rank = [](Value value) {
      Operation *from = value.getDefiningOp();
      return !from                                       ? 1
             : isa<tt::GatherOp>(from) && anchorOf(from) ? 2
             : Rematerialisation::isCheap(from)          ? 0
                                                         : 1;
    };
    OpOperand *best = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      // A gather's result is where its indices are, but for exchanges.
      if (!assigned(operand.get()) || (isa<tt::GatherOp>(op) && operand.getOperandNumber() == 0 &&
                                       !exchangedBits(cast<tt::GatherOp>(op))))
        continue;
      if (!best || rank(best->get()) < rank(operand.get()))
        best = &operand;
    }
    if (!best)
      return {};
    return attribute(forwardLayout(op, best->getOperandNumber(), assigned(best->get()).getMap()));
  }

  /// The layout of an operation that cannot do without, where no operand has one. An elementwise
  /// result meets what is loaded or stored sooner or later: random numbers a mask, for instance.
  LayoutAttr chosen(Operation *op, RankedTensorType type) {
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      LayoutAttr source = plain(cast<RankedTensorType>(reduce.getSrcs()[0].getType()));
      return attribute(removeAxis(source.getMap(), unsigned(reduce.getAxis())));
    }
    if (isa<tt::DescriptorLoadOp>(op)) {
      // From rows in shared memory, as much as one access takes.
      unsigned bytes = tt::memoryBytes(type);
      return attribute(
          distributedLayout(type.getShape().vec(), lastAxisFirst(unsigned(type.getRank())),
                            {gpu.getAccessBytes() / bytes}, gpu.getLanes(), gpu.getWarps()));
    }
    if (isElementwise(op))
      if (auto access = firstAccess.find(type.getShape().vec()); access != firstAccess.end())
        return access->second;
    return plain(type);
  }

  void writeTypes() {
    for (auto [value, layout] : layouts)
      setLayout(value, layout);
    function.setFunctionType(FunctionType::get(function.getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               function.getFunctionType().getResults()));
  }

  // ---- Layouts of operands

  void convertOperands() {
    SmallVector<Operation *> operations; // before conversions are among them
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!rematerialisation.contains(op))
        operations.push_back(op);
    });
    for (Operation *op : operations)
      for (OpOperand &operand : op->getOpOperands())
        if (tensorType(operand.get()))
          operand.set(inLayout(operand.get(), required(operand)));
    // What nobody asked for.
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (tensorType(result) && !layoutAttrOf(result))
          inLayout(result, plain(tensorType(result)));
    });
  }

  /// The layout in which an operation that is not rematerialisable takes the operand.
  LayoutAttr required(OpOperand &operand) const {
    Operation *op = operand.getOwner();
    if (auto carried = carriedTo(operand); !carried.empty())
      return assigned(carried.front());
    if (LayoutAttr anchor = operandAnchorOf(op, operand.getOperandNumber()))
      return anchor;
    LayoutAttr result = op->getNumResults() ? assigned(op->getResult(0)) : LayoutAttr();
    if (isAccess(op))
      return result ? result : anchorOf(op);
    auto ownOrPlain = [&](Value value) {
      LayoutAttr own = assigned(value);
      return own ? own : plain(tensorType(value));
    };
    if (op->hasTrait<tt::OperandsShareLayout>())
      return ownOrPlain(op->getOperand(0));
    if (result)
      if (LayoutAttr layout =
              attribute(backwardLayout(op, operand.getOperandNumber(), result.getMap())))
        return layout;
    return ownOrPlain(operand.get());
  }

  /// The value in the layout.
  Value inLayout(Value value, LayoutAttr layout) {
    LayoutAttr own = layoutAttrOf(value);
    if (!own)
      return computedIn(value, layout);
    if (own == layout)
      return value;
    Value &converted = conversions[{value, layout}];
    if (!converted)
      converted = convertTo(value, layout);
    return converted;
  }

  /// A rematerialisable value that has no layout takes this one.
  Value computedIn(Value value, LayoutAttr layout) {
    setLayout(value, layout);
    Operation *op = value.getDefiningOp();
    for (OpOperand &operand : op->getOpOperands())
      if (tensorType(operand.get()))
        operand.set(inLayout(operand.get(), attribute(*backwardLayout(
                                                op, operand.getOperandNumber(), layout.getMap()))));
    return value;
  }

  tt::FuncOp function;
  GpuAttr gpu;
  Rematerialisation rematerialisation;
  bool mayChoose = false; // the next operation that nothing implies a layout of
  SmallVector<Operation *> anchored;
  DenseMap<Value, LayoutAttr> layouts;
  std::map<Shape, LayoutAttr> firstAccess; // of a shape, in the order of the text
  DenseMap<std::pair<Value, Attribute>, Value> conversions;
};

struct PropagateLayouts : impl::PropagateLayoutsBase<PropagateLayouts> {
  void runOnOperation() override {
    GpuAttr gpu = gpuOf(getOperation());
    if (!gpu)
      return signalPassFailure();
    getOperation().walk([&](tt::FuncOp function) {
      if (!function.isExternal())
        Propagation(function, gpu).run();
    });
    // Values are where they were, and conversions are not asked about.
    markAnalysesPreserved<AxisInfoAnalysis>();
  }
};

} // namespace
} // namespace tl::ttg
