// SPDX-License-Identifier: MIT
//
// Masks that bound an index. `start + i < bound` along the innermost loop is a count: that many
// positions are true, the rest is not. Conjunctions take the least count, conditions that do not
// change along the loop count all or nothing.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;
namespace arith = mlir::arith;

static PrefixBound findPrefix(FunctionLowering &f, Nest &nest, mlir::Value mask, const Index &index,
                              int64_t extent);
static mlir::Value unextended(FunctionLowering &f, mlir::Value value);
static bool fallsOnce(FunctionLowering &f, arith::CmpIOp compare,
                      llvm::SmallVectorImpl<mlir::Value> &found);

/// At how many positions from the start of the innermost digit (whose base in `index` is 0) the
/// mask is true, if they are the first ones; else null.
PrefixBound FunctionLowering::prefixCount(Nest &nest, mlir::Value mask, const Index &index,
                                          int64_t extent) {
  for (auto &[known, prefix] : nest.prefixes[mask])
    if (known == index)
      return prefix;
  PrefixBound prefix = findPrefix(*this, nest, mask, index, extent);
  nest.prefixes[mask].push_back({index, prefix});
  return prefix;
}

static PrefixBound findPrefix(FunctionLowering &f, Nest &nest, mlir::Value mask, const Index &index,
                              int64_t extent) {
  llvm::IRBuilder<> &builder = f.builder;
  unsigned level = nest.levels.size() - 1;
  auto allOrNothing = [&](Value *condition) {
    f.at(nest, level);
    Value *count = builder.CreateSelect(condition, f.i64(extent), f.i64(0));
    return PrefixBound{count, count};
  };
  if (!mlir::isa<mlir::RankedTensorType>(mask.getType()))
    return allOrNothing(f.scalar(mask));
  if (f.buffers.contains(mask))
    return {};
  if (auto moved = f.source(nest, mask, index))
    return f.prefixCount(nest, moved->first, moved->second, extent);
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    PrefixBound a = f.prefixCount(nest, both.getLhs(), index, extent);
    PrefixBound b = a.least ? f.prefixCount(nest, both.getRhs(), index, extent) : PrefixBound();
    if (!b.least)
      return {};
    f.at(nest, level);
    auto smaller = [&](Value *x, Value *y) {
      return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    };
    Value *least = smaller(a.least, b.least);
    bool same = a.least == a.most && b.least == b.most;
    return {least, same ? least : smaller(a.most, b.most)};
  }
  if (auto splat = mask.getDefiningOp<tt::SplatOp>())
    return allOrNothing(f.scalar(splat.getSrc()));
  if (!index.varies()) {
    Lanes lanes = f.evaluate(nest, mask, index);
    return lanes.isUniform() ? allOrNothing(lanes.value) : PrefixBound();
  }
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare) {
    Lanes lanes = f.evaluate(nest, mask, index);
    return lanes.isUniform() ? allOrNothing(lanes.value) : PrefixBound();
  }
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  mlir::Value leftValue = compare.getLhs(), rightValue = compare.getRhs();
  if (predicate < P::ult) {
    leftValue = unextended(f, leftValue);
    rightValue = unextended(f, rightValue);
  }
  Lanes left = f.evaluate(nest, leftValue, index), right = f.evaluate(nest, rightValue, index);
  if (left.isUniform() && right.isAffine()) {
    std::swap(left, right);
    std::swap(leftValue, rightValue);
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
      return {};
    }
  }
  if (left.isUniform() && right.isUniform())
    return allOrNothing(f.evaluate(nest, mask, index).value);
  if (!left.isAffine() || !right.isUniform())
    return {};
  auto *stride = llvm::dyn_cast<llvm::ConstantInt>(left.stride);
  unsigned width = left.value->getType()->getIntegerBitWidth();
  if (!stride || !stride->isOne() || width < 32)
    return {};
  bool isSigned = predicate == P::slt || predicate == P::sle;
  if (!isSigned && predicate != P::ult && predicate != P::ule)
    return {};
  f.at(nest, level);
  llvm::Type *wide = builder.getInt64Ty();
  Value *start = left.value, *bound = right.value, *wraps = nullptr;
  // Past the end of its type the left side starts again, and the mask is no prefix.
  if (!isSigned && width == 64)
    return {};
  const Ramp ramp = f.ramps.of(leftValue);
  if (!ramp.exact || (!isSigned && ramp.low < 0)) {
    Value *end = builder.CreateAdd(start, llvm::ConstantInt::get(start->getType(), extent - 1));
    wraps = isSigned ? builder.CreateICmpSLT(end, start) : builder.CreateICmpULT(end, start);
  }
  const bool narrow = width < 64 && bound->getType() != wide;
  start = isSigned ? builder.CreateSExt(start, wide) : builder.CreateZExt(start, wide);
  bound = isSigned ? builder.CreateSExt(bound, wide) : builder.CreateZExt(bound, wide);
  if (!narrow) {
    // Keep the difference inside of 64 bits.
    Value *top = builder.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, start, f.i64(extent));
    bound = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, bound, top);
    bound = builder.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, bound,
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, start, f.i64(1)));
  }
  Value *count = builder.CreateSub(bound, start);
  if (predicate == P::sle || predicate == P::ule)
    count = builder.CreateAdd(count, f.i64(1));
  count = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, f.i64(0));
  count = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, f.i64(extent));
  if (!wraps)
    return {count, count};
  return {builder.CreateSelect(wraps, f.i64(0), count),
          builder.CreateSelect(wraps, f.i64(extent), count)};
}

