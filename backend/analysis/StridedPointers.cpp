// SPDX-License-Identifier: MIT
#include "analysis/StridedPointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tl::backend {

namespace {

constexpr size_t mostMonomials = 12;
constexpr unsigned mostDepth = 200;

unsigned rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? unsigned(type.getRank()) : 0;
}

unsigned bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

/// Of a number of which nothing else is known.
Form atom(Value value) {
  Monomial one;
  one.constant = 1;
  one.factors.push_back(value);
  return {one};
}

Form constant(int64_t value) {
  if (value == 0)
    return {};
  Monomial number;
  number.constant = value;
  return {number};
}

bool areAllParameters(const Monomial &monomial) {
  return llvm::all_of(monomial.factors, isIntegerParameter);
}

void markSource(Form &form, unsigned source) {
  for (Monomial &monomial : form) {
    monomial.source = source;
    monomial.narrow = monomial.constant;
  }
}

/// Beyond any address, and far from the ends of int64_t.
bool isLarge(const Monomial &monomial) {
  return monomial.constant > int64_t(1) << 48 || monomial.constant < -(int64_t(1) << 48);
}

bool isTooMuch(const StridedTile &tile) {
  return tile.offset.size() > mostMonomials || llvm::any_of(tile.offset, isLarge) ||
         llvm::any_of(tile.steps, [](const Form &step) {
           return step.size() > mostMonomials || llvm::any_of(step, isLarge);
         });
}

} // namespace

bool Monomial::hasSameFactors(const Monomial &other) const {
  return factors.size() == other.factors.size() &&
         std::is_permutation(factors.begin(), factors.end(), other.factors.begin());
}

bool isIntegerParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  return function && function.isPublic() && argument.getOwner()->isEntryBlock() &&
         isa<IntegerType>(value.getType());
}

Form sumOf(const Form &a, const Form &b, int64_t times) {
  Form sum = a;
  for (Monomial term : b) {
    term.constant *= times;
    term.narrow *= times;
    auto same =
        llvm::find_if(sum, [&](const Monomial &other) { return other.hasSameFactors(term); });
    if (same == sum.end()) {
      sum.push_back(term);
      continue;
    }
    same->constant += term.constant;
    if (same->source == term.source)
      same->narrow += term.narrow;
    else
      same->source = 0;
    if (same->constant == 0)
      sum.erase(same);
  }
  return sum;
}

/// In 64 bits a product is of a number of 32 bits as before if it is one with parameters and
/// constants.
std::optional<Form> StridedPointers::product(const Form &a, const Form &b, bool isNarrow) {
  Form all;
  for (const Monomial &x : a)
    for (const Monomial &y : b) {
      Monomial both;
      if (llvm::MulOverflow(x.constant, y.constant, both.constant))
        return {};
      both.factors = x.factors;
      both.factors.append(y.factors.begin(), y.factors.end());
      const bool xIsKnown = areAllParameters(x), yIsKnown = areAllParameters(y);
      if (!isNarrow && xIsKnown != yIsKnown) {
        both.source = xIsKnown ? y.source : x.source;
        both.narrow = xIsKnown ? y.narrow : x.narrow;
      }
      all = sumOf(all, {both});
    }
  if (all.size() > mostMonomials)
    return {};
  return all;
}

void StridedPointers::startSource(StridedTile &tile) {
  ++sources;
  markSource(tile.offset, sources);
  for (Form &step : tile.steps)
    markSource(step, sources);
}

StridedPointers::Result StridedPointers::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == mostDepth)
    return {};
  ++depth;
  Result result = compute(value);
  --depth;
  if (result && isTooMuch(*result))
    result.reset();
  // A sum of scalars is one number, of which less is to be proven, unless it takes apart into
  // products with parameters, which can be strides, or counts with the loop.
  if (result && !result->base && rankOf(value) == 0 && bitsOf(value) <= 32 &&
      result->offset.size() > 1 && llvm::none_of(result->offset, [&](const Monomial &monomial) {
        return llvm::any_of(monomial.factors, [&](Value factor) {
          return isIntegerParameter(factor) || factor == loop.getInductionVar();
        });
      }))
    result->offset = atom(value);
  known[value] = result;
  return result;
}

