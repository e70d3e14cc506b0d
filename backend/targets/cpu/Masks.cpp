// SPDX-License-Identifier: MIT
//
// Masks that bound an index. `start + i < bound` along the innermost loop is a count: so many
// positions are true, the rest is not. Conjunctions take the least count, conditions that do not
// change along the loop count all or nothing.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;
namespace arith = mlir::arith;

/// The number of positions from the start of the innermost digit (whose base in `index` is 0) at
/// which the mask is true, if they are the first ones; else null.
Value *FunctionLowering::prefixCount(Nest &nest, mlir::Value mask, const Index &index,
                                     int64_t extent) {
  unsigned level = nest.levels.size() - 1;
  auto allOrNothing = [&](Value *condition) {
    at(nest, level);
    return builder.CreateSelect(condition, i64(extent), i64(0));
  };
  if (!mlir::isa<mlir::RankedTensorType>(mask.getType()))
    return allOrNothing(scalar(mask));
  if (slots.contains(mask))
    return nullptr;
  if (auto moved = source(nest, mask, index))
    return prefixCount(nest, moved->first, moved->second, extent);
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    Value *a = prefixCount(nest, both.getLhs(), index, extent);
    Value *b = a ? prefixCount(nest, both.getRhs(), index, extent) : nullptr;
    if (!b)
      return nullptr;
    at(nest, level);
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  }
  if (auto splat = mask.getDefiningOp<tt::SplatOp>())
    return allOrNothing(scalar(splat.getSrc()));
  if (!index.varies()) {
    Lanes lanes = evaluate(nest, mask, index);
    return lanes.isUniform() ? allOrNothing(lanes.value) : nullptr;
  }
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare) {
    Lanes lanes = evaluate(nest, mask, index);
    return lanes.isUniform() ? allOrNothing(lanes.value) : nullptr;
  }
  Lanes left = evaluate(nest, compare.getLhs(), index);
  Lanes right = evaluate(nest, compare.getRhs(), index);
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  if (left.isUniform() && right.isAffine()) {
    std::swap(left, right);
    switch (predicate) {
    case P::sgt:
      predicate = P::slt;
      break;
    case P::sge:
      predicate = P::sle;
      break;
    case P::ugt:
      predicate = P::ult;
      break;
    case P::uge:
      predicate = P::ule;
      break;
    default:
      return nullptr;
    }
  }
  if (left.isUniform() && right.isUniform())
    return allOrNothing(evaluate(nest, mask, index).value);
  if (!left.isAffine() || !right.isUniform())
    return nullptr;
  auto *stride = llvm::dyn_cast<llvm::ConstantInt>(left.stride);
  unsigned width = left.value->getType()->getIntegerBitWidth();
  if (!stride || !stride->isOne() || width < 32)
    return nullptr;
  bool isSigned = predicate == P::slt || predicate == P::sle;
  if (!isSigned && predicate != P::ult && predicate != P::ule)
    return nullptr;
  at(nest, level);
  llvm::Type *wide = builder.getInt64Ty();
  Value *start = left.value, *bound = right.value;
  if (width < 64) {
    start = isSigned ? builder.CreateSExt(start, wide) : builder.CreateZExt(start, wide);
    bound = isSigned ? builder.CreateSExt(bound, wide) : builder.CreateZExt(bound, wide);
  } else if (!isSigned) {
    return nullptr;
  } else {
    // Keep the difference inside of 64 bits.
    Value *top = builder.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, start, i64(extent));
    bound = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, bound, top);
    bound = builder.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, bound,
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, start, i64(1)));
  }
  Value *count = builder.CreateSub(bound, start);
  if (predicate == P::sle || predicate == P::ule)
    count = builder.CreateAdd(count, i64(1));
  count = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, i64(0));
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, i64(extent));
}