/// The number that is compared: what is not known to stay inside of its type is looked at before it
/// is made wider, which keeps the order.
static mlir::Value unextended(FunctionLowering &f, mlir::Value value) {
  auto extend = value.getDefiningOp<arith::ExtSIOp>();
  return extend && !f.buffers.contains(value) && !f.ramps.of(extend.getIn()).extends()
             ? extend.getIn()
             : value;
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

/// A conjunction of comparisons that, once false along any dimension, stay false; if `found` does
/// not wrap, that is.
static bool isPrefix(FunctionLowering &f, mlir::Value mask,
                     llvm::SmallVectorImpl<mlir::Value> &found) {
  llvm::SmallVector<mlir::Value> work = {mask};
  llvm::DenseSet<mlir::Value> seen;
  while (!work.empty()) {
    mlir::Value next = work.pop_back_val();
    if (!mlir::isa<mlir::RankedTensorType>(next.getType()) || !seen.insert(next).second)
      continue;
    mlir::Operation *operation = next.getDefiningOp();
    if (!operation || f.buffers.contains(next))
      return false;
    if (operation->hasTrait<tt::MovesAxes>() || mlir::isa<arith::AndIOp>(operation)) {
      work.append(operation->operand_begin(), operation->operand_end());
      continue;
    }
    if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation)) {
      if (!f.ramps.of(constantOp).isConstant())
        return false;
      continue;
    }
    auto compare = mlir::dyn_cast<arith::CmpIOp>(operation);
    if (!compare || !fallsOnce(f, compare, found))
      return false;
  }
  return true;
}

/// Whether a comparison, once false, stays so; its sides that may wrap are added to `found`.
static bool fallsOnce(FunctionLowering &f, arith::CmpIOp compare,
                      llvm::SmallVectorImpl<mlir::Value> &found) {
  using P = arith::CmpIPredicate;
  using D = Ramp::Direction;
  const P predicate = compare.getPredicate();
  const bool isSigned = predicate >= P::slt && predicate <= P::sge;
  const bool below = predicate == P::slt || predicate == P::sle;
  for (auto [value, wanted] : {std::pair(compare.getLhs(), below ? D::rising : D::falling),
                               std::pair(compare.getRhs(), below ? D::falling : D::rising)}) {
    mlir::Value side = isSigned ? unextended(f, value) : value;
    const Ramp ramp = f.ramps.of(side);
    if (ramp.isConstant())
      continue;
    if (!isSigned || ramp.direction != wanted || !ramp.wrapsOnce())
      return false;
    if (!ramp.exact)
      found.push_back(side);
  }
  return true;
}

/// Whether all masks of the slice are true everywhere, found out at their last elements; null if
/// that does not follow or there are none.
Value *FunctionLowering::allTrue(Nest &nest, const Slice &slice,
                                 llvm::DenseSet<mlir::Value> &masks) {
  Value *all = nullptr;
  auto require = [&](Value *one) {
    at(nest, 0);
    all = !all || all == one ? one : builder.CreateAnd(all, one);
  };
  llvm::DenseSet<mlir::Value> tested;
  for (const Slice::Use &use : slice.masks) {
    llvm::SmallVector<mlir::Value> sides;
    if (masks.contains(use.value) || !isPrefix(*this, use.value, sides))
      continue;
    masks.insert(use.value);
    // Numbers that wrap have their ends in the wrong order.
    for (mlir::Value side : sides) {
      if (!tested.insert(side).second)
        continue;
      Value *first = evaluate(nest, side, zeroIndex(side.getType())).value;
      Value *last = evaluate(nest, side, lastIndex(side.getType())).value;
      at(nest, 0);
      require(ramps.of(side).direction == Ramp::Direction::rising
                  ? builder.CreateICmpSLE(first, last)
                  : builder.CreateICmpSGE(first, last));
    }
    require(evaluate(nest, use.value, lastIndex(use.value.getType())).value);
  }
  return all;
}

} // namespace tl::backend::cpu
