// SPDX-License-Identifier: MIT
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_LIFTASSERTIONS
#include "passes/Passes.h.inc"

namespace {

/// The assertions of one message, and the condition that all of them hold.
struct Group {
  AssertOp first;
  Value holds;
};

bool isAlwaysChecked(AssertOp assertion) { return assertion->hasAttr(alwaysCheckedName); }

/// Takes the assertions out of the block and gives the conditions by message.
SmallVector<Group> takeAssertions(Block &block, ArrayRef<AssertOp> assertions) {
  SmallVector<Group> groups;
  for (AssertOp assertion : assertions) {
    auto *known = llvm::find_if(groups, [&](Group &group) {
      return group.first.getMessage() == assertion.getMessage() &&
             isAlwaysChecked(group.first) == isAlwaysChecked(assertion);
    });
    if (known == groups.end()) {
      groups.push_back({assertion, assertion.getCondition()});
      continue;
    }
    OpBuilder builder(block.getTerminator());
    known->holds =
        arith::AndIOp::create(builder, assertion.getLoc(), known->holds, assertion.getCondition());
  }
  return groups;
}

template <typename Op> Op createLike(OpBuilder &builder, Op op, ValueRange sources) {
  if constexpr (std::is_same_v<Op, ReduceOp>)
    return ReduceOp::create(builder, op.getLoc(), sources, int(op.getAxis()));
  else
    return ScanOp::create(builder, op.getLoc(), sources, int(op.getAxis()), op.getReverse());
}

template <typename Op> void lift(Op op, ArrayRef<AssertOp> assertions) {
  Block &block = op.getCombineOp().front();
  SmallVector<Group> groups = takeAssertions(block, assertions);
  OpBuilder builder(op);
  SmallVector<Value> sources(op.getSrcs());
  const unsigned count = unsigned(sources.size());
  auto flags = cast<RankedTensorType>(getI1SameShape(sources.front().getType()));
  Value all = arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(flags, true));
  sources.append(groups.size(), all);
  Op lifted = createLike(builder, op, sources);
  lifted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  lifted.getCombineOp().takeBody(op.getCombineOp());

  // Flags follow the scalars of each of the two tuples.
  Operation *end = block.getTerminator();
  SmallVector<Value> returned(end->getOperands());
  OpBuilder inside(end);
  for (auto [number, group] : llvm::enumerate(groups)) {
    Location loc = group.first->getLoc();
    Value left = block.insertArgument(count + unsigned(number), inside.getI1Type(), loc);
    Value right = block.addArgument(inside.getI1Type(), loc);
    Value both = arith::AndIOp::create(inside, loc, left, right);
    returned.push_back(arith::AndIOp::create(inside, loc, both, group.holds));
  }
  end->setOperands(returned);

  for (auto [group, holds] : llvm::zip(groups, lifted.getResult().drop_front(count))) {
    auto assertion =
        AssertOp::create(builder, group.first->getLoc(), holds, group.first.getMessage());
    assertion->setDiscardableAttrs(group.first->getDiscardableAttrDictionary());
  }
  for (AssertOp assertion : assertions)
    assertion->erase();
  op->replaceAllUsesWith(lifted.getResult().take_front(count));
  op->erase();
}

struct LiftAssertions : impl::LiftAssertionsBase<LiftAssertions> {
  using LiftAssertionsBase::LiftAssertionsBase;

  void runOnOperation() override {
    SmallVector<Operation *> owners;
    getOperation().walk([&](Operation *op) {
      if (isa<ReduceOp, ScanOp>(op))
        owners.push_back(op);
    });
    for (Operation *owner : owners) {
      SmallVector<AssertOp> checked, dropped;
      owner->walk([&](AssertOp assertion) {
        (debug || isAlwaysChecked(assertion) ? checked : dropped).push_back(assertion);
      });
      for (AssertOp assertion : dropped)
        assertion->erase();
      if (checked.empty())
        continue;
      for (AssertOp assertion : checked)
        if (assertion->getParentOp() != owner) {
          assertion->emitOpError() << "must not stand in a branch inside " << owner->getName();
          return signalPassFailure();
        }
      if (auto reduce = dyn_cast<ReduceOp>(owner))
        lift(reduce, checked);
      else
        lift(cast<ScanOp>(owner), checked);
    }
  }
};

} // namespace
} // namespace tl::tt
