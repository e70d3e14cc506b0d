// SPDX-License-Identifier: MIT
//
// How wide an access is must be certain; in which order lanes take the elements need not be. So
// where nothing certain tells axes apart, remainders and quotients by numbers that nobody knows
// are taken for what they mostly are, with a divisor that is large: the one counts up, the other
// stays the same.
//
//     pixel = range(0, 64)                     x + (pixel / width) * pitch + pixel % width + ...
//                                                counts up along the axis of `pixel`, mostly
#include "analysis/AxesInMemory.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace tl::backend {

namespace {

/// From one element to the next along an axis.
enum class Step { none, one, other };

Step likelyStep(Value value, unsigned axis, const AxisInfoAnalysis &axes, unsigned depth = 0) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getShape()[axis] == 1)
    return Step::none;
  AxisInfo info = axes.of(value);
  int64_t extent = type.getShape()[axis];
  if (info.constancy[axis] >= extent)
    return Step::none;
  if (info.contiguity[axis] >= extent)
    return Step::one;
  Operation *op = value.getDefiningOp();
  constexpr unsigned deepest = 32;
  if (depth == deepest)
    return Step::other;
  if (!op) { // what a loop starts with
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
      return Step::other;
    return likelyStep(loop.getInitArgs()[argument.getArgNumber() - loop.getNumInductionVars()],
                      axis, axes, depth + 1);
  }
  auto operand = [&](unsigned i) { return likelyStep(op->getOperand(i), axis, axes, depth + 1); };
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    unsigned added = expand.getAxis();
    return added == axis ? Step::none
                         : likelyStep(expand.getSrc(), axis - (axis > added), axes, depth + 1);
  }
  // The same numbers, at more places, in other threads, with hints, or of another width.
  if (op->hasTrait<tt::MovesAxes>() && !isa<tt::TransOp>(op))
    return operand(0);
  if (isa<tt::HintOp>(op) || isa<CastOpInterface>(op))
    return operand(0);
  const bool isDifference = isa<arith::SubIOp>(op);
  if (isDifference || isa<arith::AddIOp, tt::AddPtrOp>(op)) {
    Step a = operand(0), b = operand(1);
    return b == Step::none ? a : a == Step::none && !isDifference ? b : Step::other;
  }
  if (isa<arith::MulIOp>(op))
    return operand(0) == Step::none && operand(1) == Step::none ? Step::none : Step::other;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return operand(1) == Step::none ? operand(0) : Step::other;
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return operand(1) == Step::none && operand(0) != Step::other ? Step::none : Step::other;
  return Step::other;
}

} // namespace

std::vector<unsigned> axesInMemory(Value pointer, const AxisInfoAnalysis &axes) {
  AxisInfo info = axes.of(pointer);
  std::vector<unsigned> order = info.mostContiguousFirst();
  if (info.contiguity[order[0]] > 1)
    return order;
  SmallVector<bool> countsUp;
  for (unsigned axis = 0; axis < info.rank(); ++axis)
    countsUp.push_back(likelyStep(pointer, axis, axes) == Step::one);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair<bool, unsigned>(countsUp[a], a) > std::pair<bool, unsigned>(countsUp[b], b);
  });
  return order;
}

} // namespace tl::backend
