// SPDX-License-Identifier: MIT
#include "dialect/Hints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_LIFTASSERTIONS
#include "passes/Passes.h.inc"

namespace {

/// The assertions of one message, and the condition that all of them hold.
struct Group {
  Location loc;
  StringAttr message;
  DictionaryAttr attributes;
  Value holds;
};

using Groups = SmallVector<Group>;

Group *find(Groups &groups, const Group &like) {
  auto *known = llvm::find_if(groups, [&](const Group &group) {
    return group.message == like.message && group.attributes == like.attributes;
  });
  return known == groups.end() ? nullptr : known;
}

/// Takes assertions out of a block and of what is nested in it.
class Taker {
public:
  explicit Taker(Operation *owner) : owner(owner), rewriter(owner->getContext()) {}

  /// What the block asserts, by message; the conditions are known at its end.
  FailureOr<Groups> take(Block &block) {
    Groups groups;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto assertion = dyn_cast<AssertOp>(op)) {
        add(block, groups,
            {assertion.getLoc(), assertion.getMessageAttr(),
             assertion->getDiscardableAttrDictionary(), assertion.getCondition()});
        assertion->erase();
        continue;
      }
      AssertOp nested;
      op.walk([&](AssertOp assertion) { nested = assertion; });
      if (!nested)
        continue;
      FailureOr<Groups> inner = failure();
      if (auto branch = dyn_cast<scf::IfOp>(op))
        inner = takeFromBranch(branch);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        inner = takeFromLoop(loop);
      else
        nested->emitOpError() << "must not stand in " << op.getName() << " inside "
                              << owner->getName();
      if (failed(inner))
        return failure();
      for (const Group &group : *inner)
        add(block, groups, group);
    }
    return groups;
  }

private:
  void add(Block &block, Groups &groups, const Group &group) {
    Group *known = find(groups, group);
    if (!known) {
      groups.push_back(group);
      return;
    }
    rewriter.setInsertionPoint(block.getTerminator());
    known->holds = arith::AndIOp::create(rewriter, group.loc, known->holds, group.holds);
  }

  Value nothingFailed() { return arith::ConstantIntOp::create(rewriter, owner->getLoc(), true, 1); }

  /// A branch that yields what the side asserts that it took; of the other side, true.
  FailureOr<Groups> takeFromBranch(scf::IfOp branch) {
    FailureOr<Groups> sides[] = {take(*branch.thenBlock()), Groups()};
    if (branch.elseBlock())
      sides[1] = take(*branch.elseBlock());
    if (failed(sides[0]) || failed(sides[1]))
      return failure();
    Groups all = *sides[0];
    for (const Group &group : *sides[1])
      if (!find(all, group))
        all.push_back(group);
    SmallVector<Type> types(branch.getResultTypes());
    const unsigned count = unsigned(types.size());
    types.append(all.size(), rewriter.getI1Type());
    rewriter.setInsertionPoint(branch);
    auto yielding = scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                                      /*withElseRegion=*/true);
    yielding->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    for (unsigned side : {0u, 1u}) {
      Region &from = branch->getRegion(side), &to = yielding->getRegion(side);
      if (!from.empty())
        to.takeBody(from);
      if (to.front().empty() || !to.front().back().hasTrait<OpTrait::IsTerminator>()) {
        rewriter.setInsertionPointToEnd(&to.front());
        scf::YieldOp::create(rewriter, branch.getLoc());
      }
      Operation *end = to.front().getTerminator();
      rewriter.setInsertionPoint(end);
      SmallVector<Value> yielded(end->getOperands());
      for (const Group &group : all) {
        Group *own = find(*sides[side], group);
        yielded.push_back(own ? own->holds : nothingFailed());
      }
      end->setOperands(yielded);
    }
    for (auto [group, holds] : llvm::zip_equal(all, yielding.getResults().drop_front(count)))
      group.holds = holds;
    rewriter.replaceOp(branch, yielding.getResults().take_front(count));
    return all;
  }

  /// A loop that carries whether all iterations so far have asserted the truth.
  FailureOr<Groups> takeFromLoop(scf::ForOp loop) {
    FailureOr<Groups> groups = take(*loop.getBody());
    if (failed(groups))
      return failure();
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> begin(groups->size(), nothingFailed());
    auto next = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> soFar) {
      SmallVector<Value> values;
      for (auto [group, before] : llvm::zip_equal(*groups, soFar))
        values.push_back(arith::AndIOp::create(builder, loc, before, group.holds));
      return values;
    };
    Operation *made = *loop.replaceWithAdditionalYields(rewriter, begin, false, next);
    for (auto [group, holds] :
         llvm::zip_equal(*groups, made->getResults().take_back(groups->size())))
      group.holds = holds;
    return groups;
  }

  Operation *owner;
  IRRewriter rewriter;
};

template <typename Op> Op createLike(OpBuilder &builder, Op op, ValueRange sources) {
  if constexpr (std::is_same_v<Op, ReduceOp>)
    return ReduceOp::create(builder, op.getLoc(), sources, int(op.getAxis()));
  else
    return ScanOp::create(builder, op.getLoc(), sources, int(op.getAxis()), op.getReverse());
}

template <typename Op> LogicalResult lift(Op op) {
  Block &block = op.getCombineOp().front();
  FailureOr<Groups> groups = Taker(op).take(block);
  if (failed(groups))
    return failure();
  OpBuilder builder(op);
  SmallVector<Value> sources(op.getSrcs());
  const unsigned count = unsigned(sources.size());
  auto flags = cast<RankedTensorType>(getI1SameShape(sources.front().getType()));
  Value all = arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(flags, true));
  sources.append(groups->size(), all);
  Op lifted = createLike(builder, op, sources);
  lifted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  lifted.getCombineOp().takeBody(op.getCombineOp());

  // Flags follow the scalars of each of the two tuples.
  Operation *end = block.getTerminator();
  SmallVector<Value> returned(end->getOperands());
  OpBuilder inside(end);
  for (auto [number, group] : llvm::enumerate(*groups)) {
    Value left = block.insertArgument(count + unsigned(number), inside.getI1Type(), group.loc);
    Value right = block.addArgument(inside.getI1Type(), group.loc);
    Value both = arith::AndIOp::create(inside, group.loc, left, right);
    returned.push_back(arith::AndIOp::create(inside, group.loc, both, group.holds));
  }
  end->setOperands(returned);

  for (auto [group, holds] : llvm::zip(*groups, lifted.getResult().drop_front(count))) {
    auto assertion = AssertOp::create(builder, group.loc, holds, group.message);
    assertion->setDiscardableAttrs(group.attributes);
  }
  op->replaceAllUsesWith(lifted.getResult().take_front(count));
  op->erase();
  return success();
}

struct LiftAssertions : impl::LiftAssertionsBase<LiftAssertions> {
  using LiftAssertionsBase::LiftAssertionsBase;

  void runOnOperation() override {
    if (!debug)
      getOperation().walk([](AssertOp assertion) {
        if (!assertion->hasAttr(alwaysCheckedName))
          assertion->erase();
      });
    SmallVector<Operation *> owners;
    getOperation().walk([&](Operation *op) {
      if (isa<ReduceOp, ScanOp>(op))
        owners.push_back(op);
    });
    for (Operation *owner : owners) {
      bool asserts = false;
      owner->walk([&](AssertOp) { asserts = true; });
      if (!asserts)
        continue;
      if (failed(isa<ReduceOp>(owner) ? lift(cast<ReduceOp>(owner)) : lift(cast<ScanOp>(owner))))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tl::tt
