// SPDX-License-Identifier: MIT
#include "passes/PointerBlocks.h"

#include "analysis/LaunchNumbers.h"
#include "analysis/MemoryOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tl::tt {

using backend::Form;
using backend::Monomial;
using backend::StridedTile;

namespace {

/// Of a tensor that TMA copies.
constexpr size_t mostAxes = 5;

bool isKnownAtLaunch(const Monomial &monomial) {
  return llvm::all_of(monomial.factors, backend::isIntegerParameter) &&
         monomial.factors.size() <= backend::LaunchNumber::mostFactors;
}

/// monomial / divisor, if that leaves no remainder.
std::optional<Monomial> quotient(const Monomial &monomial, const Monomial &divisor) {
  if (monomial.constant % divisor.constant != 0)
    return {};
  Monomial result = monomial;
  result.constant /= divisor.constant;
  for (Value factor : divisor.factors) {
    auto found = llvm::find(result.factors, factor);
    if (found == result.factors.end())
      return {};
    result.factors.erase(found);
  }
  return result;
}

bool isOne(const Form &form) {
  return form.size() == 1 && form[0].constant == 1 && form[0].factors.empty();
}

/// What TMA gives beside the tensor.
bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  auto integer = dyn_cast<IntegerAttr>(constant);
  return (number && number.getValue().isPosZero()) || (integer && integer.getValue().isZero());
}

/// How far back numbers are followed.
constexpr unsigned deepestCount = 16;

bool countsThings(Value value, const backend::AxisInfoAnalysis &info, Counts &counts,
                  unsigned depth = 0);

/// Whether a divisor is the size of a group: a count, or what is left of one for the last group,
/// `min(rows - first, 8)`, by which nothing would be divided if it were not positive.
bool isSize(Value value, const backend::AxisInfoAnalysis &info, Counts &counts, unsigned depth) {
  auto least = value.getDefiningOp<arith::MinSIOp>();
  if (least && depth < deepestCount)
    return isSize(least.getLhs(), info, counts, depth + 1) &&
           isSize(least.getRhs(), info, counts, depth + 1);
  if (auto left = value.getDefiningOp<arith::SubIOp>())
    return countsThings(left.getLhs(), info, counts, depth) &&
           countsThings(left.getRhs(), info, counts, depth);
  return countsThings(value, info, counts, depth);
}