/// What is known about a mask in the part of the loop that is being emitted.
std::optional<Lanes> FunctionLowering::knownMask(Nest &nest, mlir::Value mask, const Index &index) {
  if (!elementType(mask.getType()).isInteger(1))
    return std::nullopt;
  if (nest.mode == MaskMode::full && nest.trueMasks.contains(mask))
    return Lanes::uniform(builder.getTrue());
  for (const PrefixMask &prefix : nest.masks) {
    if (prefix.mask != mask || prefix.digits.size() != index.digits.size())
      continue;
    bool same = true;
    for (auto [number, digit] : llvm::zip(prefix.digits, index.digits))
      same &= nest.digits[number] == digit;
    if (same)
      return Lanes::uniform(builder.getInt1(nest.mode == MaskMode::full));
  }
  return std::nullopt;
}

/// How an integer tensor changes with its indices: 0 not at all, 1 it never falls, -1 it never
/// rises, 2 anything.
int FunctionLowering::growth(mlir::Value value) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return 0;
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || slots.contains(value))
    return 2;
  auto sum = [](int a, int b) { return a == 0 ? b : b == 0 || a == b ? a : 2; };
  auto negative = [](int a) { return a == 2 ? 2 : -a; };
  if (mlir::isa<tt::SplatOp>(operation))
    return 0;
  if (mlir::isa<tt::MakeRangeOp>(operation))
    return 1;
  if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constantOp.getValue());
    return elements && elements.isSplat() ? 0 : 2;
  }
  if (mlir::isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, arith::ExtSIOp>(operation))
    return growth(operation->getOperand(0));
  if (auto add = mlir::dyn_cast<arith::AddIOp>(operation))
    return sum(growth(add.getLhs()), growth(add.getRhs()));
  if (auto subtract = mlir::dyn_cast<arith::SubIOp>(operation))
    return sum(growth(subtract.getLhs()), negative(growth(subtract.getRhs())));
  if (auto multiply = mlir::dyn_cast<arith::MulIOp>(operation)) {
    int a = growth(multiply.getLhs()), b = growth(multiply.getRhs());
    if (a == 0 && b == 0)
      return 0;
    llvm::APInt factor;
    if (mlir::matchPattern(multiply.getRhs(), mlir::m_ConstantInt(&factor)) &&
        factor.isStrictlyPositive())
      return a;
  }
  return 2;
}

/// A conjunction of comparisons that, once false along any dimension, stay false.
bool FunctionLowering::isPrefix(mlir::Value mask) {
  if (!mlir::isa<mlir::RankedTensorType>(mask.getType()))
    return true;
  mlir::Operation *operation = mask.getDefiningOp();
  if (!operation || slots.contains(mask))
    return false;
  if (mlir::isa<tt::SplatOp>(operation))
    return true;
  if (mlir::isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>(operation))
    return isPrefix(operation->getOperand(0));
  if (auto both = mlir::dyn_cast<arith::AndIOp>(operation))
    return isPrefix(both.getLhs()) && isPrefix(both.getRhs());
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(operation)) {
    int left = growth(compare.getLhs()), right = growth(compare.getRhs());
    using P = arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case P::slt:
    case P::sle:
      return (left == 0 || left == 1) && (right == 0 || right == -1);
    case P::sgt:
    case P::sge:
      return (left == 0 || left == -1) && (right == 0 || right == 1);
    default:
      return left == 0 && right == 0;
    }
  }
  if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation))
    return growth(constantOp) == 0;
  return false;
}

/// Whether all masks of the slice are true everywhere, found out at their last elements; null if
/// that does not follow or there are none.
Value *FunctionLowering::allTrue(Nest &nest, const Slice &slice,
                                 llvm::DenseSet<mlir::Value> &masks) {
  for (const Slice::Use &use : slice.masks)
    if (isPrefix(use.value))
      masks.insert(use.value);
  Value *all = nullptr;
  for (const Slice::Use &use : slice.masks) {
    if (!masks.contains(use.value))
      continue;
    Index last;
    if (int64_t count = elementCount(use.value.getType()); count > 1) {
      Digit digit;
      digit.extent = count;
      digit.base = i64(count - 1);
      last.digits.push_back(digit);
    }
    Value *one = evaluate(nest, use.value, last).value;
    at(nest, 0);
    all = !all || all == one ? one : builder.CreateAnd(all, one);
  }
  return all;
}

} // namespace tl::backend::cpu
