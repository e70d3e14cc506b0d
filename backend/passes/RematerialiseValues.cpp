// SPDX-License-Identifier: MIT
//
// Operands are visited in the order of the text, each with all that it is computed from. What is
// needed in a layout that it has not got is made right where it was computed first, so that it is
// there for whoever needs it later.
//
// What a loop computes cheaply of values from before the loop is computed again, too: those are
// converted once, before the loop.
#include "analysis/Rematerialisation.h"
#include "passes/GpuPasses.h"
#include "passes/LayoutConversions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_REMATERIALISEVALUES
#include "passes/GpuPasses.h.inc"

namespace {

class RematerialiseFunction {
public:
  explicit RematerialiseFunction(tt::FuncOp function)
      : function(function), rematerialisation(function) {}

  void run() {
    SmallVector<Operation *> cheap, others;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool moves = isa<ConvertLayoutOp>(op) ||
                   (op->getNumResults() == 1 && isComputedAgain(op->getResult(0)));
      (moves ? cheap : others).push_back(op);
    });
    for (Operation *op : others)
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()))
          if (LayoutAttr layout = layoutAttrOf(operand.get()))
            operand.set(inLayout(operand.get(), layout));
    for (Operation *op : llvm::reverse(cheap))
      if (op->use_empty())
        op->erase();
  }

private:
  Value inLayout(Value value, LayoutAttr layout) {
    value = beforeConversion(value);
    if (Value original = originals.lookup(value))
      value = original;
    bool cheap = isComputedAgain(value);
    if (!cheap && layoutAttrOf(value) == layout)
      return value;
    if (Value known = made.lookup({value, layout}))
      return known;
    Value result = cheap ? computedIn(value, layout) : convertTo(value, layout);
    made[{value, layout}] = result;
    return result;
  }

  bool isComputedAgain(Value value) {
    if (rematerialisation.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    auto loop = op ? dyn_cast<scf::ForOp>(op->getParentOp()) : scf::ForOp();
    if (!loop || !isa<RankedTensorType>(value.getType()) || !Rematerialisation::isCheap(op))
      return false;
    auto [known, isNew] = computedInLoops.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool again = llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<RankedTensorType>(operand.getType()) ||
             loop.isDefinedOutsideOfLoop(beforeConversion(operand)) ||
             isComputedAgain(beforeConversion(operand));
    });
    return computedInLoops[value] = again;
  }

  /// The value is computed in front of where it was last, so that the layout which is needed first
  /// is computed last.
  Value computedIn(Value value, LayoutAttr layout) {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands = operandsFor(
        op, layout, [this](Value operand, LayoutAttr wanted) { return inLayout(operand, wanted); });
    Operation *last = lastComputed.lookup(op);
    Operation *computed = op;
    if (layoutAttrOf(value) != layout) {
      computed = OpBuilder(last ? last : op).clone(*op);
      setLayout(computed->getResult(0), layout);
      originals[computed->getResult(0)] = value;
    } else if (last) {
      op->moveBefore(last);
    }
    computed->setOperands(operands);
    lastComputed[op] = computed;
    return computed->getResult(0);
  }

  tt::FuncOp function;
  Rematerialisation rematerialisation;
  DenseMap<std::pair<Value, Attribute>, Value> made; // of a value, in a layout
  DenseMap<Value, Value> originals;                  // of what was computed again
  DenseMap<Value, bool> computedInLoops;             // see isComputedAgain
  DenseMap<Operation *, Operation *> lastComputed;   // of the original operation
};

struct RematerialiseValues : impl::RematerialiseValuesBase<RematerialiseValues> {
  void runOnOperation() override {
    getOperation().walk([](tt::FuncOp function) {
      if (!function.isExternal())
        RematerialiseFunction(function).run();
    });
  }
};

} // namespace
} // namespace tl::ttg