/// Whether a number is not negative if those parameters are not that are added to `counts`: what
/// programs, tiles and heads are counted by. Offsets that are subtracted, or loaded, are left to
/// pointers.
bool countsThings(Value value, const backend::AxisInfoAnalysis &info, Counts &counts,
                  unsigned depth) {
  if (info.of(value).nonNegative)
    return true;
  if (backend::isIntegerParameter(value)) {
    counts.insert(cast<BlockArgument>(value).getArgNumber());
    return true;
  }
  if (depth == deepestCount)
    return false;
  auto of = [&](Value other) { return countsThings(other, info, counts, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && of(loop.getLowerBound());
  }
  Operation *op = value.getDefiningOp();
  const bool isSumOrProduct = isa<arith::AddIOp, arith::MulIOp>(op);
  if (isSumOrProduct || isa<arith::MinSIOp>(op))
    return of(op->getOperand(0)) && of(op->getOperand(1));
  if (isa<arith::MaxSIOp>(op))
    return of(op->getOperand(0)) || of(op->getOperand(1));
  if (isa<arith::DivSIOp>(op))
    return of(op->getOperand(0)) && isSize(op->getOperand(1), info, counts, depth + 1);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return of(select.getTrueValue()) && of(select.getFalseValue());
  const bool hasSignOfFirst = isa<arith::RemSIOp, arith::ExtSIOp>(op);
  return (hasSignOfFirst || isa<HintOp>(op)) && of(op->getOperand(0));
}

/// The most that a number is, if known, where parameters that are added to `counts` are at most
/// mostCount. Of a product only if its operands are not negative.
std::optional<int64_t> mostOf(Value value, const backend::AxisInfoAnalysis &info, Counts &counts,
                              unsigned depth = 0) {
  constexpr int64_t mostInteger = std::numeric_limits<int32_t>::max();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSignificantBits() <= 32 ? std::optional(constant.getSExtValue())
                                               : std::nullopt;
  if (backend::isIntegerParameter(value)) {
    counts.insert(cast<BlockArgument>(value).getArgNumber());
    return backend::mostCount;
  }
  if (depth == deepestCount)
    return {};
  auto of = [&](Value other) { return mostOf(other, info, counts, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() ? of(loop.getUpperBound()) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtSIOp, HintOp>(op))
    return of(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return {};
  const auto first = of(op->getOperand(0)), second = of(op->getOperand(1));
  if (isa<arith::MinSIOp>(op) && (first || second))
    return std::min(first.value_or(mostInteger), second.value_or(mostInteger));
  if (!first || !second)
    return {};
  std::optional<int64_t> most;
  if (isa<arith::AddIOp>(op))
    most = *first + *second;
  else if (isa<arith::MaxSIOp>(op))
    most = std::max(*first, *second);
  else if (isa<arith::MulIOp>(op) && *first >= 0 && *second >= 0 &&
           countsThings(op->getOperand(0), info, counts) &&
           countsThings(op->getOperand(1), info, counts))
    most = *first * *second;
  else if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) && *second > 0 &&
           isa<arith::DivSIOp>(op))
    most = std::max<int64_t>(*first, 0) / *second;
  return most && *most <= mostInteger ? most : std::nullopt;
}

class Planner {
public:
  Planner(LoadOp load, scf::ForOp loop, const backend::AxisInfoAnalysis &info, bool mayCheck)
      : load(load), loop(loop), info(info), mayCheck(mayCheck), pointers(loop) {}

  std::optional<PointerBlock> make();

private:
  bool findAxes(const StridedTile &tile);
  bool divideOffset(const Form &offset);
  bool applyComparison(arith::CmpIOp compare, ArrayRef<int> tileAxes);
  bool readMask(Value mask, ArrayRef<int> tileAxes);
  bool prove(BlockAxis &axis);
  bool isAligned();

  bool isNonNegative(const Monomial &monomial) {
    return monomial.constant > 0 && llvm::all_of(monomial.factors, [&](Value factor) {
             return countsThings(factor, info, block.counts);
           });
  }
  /// Whether the sum, of what is not negative, has 32 bits and room for a block.
  bool isBounded(const Form &terms) {
    int64_t sum = 0;
    for (const Monomial &term : terms) {
      int64_t product = term.constant;
      for (Value factor : term.factors) {
        const auto most = mostOf(factor, info, block.counts);
        if (!most || __builtin_mul_overflow(product, *most, &product))
          return false;
      }
      if (__builtin_add_overflow(sum, product, &sum))
        return false;
    }
    return sum < mostElements - mostBlock;
  }
  /// A power of two that divides it.
  int64_t divisorOf(const Monomial &monomial) {
    int64_t power = monomial.constant & -monomial.constant;
    for (Value factor : monomial.factors)
      power = std::min<int64_t>(power, 1 << 16) *
              std::min<int64_t>(info.of(factor).divisibility[0], 1 << 16);
    return power;
  }
  /// Of the tile's axis.
  BlockAxis &axisOf(unsigned tileAxis) {
    const bool isFast = (tileAxis == 1) != block.isTransposed;
    return block.axes[block.axes.size() - (isFast ? 1 : 2)];
  }

  LoadOp load;
  scf::ForOp loop;
  const backend::AxisInfoAnalysis &info;
  const bool mayCheck;
  backend::StridedPointers pointers;
  PointerBlock block;
};

std::optional<PointerBlock> Planner::make() {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || load.getIsVolatile() ||
      load.getCache() != CacheModifier::NONE)
    return {};
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isInteger(8))
    return {};
  if (load.getOther() && !isZero(load.getOther()))
    return {};
  auto tile = pointers.of(load.getPtr());
  if (!tile || !tile->base)
    return {};
  block.base = dyn_cast_or_null<BlockArgument>(backend::ownParameterOf(tile->base));
  if (!block.base || info.of(block.base).divisibility[0] % 16 != 0)
    return {};
  if (!findAxes(*tile) || !divideOffset(tile->offset))
    return {};
  if (load.getMask() && !readMask(load.getMask(), {0, 1}))
    return {};
  for (BlockAxis &axis : block.axes)
    if (!prove(axis))
      return {};
  if (!isAligned())
    return {};
  return std::move(block);
}

/// The two axes of the tile.
bool Planner::findAxes(const StridedTile &tile) {
  auto type = cast<RankedTensorType>(load.getType());
  block.isTransposed = !isOne(tile.steps[1]);
  const unsigned fast = block.isTransposed ? 0 : 1, slow = 1 - fast;
  if (!isOne(tile.steps[fast]) || tile.steps[slow].size() != 1)
    return false;
  BlockAxis rows, columns;
  rows.stride = tile.steps[slow][0];
  columns.stride = tile.steps[fast][0];
  rows.block = type.getDimSize(slow);
  columns.block = type.getDimSize(fast);
  rows.source = rows.stride.source;
  columns.source = columns.stride.source;
  block.axes = {rows, columns};
  return isKnownAtLaunch(rows.stride) && rows.stride.constant > 0;
}

