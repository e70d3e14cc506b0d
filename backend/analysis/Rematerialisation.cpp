// SPDX-License-Identifier: MIT
#include "analysis/Rematerialisation.h"

#include "analysis/LayoutInference.h"
#include "dialect/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tl::backend {

SmallVector<Value, 2> carriedTo(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  auto carriedBy = [](scf::ForOp loop, unsigned number) {
    return SmallVector<Value, 2>{loop.getRegionIterArg(number), loop.getResult(number)};
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned bounds = loop.getNumControlOperands();
    return index < bounds ? SmallVector<Value, 2>() : carriedBy(loop, index - bounds);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getBeforeArguments()[index]};
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return carriedBy(loop, index);
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return {loop.getBeforeArguments()[index]};
    return {parent->getResult(index)};
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    if (index == 0)
      return {};
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
  }
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    if (auto argument = branch.getSuccessorBlockArgument(index))
      return {*argument};
  return {};
}

bool Rematerialisation::isCheap(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  if (op->hasTrait<tt::Rematerialisable>() || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  Type element = getElementTypeOrSelf(op->getResult(0));
  return isElementwise(op) && isPure(op) &&
         (element.isIntOrIndex() || isa<tt::PointerType>(element) ||
          isa<arith::SelectOp, arith::SIToFPOp>(op));
}

Rematerialisation::Rematerialisation(tt::FuncOp function) {
  SmallVector<Value> work;
  auto anchor = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) && anchored.insert(value).second)
      work.push_back(value);
  };
  // Between blocks that branch to each other, values have a layout of their own.
  for (Block &block : llvm::drop_begin(function.getBody()))
    for (Value argument : block.getArguments())
      anchor(argument);
  function.walk([&](Operation *op) {
    // What regions hand on is looked at where it comes from.
    bool carries = isa<RegionBranchOpInterface>(op);
    if (!carries && !isCheap(op) && !isa<ttg::ConvertLayoutOp>(op))
      for (Value result : op->getResults())
        anchor(result);
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      for (Value carried : carriedTo(use))
        anchor(carried);
      Operation *user = use.getOwner();
      if ((isCheap(user) && !isa<tt::BroadcastOp>(user)) || isa<ttg::ConvertLayoutOp>(user))
        anchor(user->getResult(0));
    }
  }
}

bool Rematerialisation::contains(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && isa<RankedTensorType>(value.getType()) && isCheap(op) && !anchored.contains(value);
}

} // namespace tl::backend
