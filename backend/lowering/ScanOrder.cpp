// SPDX-License-Identifier: MIT
#include "lowering/ScanOrder.h"

#include "lowering/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

#include <limits>

namespace tl::backend {

using llvm::Value;

std::optional<ScanOrder> scanOrder(const LinearLayout &layout, unsigned axis) {
  ScanOrder order;
  std::string dim = dimName(axis);
  unsigned bits = layout.outBits(dim);
  unsigned stage = 0; // registers, lanes, warps, registers
  for (unsigned at = 0; at < bits; ++at) {
    // The hardware bit that moves this bit of the coordinate.
    std::string in;
    unsigned bit = 0;
    for (const auto &dimension : layout.ins())
      for (unsigned i = 0; i < dimension.images.size(); ++i)
        if (layout.image(dimension.name, i, dim) == uint64_t(1) << at) {
          in = dimension.name;
          bit = i;
        }
    if (in == "register") {
      if (stage == 0) {
        order.runBits.push_back(bit);
      } else {
        stage = 3;
        order.chunkBits.push_back(bit);
      }
    } else if (in == "lane" && stage <= 1) {
      if (stage == 0)
        order.firstLaneBit = bit;
      else if (bit != order.firstLaneBit + order.laneBits)
        return std::nullopt;
      stage = 1;
      ++order.laneBits;
    } else if (in == "warp" && stage <= 2) {
      if (order.warpBits == 0)
        order.firstWarpBit = bit;
      else if (bit != order.firstWarpBit + order.warpBits)
        return std::nullopt;
      stage = 2;
      ++order.warpBits;
    } else {
      return std::nullopt;
    }
  }
  return order;
}

LinearLayout layoutInOrder(const LinearLayout &layout, const Shape &shape, unsigned axis,
                           unsigned lanes, unsigned warps, uint64_t bytes, uint64_t most) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements *= uint64_t(extent);
  if (isSeparableAlong(layout, axis))
    if (auto order = scanOrder(layout, axis))
      if (order->warpBits == 0 ||
          (elements >> (order->runBits.size() + order->laneBits)) * bytes <= most)
        return layout;
  std::vector<unsigned> axes = {axis};
  for (unsigned other = unsigned(shape.size()); other-- > 0;)
    if (other != axis)
      axes.push_back(other);
  const uint64_t threads = uint64_t(lanes) * warps;
  const auto run = unsigned(std::max<uint64_t>(1, uint64_t(shape[axis]) / threads));
  return distributedLayout(shape, axes, {run}, lanes, warps);
}

unsigned spread(unsigned index, llvm::ArrayRef<unsigned> bits) {
  unsigned reg = 0;
  for (unsigned i = 0; i < bits.size(); ++i)
    if (index >> i & 1)
      reg |= 1u << bits[i];
  return reg;
}

llvm::SmallVector<unsigned> chooseLevels(unsigned laneBits, unsigned run, unsigned words,
                                         unsigned combination, bool chosen) {
  auto cost = [&](unsigned bits) {
    unsigned parts = 1u << bits;
    return (parts - 1) * 5 * words + (parts - 2) * combination +
           run * (combination + (chosen ? words : 0));
  };
  llvm::SmallVector<unsigned> best = {0}, last = {0}; // by the number of bits
  for (unsigned bits = 1; bits <= laneBits; ++bits) {
    best.push_back(~0u);
    last.push_back(0);
    for (unsigned level = 1; level <= bits; ++level)
      if (unsigned sum = cost(level) + best[bits - level]; sum < best[bits]) {
        best[bits] = sum;
        last[bits] = level;
      }
  }
  llvm::SmallVector<unsigned> levels;
  for (unsigned bits = laneBits; bits > 0; bits -= last[bits])
    levels.push_back(last[bits]);
  return levels;
}

Value *neutralValue(mlir::Region &region, mlir::Type element, llvm::Type *type) {
  mlir::Block &block = region.front();
  if (block.getNumArguments() != 2 || std::next(block.begin(), 2) != block.end())
    return nullptr;
  mlir::Operation &only = block.front();
  if (only.getNumOperands() != 2 || only.getNumResults() != 1 ||
      only.getOperand(0) == only.getOperand(1) ||
      !llvm::all_of(
          only.getOperands(),
          [&](mlir::Value operand) { return llvm::is_contained(block.getArguments(), operand); }) ||
      block.getTerminator()->getOperand(0) != only.getResult(0))
    return nullptr;
  namespace arith = mlir::arith;
  auto integer = [&](llvm::APInt value) { return llvm::ConstantInt::get(type, value); };
  auto number = [&](double value) -> Value * { // narrow floats are integers in registers
    auto format = mlir::dyn_cast<mlir::FloatType>(element);
    if (!format || !(element.isF16() || element.isBF16() || element.isF32() || element.isF64()))
      return nullptr;
    llvm::APFloat bits(value);
    bool inexact;
    bits.convert(format.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return type->isFloatingPointTy() ? static_cast<Value *>(llvm::ConstantFP::get(type, bits))
                                     : llvm::ConstantInt::get(type, bits.bitcastToAPInt());
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<mlir::Operation *, Value *>(&only)
      .Case([&](arith::AddFOp) { return number(-0.0); })
      .Case([&](arith::MulFOp) { return number(1); })
      .Case([&](arith::MaximumFOp) { return number(-infinity); })
      .Case([&](arith::MinimumFOp) { return number(infinity); })
      .Default([&](mlir::Operation *operation) -> Value * {
        auto neutral = element.isInteger() ? arith::getNeutralElement(operation) : std::nullopt;
        return neutral ? integer(mlir::cast<mlir::IntegerAttr>(*neutral).getValue()) : nullptr;
      });
}

} // namespace tl::backend
