// SPDX-License-Identifier: MIT
#include "passes/LoadedOperands.h"

#include "analysis/LayoutInference.h"
#include "dialect/Dialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

namespace {

/// Axis `axis` of a value is which one of the loaded tensor, after the transpositions since then.
unsigned axisBefore(ArrayRef<tt::TransOp> transpositions, unsigned axis) {
  for (tt::TransOp trans : transpositions)
    axis = unsigned(trans.getOrder()[axis]);
  return axis;
}

/// One number everywhere, or along an axis at least.
bool isSame(Value value) {
  Operation *op = value.getDefiningOp();
  return !isa<RankedTensorType>(value.getType()) ||
         (op && (op->hasTrait<OpTrait::ConstantLike>() || isa<tt::SplatOp, tt::BroadcastOp>(op)));
}

} // namespace

bool isComputedFromLoads(Value value, Block *block) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || op->getBlock() != block)
      return false;
    if (isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
      continue;
    if (op->getNumResults() != 1 || !isPure(op) || !(isElementwise(op) || isa<tt::TransOp>(op)) ||
        llvm::all_of(op->getOperands(), isSame))
      return false;
    for (Value operand : op->getOperands())
      if (!isSame(operand))
        values.insert(operand);
  }
  return true;
}

std::optional<LoadedOperand> loadedOperand(Value operand, const AxisInfoAnalysis &axes) {
  SmallVector<tt::TransOp> transpositions;
  bool isUnchanged = true;
  Value value = operand;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tt::LoadOp, tt::DescriptorLoadOp>(op)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.getRank() == 0)
        return {};
      auto load = dyn_cast<tt::LoadOp>(op);
      const unsigned rank = unsigned(type.getRank());
      const unsigned there = load ? axes.of(load.getPtr()).mostContiguousFirst()[0] : rank - 1;
      for (unsigned axis = 0; axis < rank; ++axis)
        if (axisBefore(transpositions, axis) == there)
          return LoadedOperand{op, axis, tt::getElementBits(type.getElementType()), isUnchanged};
      return {};
    }
    if (auto trans = dyn_cast<tt::TransOp>(op)) {
      transpositions.push_back(trans);
      value = trans.getSrc();
      continue;
    }
    if (!isElementwise(op))
      return {};
    isUnchanged = false;
    // The operand that is a tensor of its own, not one number everywhere.
    auto source = llvm::find_if(op->getOperands(), [](Value one) {
      return one.getDefiningOp() && !one.getDefiningOp()->hasTrait<OpTrait::ConstantLike>() &&
             !isa<tt::SplatOp, tt::BroadcastOp>(one.getDefiningOp());
    });
    if (source == op->getOperands().end())
      return {};
    value = *source;
  }
  return {};
}

} // namespace tl::ttg
