// SPDX-License-Identifier: MIT
#include "targets/cpu/Ramps.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace tl::backend::cpu {

namespace arith = mlir::arith;
using Direction = Ramp::Direction;

namespace {

using Wide = __int128;

bool fits(Wide low, Wide high, unsigned width) {
  const Wide end = Wide(1) << (width - 1);
  return low >= -end && high < end;
}

/// Nothing is known but the type, and whether there is one element alone.
Ramp unknown(unsigned width, bool tensor) {
  Ramp ramp;
  ramp.width = width;
  ramp.low = width == 64 ? INT64_MIN : -(int64_t(1) << (width - 1));
  ramp.high = width == 64 ? INT64_MAX : (int64_t(1) << (width - 1)) - 1;
  if (!tensor) {
    ramp.direction = Direction::constant;
    ramp.span = 0;
    ramp.exact = true;
  }
  return ramp;
}

/// The ramp of a sum or product, whose elements lie between the bounds if they do not wrap.
Ramp combine(Ramp ramp, Direction direction, Wide span, bool exact, Wide low, Wide high) {
  ramp.direction = direction;
  ramp.span = direction == Direction::constant ? 0
              : span > Wide(UINT64_MAX)        ? UINT64_MAX
                                               : uint64_t(span);
  if (fits(low, high, ramp.width)) {
    ramp.low = int64_t(low);
    ramp.high = int64_t(high);
    ramp.exact = exact;
  } else {
    ramp.exact = direction == Direction::constant;
  }
  return ramp;
}

Direction opposite(Direction direction) {
  return direction == Direction::unknown ? direction : Direction(-int8_t(direction));
}

Direction sum(Direction a, Direction b) {
  if (a == Direction::constant)
    return b;
  return b == Direction::constant || a == b ? a : Direction::unknown;
}

Ramp add(const Ramp &a, const Ramp &b, const Ramp &result) {
  return combine(result, sum(a.direction, b.direction), Wide(a.span) + b.span, a.exact && b.exact,
                 Wide(a.low) + b.low, Wide(a.high) + b.high);
}

Ramp subtract(const Ramp &a, const Ramp &b, const Ramp &result) {
  return combine(result, sum(a.direction, opposite(b.direction)), Wide(a.span) + b.span,
                 a.exact && b.exact, Wide(a.low) - b.high, Wide(a.high) - b.low);
}

Ramp multiply(const Ramp &a, const Ramp &b, const Ramp &result) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                          Wide(a.high) * b.high};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  Direction direction = Direction::unknown;
  Wide span = UINT64_MAX;
  if (a.isConstant() && b.isConstant()) {
    direction = Direction::constant;
  } else if (a.isConstant() || b.isConstant()) {
    const Ramp &moving = a.isConstant() ? b : a, &factor = a.isConstant() ? a : b;
    direction = factor.low >= 0    ? moving.direction
                : factor.high <= 0 ? opposite(moving.direction)
                                   : Direction::unknown;
    const Wide most = std::max(Wide(factor.high), -Wide(factor.low));
    if (Wide(moving.span) <= Wide(UINT64_MAX) / std::max(most, Wide(1)))
      span = Wide(moving.span) * most;
  }
  return combine(result, direction, span, a.exact && b.exact, *low, *high);
}

} // namespace

Ramp Ramps::of(mlir::Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Ramp ramp = find(value);
  known[value] = ramp;
  return ramp;
}

Ramp Ramps::find(mlir::Value value) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  auto element =
      mlir::dyn_cast<mlir::IntegerType>(tensor ? tensor.getElementType() : value.getType());
  if (!element || element.getWidth() > 64)
    return tensor ? Ramp() : unknown(64, false);
  const unsigned width = element.getWidth();
  Ramp result = unknown(width, tensor != nullptr);
  // The values of a loop's counter; a step below zero counts down from the lower bound.
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != value || loop.getUnsignedCmp() || width < 8)
      return result;
    const Ramp from = of(loop.getLowerBound()), to = of(loop.getUpperBound());
    if (of(loop.getStep()).low > 0 && from.low < to.high) {
      result.low = from.low;
      result.high = to.high - 1;
    }
    return result;
  }
  mlir::Operation *operation = value.getDefiningOp();
  auto operand = [&](unsigned number) { return of(operation->getOperand(number)); };
  auto within = [&](int64_t low, int64_t high) {
    result.low = std::max(result.low, low);
    result.high = std::min(result.high, high);
    return result;
  };
  if (operation->hasTrait<tt::MovesAxes>())
    return operand(0);
  return llvm::TypeSwitch<mlir::Operation *, Ramp>(operation)
      .Case([&](arith::ConstantOp) {
        llvm::APInt number;
        if (!mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
          return result;
        result = unknown(width, false);
        return within(number.getSExtValue(), number.getSExtValue());
      })
      .Case([&](tt::MakeRangeOp range) {
        const auto first = int64_t(int32_t(range.getStart())),
                   end = int64_t(int32_t(range.getEnd()));
        return combine(result, Direction::rising, end - 1 - first, true, first, end - 1);
      })
      .Case([&](tt::ReshapeOp) {
        const Ramp from = operand(0);
        return from.isConstant() ? from : within(from.low, from.high);
      })
      .Case([&](arith::AddIOp) { return add(operand(0), operand(1), result); })
      .Case([&](arith::SubIOp) { return subtract(operand(0), operand(1), result); })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1), result); })
      .Case([&](arith::ExtSIOp) {
        Ramp from = operand(0);
        if (!from.extends())
          return within(from.low, from.high);
        from.width = width;
        return from;
      })
      .Case([&](arith::ExtUIOp) {
        Ramp from = operand(0);
        if (from.low < 0)
          return from.width < 64 ? within(0, (int64_t(1) << from.width) - 1) : result;
        if (!from.extends())
          return within(from.low, from.high);
        from.width = width;
        return from;
      })
      .Case([&](arith::TruncIOp) {
        const Ramp from = operand(0);
        return combine(result, from.direction, from.span, from.exact, from.low, from.high);
      })
      .Case([&](arith::RemSIOp) {
        const Ramp by = operand(1);
        if (by.low <= 0)
          return result;
        return within(operand(0).low < 0 ? 1 - by.high : 0, by.high - 1);
      })
      .Case([&](arith::DivSIOp) {
        const Ramp from = operand(0);
        if (operand(1).low <= 0)
          return result;
        return within(std::min(from.low, int64_t(0)), std::max(from.high, int64_t(0)));
      })
      .Case([&](arith::AndIOp) {
        const Ramp a = operand(0), b = operand(1);
        int64_t most = INT64_MAX;
        for (const Ramp &side : {a, b})
          if (side.low >= 0)
            most = std::min(most, side.high);
        return a.low >= 0 || b.low >= 0 ? within(0, most) : result;
      })
      .Case([&](arith::MinSIOp) {
        const Ramp a = operand(0), b = operand(1);
        return within(std::min(a.low, b.low), std::min(a.high, b.high));
      })
      .Case([&](arith::MaxSIOp) {
        const Ramp a = operand(0), b = operand(1);
        return within(std::max(a.low, b.low), std::max(a.high, b.high));
      })
      .Default([&](mlir::Operation *) { return result; });
}

} // namespace tl::backend::cpu