bool Planner::divideOffset(const Form &offset) {
  Form rows, columns;
  std::vector<BlockAxis> others;
  for (const Monomial &term : offset) {
    auto rest = quotient(term, block.axes[0].stride);
    if (rest && llvm::none_of(rest->factors, backend::isIntegerParameter)) {
      rows.push_back(*rest);
      continue;
    }
    if (llvm::none_of(term.factors, backend::isIntegerParameter)) {
      columns.push_back(term);
      continue;
    }
    // An axis of its own, or one that is there already.
    BlockAxis axis;
    Monomial coordinate = term;
    axis.stride.constant = term.constant;
    coordinate.constant = 1;
    coordinate.factors.clear();
    for (Value factor : term.factors)
      (backend::isIntegerParameter(factor) ? axis.stride : coordinate).factors.push_back(factor);
    if (axis.stride.constant < 0 || !isKnownAtLaunch(axis.stride))
      return false;
    auto same = llvm::find_if(others, [&](const BlockAxis &other) {
      return other.stride.constant == axis.stride.constant &&
             other.stride.hasSameFactors(axis.stride);
    });
    if (same == others.end()) {
      others.push_back(axis);
      same = others.end() - 1;
    }
    same->coordinate = backend::sumOf(same->coordinate, {coordinate});
  }
  if (others.size() + 2 > mostAxes)
    return false;
  block.axes[0].coordinate = rows;
  block.axes[1].coordinate = columns;
  block.axes.insert(block.axes.begin(), others.begin(), others.end());
  return true;
}

/// `tileAxes`: for each axis of the mask that of the tile.
bool Planner::readMask(Value mask, ArrayRef<int> tileAxes) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return readMask(both.getLhs(), tileAxes) && readMask(both.getRhs(), tileAxes);
  if (auto broadcast = mask.getDefiningOp<BroadcastOp>())
    return readMask(broadcast.getSrc(), tileAxes);
  if (auto expand = mask.getDefiningOp<ExpandDimsOp>()) {
    SmallVector<int> axes(tileAxes);
    axes.erase(axes.begin() + expand.getAxis());
    return readMask(expand.getSrc(), axes);
  }
  DenseElementsAttr constant;
  if (matchPattern(mask, m_Constant(&constant)) && constant && constant.isSplat())
    return constant.getSplatValue<APInt>().isOne();
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  return compare && applyComparison(compare, tileAxes);
}

bool Planner::applyComparison(arith::CmpIOp compare, ArrayRef<int> tileAxes) {
  auto type = dyn_cast<RankedTensorType>(compare.getLhs().getType());
  if (!type || !type.getElementType().isInteger(32))
    return false;
  auto left = pointers.of(compare.getLhs()), right = pointers.of(compare.getRhs());
  if (!left || !right)
    return false;
  using Predicate = arith::CmpIPredicate;
  const Predicate predicate = compare.getPredicate();
  const bool isSwapped = predicate == Predicate::sgt || predicate == Predicate::sge;
  if (!isSwapped && predicate != Predicate::slt && predicate != Predicate::sle)
    return false;
  if (isSwapped)
    std::swap(left, right);
  pointers.startSource(*left);
  pointers.startSource(*right);
  // It is true where the difference is below zero.
  Form offset = backend::sumOf(left->offset, right->offset, -1);
  if (predicate == Predicate::sle || predicate == Predicate::sge) {
    Monomial one;
    one.constant = 1;
    offset = backend::sumOf(offset, {one}, -1);
  }
  BlockAxis *axis = nullptr;
  int64_t step = 0;
  for (unsigned i = 0; i < left->steps.size(); ++i) {
    Form by = backend::sumOf(left->steps[i], right->steps[i], -1);
    if (by.empty())
      continue;
    if (axis || by.size() != 1 || !by[0].factors.empty() || std::abs(by[0].constant) != 1)
      return false;
    axis = &axisOf(unsigned(tileAxes[i]));
    step = by[0].constant;
  }
  if (!axis)
    return false;
  if (step < 0) {
    // -i + offset < 0 of an index coordinate + i: it is above coordinate + offset.
    Monomial one;
    one.constant = 1;
    if (!backend::sumOf(backend::sumOf(axis->coordinate, offset), {one}).empty())
      return false;
    axis->isNonNegative = true;
    return true;
  }
  // coordinate + i < coordinate - offset
  Form limit = backend::sumOf(axis->coordinate, offset, -1);
  if (limit.size() != 1 || limit[0].constant <= 0 || limit[0].constant > mostElements ||
      !isKnownAtLaunch(limit[0]) ||
      llvm::any_of(limit[0].factors, [](Value factor) { return !factor.getType().isInteger(32); }))
    return false;
  if (axis->isMasked &&
      (axis->limit[0].constant != limit[0].constant || !axis->limit[0].hasSameFactors(limit[0])))
    return false;
  axis->isMasked = true;
  axis->limit = limit;
  // All of the coordinate is part of one side, which has 32 bits.
  unsigned side = 0;
  axis->isNarrow = llvm::all_of(axis->coordinate, [&](const Monomial &term) {
    auto same =
        llvm::find_if(offset, [&](const Monomial &other) { return other.hasSameFactors(term); });
    if (same == offset.end() || same->source == 0 || (side && side != same->source) ||
        std::abs(same->constant) != std::abs(same->narrow))
      return false;
    side = same->source;
    return same->constant == term.constant;
  });
  return true;
}

