// SPDX-License-Identifier: MIT
#include "analysis/AxisInfo.h"
#include "dialect/Dialect.h"
#include "passes/GpuPasses.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tl::backend;

namespace tl::ttg {

#define GEN_PASS_DEF_CHECKREMAINDERS
#include "passes/GpuPasses.h.inc"

namespace {

/// The operations that an address in `loop` follows from, through what loops start with. Numbers
/// that the loop itself multiplies do not lie side by side: a check in each iteration would seldom
/// gain what it costs.
void collectSlice(Value value, scf::ForOp loop, DenseSet<Operation *> &slice) {
  if (!isa<RankedTensorType>(value.getType()))
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto owner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (owner && argument != owner.getInductionVar())
      collectSlice(owner.getTiedLoopInit(argument)->get(), loop, slice);
    return;
  }
  Operation *op = value.getDefiningOp();
  const bool spreads = isa<arith::MulIOp>(op) && loop->isAncestor(op);
  if (!spreads && isPure(op) && slice.insert(op).second)
    for (Value operand : op->getOperands())
      collectSlice(operand, loop, slice);
}

/// Asserts that (splat start + range) % splat divisor is contiguous, if it is such a remainder, of
/// whatever width, and that is not known.
void check(arith::RemSIOp op, const AxisInfoAnalysis &axes) {
  auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
  auto divisor = op.getRhs().getDefiningOp<tt::SplatOp>();
  if (!sum || !divisor || axes.of(op.getLhs()).nonNegative ||
      axes.of(op.getRhs()).divisibility[0] < 2)
    return;
  for (bool swapped : {false, true}) {
    auto start = sum->getOperand(swapped).getDefiningOp<tt::SplatOp>();
    Value numbers = sum->getOperand(!swapped);
    if (auto widened = numbers.getDefiningOp<arith::ExtSIOp>())
      numbers = widened.getIn();
    auto range = numbers.getDefiningOp<tt::MakeRangeOp>();
    if (!start || !range)
      continue;
    OpBuilder b(op);
    Location where = op.getLoc();
    Value s = start.getSrc(), n = divisor.getSrc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, where, b.getIntegerAttr(s.getType(), value));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpIOp::create(b, where, predicate, x, y);
    };
    // The first multiple of n from s on is s + rest, with rest = -s % |n|. It is below zero if -s
    // is not less than |n|, and one of the numbers if rest is less than the extent.
    Value zero = constant(0), negated = arith::SubIOp::create(b, where, zero, s);
    Value size = arith::MaxUIOp::create(
        b, where, constant(1),
        arith::MaxSIOp::create(b, where, n, arith::SubIOp::create(b, where, zero, n)));
    Value rest = arith::RemUIOp::create(b, where, negated, size);
    Value holds = compare(arith::CmpIPredicate::sge, s, zero);
    holds =
        arith::OrIOp::create(b, where, holds, compare(arith::CmpIPredicate::ult, negated, size));
    holds = arith::OrIOp::create(
        b, where, holds,
        compare(arith::CmpIPredicate::uge, rest, constant(int64_t(range.getEnd()))));
    tt::createCheck(b, where, holds,
                    "the offsets of a load for tl::dot wrap around below zero: the left operand of "
                    "% is negative and a multiple of the right one");
    op->setDiscardableAttr(contiguousName, b.getUnitAttr());
    return;
  }
}

struct CheckRemainders : impl::CheckRemaindersBase<CheckRemainders> {
  void runOnOperation() override {
    const AxisInfoAnalysis &axes = getAnalysis<AxisInfoAnalysis>();
    DenseSet<Operation *> slice;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<tt::DotOp>().empty())
        for (auto load : loop.getBody()->getOps<tt::LoadOp>())
          collectSlice(load.getPtr(), loop, slice);
    });
    SmallVector<arith::RemSIOp> remainders;
    getOperation().walk([&](arith::RemSIOp op) {
      if (slice.contains(op))
        remainders.push_back(op);
    });
    for (arith::RemSIOp op : remainders)
      check(op, axes);
  }
};

} // namespace
} // namespace tl::ttg
