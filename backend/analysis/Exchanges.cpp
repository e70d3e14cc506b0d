// SPDX-License-Identifier: MIT
#include "analysis/Exchanges.h"

#include "dialect/Gpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend {

namespace {

/// The bits in which a tensor of integers differs from the position along the axis.
std::optional<uint64_t> differenceFromPosition(Value value, unsigned axis, uint64_t extent) {
  using Bits = std::optional<uint64_t>;
  auto number = [](Value operand) -> std::optional<uint64_t> {
    APInt constant;
    if (!matchPattern(operand, m_ConstantInt(&constant)) || constant.isNegative())
      return std::nullopt;
    return constant.getZExtValue();
  };
  Operation *op = value.getDefiningOp();
  // A type on the way that does not hold all positions is no way.
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  if (!op || !integer ||
      (integer.getWidth() < 64 && extent > uint64_t(1) << (integer.getWidth() - 1)))
    return std::nullopt;
  return TypeSwitch<Operation *, Bits>(op)
      .Case([&](tt::MakeRangeOp range) {
        return range.getStart() == 0 && range.getEnd() == extent ? Bits(0) : std::nullopt;
      })
      .Case([&](tt::ExpandDimsOp expand) -> Bits {
        if (expand.getAxis() == axis)
          return std::nullopt;
        return differenceFromPosition(expand.getSrc(), axis - (expand.getAxis() < axis), extent);
      })
      .Case<tt::BroadcastOp, ttg::ConvertLayoutOp>(
          [&](auto same) { return differenceFromPosition(same.getSrc(), axis, extent); })
      .Case(
          [&](CastOpInterface) { return differenceFromPosition(op->getOperand(0), axis, extent); })
      .Case([&](arith::XOrIOp flip) -> Bits {
        auto bits = number(flip.getRhs());
        auto rest = differenceFromPosition(flip.getLhs(), axis, extent);
        return bits && rest && *bits < extent ? Bits(*bits ^ *rest) : std::nullopt;
      })
      .Case([&](arith::SubIOp reverse) -> Bits {
        auto rest = differenceFromPosition(reverse.getRhs(), axis, extent);
        return rest && number(reverse.getLhs()) == extent - 1 ? Bits((extent - 1) ^ *rest)
                                                              : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<uint64_t> exchangedBits(tt::GatherOp gather) {
  auto source = gather.getSrc().getType();
  auto indices = cast<RankedTensorType>(gather.getIndices().getType());
  const unsigned axis = gather.getAxis();
  if (source.getShape() != indices.getShape())
    return std::nullopt;
  return differenceFromPosition(gather.getIndices(), axis, uint64_t(source.getDimSize(axis)));
}

} // namespace tl::backend