/// That the coordinate is not negative and has 32 bits, if need be by a check.
bool Planner::prove(BlockAxis &axis) {
  const Form &terms = axis.coordinate;
  for (const Monomial &term : terms)
    for (Value factor : term.factors)
      if (!factor.getType().isInteger() || factor.getType().getIntOrFloatBitWidth() > 32)
        return false;
  if (llvm::all_of(terms, [](const Monomial &term) {
        return term.factors.empty() && term.constant >= 0 &&
               term.constant < mostElements - mostBlock;
      }))
    return true;
  const bool isPositive =
      llvm::all_of(terms, [&](const Monomial &term) { return isNonNegative(term); });
  const unsigned source = terms[0].source;
  const bool isScalar = terms.size() == 1 && terms[0].constant == 1 && terms[0].factors.size() == 1;
  const bool isPart = isScalar || (source && llvm::all_of(terms, [&](const Monomial &term) {
                                     return term.source == source && term.constant <= term.narrow;
                                   }));
  const bool fits = axis.isMasked
                        ? axis.isNarrow || isPart
                        : isPart && (axis.block == 1 || (source && axis.source == source));
  if (isPositive && (fits || isBounded(terms)))
    return true;
  if (axis.isNonNegative && axis.isMasked && fits && terms.size() == 1)
    return true;
  if (!mayCheck)
    return false;
  // Nothing of the check wraps around in 64 bits.
  constexpr int64_t mostScale = 1 << 20;
  CoordinateCheck check;
  check.fits = fits;
  unsigned products = 0;
  for (const Monomial &term : terms) {
    if (term.factors.size() == 1 && term.factors[0] == loop.getInductionVar()) {
      Value lower = loop.getLowerBound();
      if (term.constant < 0 || term.constant > mostScale ||
          !countsThings(lower, info, block.counts))
        return false;
      check.each += term.constant;
      continue;
    }
    if (term.constant < 0 || llvm::any_of(
                                 term.factors,
                                 [&](Value factor) {
                                   return !loop.isDefinedOutsideOfLoop(factor) ||
                                          !countsThings(factor, info, block.counts);
                                 }))
      return false;
    if (term.constant > mostScale || term.factors.size() > 2 ||
        (term.factors.size() == 2 && (term.constant != 1 || ++products > 1)))
      return false;
    check.first.push_back(term);
  }
  if (check.first.size() > 4)
    return false;
  block.checks.push_back(check);
  return true;
}

/// What TMA takes, as RewriteDescriptors asks for it.
bool Planner::isAligned() {
  const int64_t bytes = memoryBytes(load.getType());
  const BlockAxis &columns = block.axes.back();
  int64_t total = bytes;
  for (const BlockAxis &axis : block.axes) {
    total *= axis.block;
    if (axis.block > mostBlock || axis.stride.constant * bytes >= int64_t(1) << 40)
      return false;
    if (&axis != &columns && divisorOf(axis.stride) * bytes % 16 != 0)
      return false;
  }
  if (columns.block * bytes % 16 != 0 || total > 64 * 1024)
    return false;
  return llvm::all_of(columns.coordinate,
                      [&](const Monomial &term) { return divisorOf(term) * bytes % 16 == 0; });
}

} // namespace

std::optional<PointerBlock> pointerBlockOf(LoadOp load, scf::ForOp loop,
                                           const backend::AxisInfoAnalysis &info, bool mayCheck) {
  return Planner(load, loop, info, mayCheck).make();
}

} // namespace tl::tt