StridedPointers::Result StridedPointers::compute(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!isa<tt::PointerType>(element) && !(element.isInteger() && bitsOf(value) >= 8))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
        (rankOf(value) || isa<tt::PointerType>(element)))
      return carried(argument);
    return scalar(value);
  }
  Operation *op = value.getDefiningOp();
  DenseElementsAttr dense;
  if (rankOf(value) && matchPattern(value, m_Constant(&dense)) && dense && dense.isSplat() &&
      element.isInteger())
    return StridedTile{{},
                       constant(dense.getSplatValue<APInt>().getSExtValue()),
                       SmallVector<Form, 2>(rankOf(value))};

  const bool isNarrow = bitsOf(value) <= 32;
  const bool mayWrap = bitsOf(value) < 32; // as larger ones are taken not to
  auto combine = [&](Value left, Value right, int64_t times) -> Result {
    if (mayWrap)
      return scalar(value);
    Result a = of(left), b = of(right);
    if (!a || !b || b->base)
      return {};
    a->offset = sumOf(a->offset, b->offset, times);
    for (auto [step, other] : llvm::zip(a->steps, b->steps))
      step = sumOf(step, other, times);
    return a;
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](tt::MakeRangeOp range) {
        return StridedTile{{}, constant(int32_t(range.getStart())), {constant(1)}};
      })
      .Case([&](tt::SplatOp splat) {
        Result source = of(splat.getSrc());
        if (source)
          source->steps.assign(rankOf(value), {});
        return source;
      })
      .Case([&](tt::ExpandDimsOp expand) {
        Result source = of(expand.getSrc());
        if (source)
          source->steps.insert(source->steps.begin() + expand.getAxis(), Form());
        return source;
      })
      .Case([&](tt::BroadcastOp broadcast) {
        Result source = of(broadcast.getSrc());
        auto type = cast<RankedTensorType>(broadcast.getSrc().getType());
        if (source)
          for (auto [axis, extent] : llvm::enumerate(type.getShape()))
            if (extent == 1)
              source->steps[axis].clear();
        return source;
      })
      .Case([&](tt::HintOp hint) { return of(hint.getSrc()); })
      .Case([&](arith::ExtSIOp wider) {
        Result source = of(wider.getIn());
        if (source && bitsOf(value) > 32 && bitsOf(wider.getIn()) <= 32)
          startSource(*source);
        return source;
      })
      .Case<arith::AddIOp>([&](auto add) { return combine(add.getLhs(), add.getRhs(), 1); })
      .Case<arith::SubIOp>([&](auto sub) { return combine(sub.getLhs(), sub.getRhs(), -1); })
      .Case([&](tt::AddPtrOp add) -> Result {
        Result pointer = of(add.getPtr()), offset = of(add.getOffset());
        if (!pointer || !offset)
          return {};
        if (bitsOf(add.getOffset()) <= 32)
          startSource(*offset);
        pointer->offset = sumOf(pointer->offset, offset->offset);
        for (auto [step, other] : llvm::zip(pointer->steps, offset->steps))
          step = sumOf(step, other);
        return pointer;
      })
      .Case([&](arith::MulIOp multiply) -> Result {
        if (mayWrap)
          return scalar(value);
        Result a = of(multiply.getLhs()), b = of(multiply.getRhs());
        if (!a || !b || (!a->isUniform() && !b->isUniform()))
          return {};
        if (!b->isUniform())
          std::swap(a, b);
        auto offset = product(a->offset, b->offset, isNarrow);
        if (!offset)
          return {};
        for (Form &step : a->steps) {
          auto scaled = product(step, b->offset, isNarrow);
          if (!scaled)
            return {};
          step = *scaled;
        }
        a->offset = *offset;
        return a;
      })
      .Default([&](Operation *) { return scalar(value); });
}

/// A scalar that is not understood any further, a constant, or a parameter.
StridedPointers::Result StridedPointers::scalar(Value value) {
  if (rankOf(value))
    return {};
  if (isa<tt::PointerType>(value.getType())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !argument.getOwner()->isEntryBlock() ||
        !isa<tt::FuncOp>(argument.getOwner()->getParentOp()))
      return {};
    return StridedTile{value, {}, {}};
  }
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return StridedTile{{}, constant(number.getSExtValue()), {}};
  return StridedTile{{}, atom(value), {}};
}

/// first + (iv - lower) / step * amount, where the amount is a multiple of the loop's step.
StridedPointers::Result StridedPointers::carried(BlockArgument argument) {
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Result tile = of(loop.getInitArgs()[index]);
  Result lower = of(loop.getLowerBound());
  APInt step;
  if (!tile || !lower || !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive() || !loop.getInductionVar().getType().isInteger(32))
    return {};
  Form amount;
  for (Value next = loop.getYieldedValues()[index]; next != argument;) {
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isa<tt::AddPtrOp, arith::AddIOp>(op))
      return {};
    Result by = of(op->getOperand(1));
    if (!by || by->base || !by->isUniform())
      return {};
    amount = sumOf(amount, by->offset);
    next = op->getOperand(0);
  }
  Form iteration = sumOf(atom(loop.getInductionVar()), lower->offset, -1);
  for (Monomial each : amount) {
    if (each.constant % step.getSExtValue() != 0 || llvm::any_of(each.factors, [&](Value factor) {
          return !loop.isDefinedOutsideOfLoop(factor);
        }))
      return {};
    each.constant /= step.getSExtValue();
    each.source = 0;
    auto moved = product(iteration, {each}, true);
    if (!moved)
      return {};
    tile->offset = sumOf(tile->offset, *moved);
  }
  return tile;
}

} // namespace tl::backend
