// SPDX-License-Identifier: MIT
//
// A sparse forward data-flow analysis: one transfer function an operation, and a join where control
// flow meets. Operations that are not listed give unknown results, which is always right.
#include "analysis/AxisInfo.h"

#include "dialect/Dialect.h"
#include "dialect/GpuTarget.h"
#include "dialect/Hints.h"
#include "support/Error.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tl::backend {

namespace {

/// Larger powers of two are of no use and could overflow.
constexpr int64_t maxPower = int64_t(1) << 40;

llvm::SmallVector<int64_t, 4> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return llvm::SmallVector<int64_t, 4>(tensor.getShape());
  return {1};
}

/// The largest power of two that divides the value.
int64_t powerIn(int64_t value) {
  return value == 0 ? maxPower : std::min(maxPower, value & -value);
}

int64_t times(int64_t a, int64_t b) { return a >= maxPower / b ? maxPower : a * b; }

/// The power of two that divides every element, not only those that start a run.
int64_t dividesAll(const AxisInfo &info, unsigned axis) {
  return info.contiguity[axis] > 1 ? 1 : info.divisibility[axis];
}

/// Bytes of what a pointer points to; 1 for integers.
int64_t bytesPerStep(Type type) {
  Type pointee = tt::getPointeeType(type);
  return pointee ? tt::memoryBytes(pointee) : 1;
}

/// Sums and products of constants wrap around, as those of the kernel do.
int64_t wrappedSum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
int64_t wrappedDifference(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
int64_t wrappedProduct(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

/// a + step * b, for the sum of integers and of pointers and offsets; -1 for differences.
AxisInfo sum(const AxisInfo &a, const AxisInfo &b, int64_t step, bool subtract) {
  AxisInfo info;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    int64_t left = std::min(a.contiguity[axis], b.constancy[axis]);
    int64_t right = subtract ? 1 : std::min(a.constancy[axis], b.contiguity[axis]);
    int64_t run = std::max(left, right);
    // Where runs become shorter, their first elements lie inside of the old ones.
    auto starts = [&](const AxisInfo &from, int64_t unit) {
      int64_t inside = from.contiguity[axis] > run ? times(run, unit) : maxPower;
      return std::min(from.divisibility[axis], inside);
    };
    info.contiguity.push_back(run);
    info.constancy.push_back(std::min(a.constancy[axis], b.constancy[axis]));
    info.divisibility.push_back(std::min(starts(a, step), times(starts(b, 1), step)));
  }
  if (a.constant && b.constant && step == 1)
    info.constant = subtract ? wrappedDifference(*a.constant, *b.constant)
                             : wrappedSum(*a.constant, *b.constant);
  info.nonNegative = !subtract && a.nonNegative && b.nonNegative;
  return info;
}

AxisInfo product(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    int64_t run = b.constant == 1 ? a.contiguity[axis] : a.constant == 1 ? b.contiguity[axis] : 1;
    info.contiguity.push_back(run);
    info.constancy.push_back(std::min(a.constancy[axis], b.constancy[axis]));
    info.divisibility.push_back(run > 1 ? (b.constant == 1 ? a : b).divisibility[axis]
                                        : times(dividesAll(a, axis), dividesAll(b, axis)));
  }
  if (a.constant && b.constant)
    info.constant = wrappedProduct(*a.constant, *b.constant);
  // Numbers of programs times extents of blocks stay below 2^31, or the author widens them first.
  // What is multiplied by more than any extent may wrap around.
  constexpr int64_t mostElements = int64_t(1) << 20;
  const auto isLarge = [](const AxisInfo &of) {
    return of.constant && *of.constant > mostElements;
  };
  info.nonNegative = a.nonNegative && b.nonNegative &&
                     (info.constant ? *info.constant >= 0 : !isLarge(a) && !isLarge(b));
  return info;
}

/// How a quotient is rounded: signed division towards zero, shifts down. Unsigned division, of
/// numbers that are all large or none of a run, is like shifts.
enum class Rounding { TowardsZero, Down };

AxisInfo quotient(const AxisInfo &a, const AxisInfo &b, Rounding rounding, bool isSigned) {
  AxisInfo info;
  bool evenCuts = rounding == Rounding::Down || a.nonNegative;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    int64_t constancy = std::min(a.constancy[axis], b.constancy[axis]);
    int64_t contiguity = b.constant == 1 ? a.contiguity[axis] : 1;
    int64_t divisibility = b.constant == 1 ? a.divisibility[axis] : 1;
    // A run is cut only where it passes a multiple of the divisor, which one number divides as it
    // does the run's start.
    if (evenCuts && b.constancy[axis] >= a.contiguity[axis])
      constancy = std::max(
          constancy, std::min({a.contiguity[axis], a.divisibility[axis], dividesAll(b, axis)}));
    if (a.contiguity[axis] == 1 && b.constant && *b.constant > 1 &&
        powerIn(*b.constant) == *b.constant)
      divisibility = std::max<int64_t>(1, a.divisibility[axis] / *b.constant);
    info.contiguity.push_back(contiguity);
    info.constancy.push_back(constancy);
    info.divisibility.push_back(divisibility);
  }
  bool bothPositive = a.nonNegative && b.nonNegative;
  if (a.constant && b.constant && *b.constant > 0 && (bothPositive || isSigned)) {
    int64_t down = *a.constant % *b.constant < 0 && rounding == Rounding::Down ? 1 : 0;
    info.constant = *a.constant / *b.constant - down;
  }
  info.nonNegative = bothPositive;
  return info;
}

AxisInfo remainder(const AxisInfo &a, const AxisInfo &b, bool isSigned, bool isContiguous) {
  AxisInfo info;
  bool evenCuts = !isSigned || isContiguous || a.nonNegative;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    // A run is cut only where it passes a multiple of the divisor.
    int64_t run = 1;
    int64_t divisor = b.divisibility[axis];
    if (evenCuts && b.constancy[axis] >= a.contiguity[axis] && b.contiguity[axis] == 1)
      run = std::min({a.contiguity[axis], a.divisibility[axis], divisor});
    info.contiguity.push_back(run);
    info.constancy.push_back(std::min(a.constancy[axis], b.constancy[axis]));
    int64_t starts =
        a.contiguity[axis] > run ? std::min(a.divisibility[axis], run) : a.divisibility[axis];
    info.divisibility.push_back(
        std::min(starts, b.contiguity[axis] == 1 ? divisor : dividesAll(b, axis)));
  }
  bool bothPositive = a.nonNegative && b.nonNegative;
  if (a.constant && b.constant && *b.constant > 0 && (bothPositive || isSigned))
    info.constant = *a.constant % *b.constant;
  info.nonNegative = isSigned ? a.nonNegative : bothPositive;
  return info;
}

/// Elementwise operations of which only equal inputs give equal outputs.
AxisInfo constancyOnly(ArrayRef<const AxisInfo *> operands, Type type) {
  AxisInfo info = AxisInfo::unknown(type);
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    info.constancy[axis] = shapeOf(type)[axis];
    for (const AxisInfo *operand : operands)
      info.constancy[axis] = std::min(info.constancy[axis], operand->constancy[axis]);
  }
  return info;
}

AxisInfo comparison(arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = constancyOnly({&a, &b}, op.getType());
  // x < bound cuts a run of x at the bound: a multiple of what divides both.
  auto ordered = op.getPredicate() != arith::CmpIPredicate::eq &&
                 op.getPredicate() != arith::CmpIPredicate::ne;
  // x <= bound and bound < x cut it one later.
  auto cut = [&](const AxisInfo &run, const AxisInfo &bound, bool later, unsigned axis) {
    if (bound.constancy[axis] < run.contiguity[axis] || bound.contiguity[axis] > 1)
      return int64_t(1);
    if (later) {
      if (!bound.constant)
        return int64_t(1);
      return std::min({run.contiguity[axis], run.divisibility[axis], powerIn(*bound.constant + 1)});
    }
    return std::min({run.contiguity[axis], run.divisibility[axis], bound.divisibility[axis]});
  };
  using P = arith::CmpIPredicate;
  P p = op.getPredicate();
  bool lessEqual = p == P::sle || p == P::ule, greater = p == P::sgt || p == P::ugt;
  bool less = p == P::slt || p == P::ult, greaterEqual = p == P::sge || p == P::uge;
  if (ordered)
    for (unsigned axis = 0; axis < info.rank(); ++axis) {
      int64_t left = cut(a, b, lessEqual || greater, axis);
      int64_t right = cut(b, a, less || greaterEqual, axis);
      info.constancy[axis] = std::max({info.constancy[axis], left, right});
    }
  return info;
}

/// From the attributes that a kernel's author or the launcher gives: one number, or one an axis.
void applyHint(AxisInfo &info, Attribute attribute,
               llvm::SmallVector<int64_t, 4> AxisInfo::*field) {
  auto values = tt::hintNumbers(attribute);
  for (unsigned axis = 0; axis < info.rank() && !values.empty(); ++axis)
    if (int64_t value = values[std::min<size_t>(axis, values.size() - 1)]; value > 0)
      (info.*field)[axis] = std::max((info.*field)[axis], powerIn(value));
}

template <class Get> void applyHints(AxisInfo &info, Get get) {
  applyHint(info, get(tt::contiguityName), &AxisInfo::contiguity);
  applyHint(info, get(tt::divisibilityName), &AxisInfo::divisibility);
  applyHint(info, get(tt::constancyName), &AxisInfo::constancy);
}

AxisInfo ofDense(DenseIntElementsAttr dense, RankedTensorType type) {
  if (dense.isSplat())
    return AxisInfo::ofConstant(dense.getSplatValue<APInt>().getSExtValue(), type);
  AxisInfo info = AxisInfo::unknown(type);
  if (type.getRank() != 1)
    return info;
  llvm::SmallVector<int64_t> values;
  for (APInt value : dense.getValues<APInt>())
    values.push_back(value.getSExtValue());
  auto runs = [&](int64_t step) {
    for (int64_t length = int64_t(values.size()); length > 1; length /= 2) {
      bool holds = true;
      for (size_t i = 1; i < values.size() && holds; ++i)
        holds = int64_t(i) % length == 0 || values[i] == values[i - 1] + step;
      if (holds)
        return length;
    }
    return int64_t(1);
  };
  info.contiguity[0] = runs(1);
  info.constancy[0] = runs(0);
  info.divisibility[0] = maxPower;
  for (size_t i = 0; i < values.size(); i += size_t(info.contiguity[0]))
    info.divisibility[0] = std::min(info.divisibility[0], powerIn(values[i]));
  info.nonNegative = llvm::all_of(values, [](int64_t value) { return value >= 0; });
  return info;
}

AxisInfo transfer(Operation *op, ArrayRef<const AxisInfo *> in) {
  Type type = op->getResult(0).getType();
  auto shape = shapeOf(type);
  auto bothNonNegative = [&](auto) {
    AxisInfo info = constancyOnly(in, type);
    info.nonNegative = in[0]->nonNegative && in[1]->nonNegative;
    return info;
  };
  // One of the two numbers: what divides both divides it.
  auto oneOfBoth = [&](auto) {
    AxisInfo info = bothNonNegative(op);
    for (unsigned axis = 0; axis < info.rank(); ++axis)
      info.divisibility[axis] = std::min(dividesAll(*in[0], axis), dividesAll(*in[1], axis));
    return info;
  };
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) {
        if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
          return AxisInfo::ofConstant(integer.getValue().getSExtValue(), type);
        if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
          return ofDense(dense, cast<RankedTensorType>(type));
        return AxisInfo::unknown(type);
      })
      .Case([&](tt::MakeRangeOp range) {
        AxisInfo info = AxisInfo::unknown(type);
        info.contiguity[0] = shape[0];
        info.divisibility[0] = powerIn(range.getStart());
        info.nonNegative = int32_t(range.getStart()) >= 0;
        return info;
      })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(type);
        info.nonNegative = true;
        return info;
      })
      .Case([&](tt::SplatOp) {
        AxisInfo info = AxisInfo::unknown(type);
        info.divisibility.assign(shape.size(), in[0]->divisibility[0]);
        info.constancy = shape;
        info.constant = in[0]->constant;
        info.nonNegative = in[0]->nonNegative;
        return info;
      })
      .Case<tt::HintOp, ttg::ConvertLayoutOp>([&](auto) { return *in[0]; })
      .Case<arith::AddIOp>([&](auto) { return sum(*in[0], *in[1], 1, false); })
      .Case<arith::SubIOp>([&](auto) { return sum(*in[0], *in[1], 1, true); })
      .Case<tt::AddPtrOp>([&](auto) { return sum(*in[0], *in[1], bytesPerStep(type), false); })
      .Case<arith::MulIOp>([&](auto) { return product(*in[0], *in[1]); })
      .Case<arith::DivSIOp>(
          [&](auto) { return quotient(*in[0], *in[1], Rounding::TowardsZero, true); })
      .Case<arith::DivUIOp>([&](auto) { return quotient(*in[0], *in[1], Rounding::Down, false); })
      .Case<arith::RemSIOp>([&](arith::RemSIOp op) {
        return remainder(*in[0], *in[1], true, op->hasAttr(ttg::contiguousName));
      })
      .Case<arith::RemUIOp>([&](auto) { return remainder(*in[0], *in[1], false, true); })
      .Case<arith::ShLIOp>([&](auto) {
        if (!in[1]->constant || *in[1]->constant < 0 || *in[1]->constant > 39)
          return constancyOnly(in, type);
        return product(*in[0], AxisInfo::ofConstant(int64_t(1) << *in[1]->constant, type));
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
        if (!in[1]->constant || *in[1]->constant < 0 || *in[1]->constant > 39)
          return constancyOnly(in, type);
        return quotient(*in[0], AxisInfo::ofConstant(int64_t(1) << *in[1]->constant, type),
                        Rounding::Down, isa<arith::ShRSIOp>(op));
      })
      .Case([&](arith::ExtUIOp extend) {
        AxisInfo info = *in[0];
        if (info.nonNegative)
          return info;
        // A run that counts from below zero to above is cut at zero.
        for (unsigned axis = 0; axis < info.rank(); ++axis)
          info.contiguity[axis] = std::min(info.contiguity[axis], info.divisibility[axis]);
        unsigned width = getElementTypeOrSelf(extend.getIn().getType()).getIntOrFloatBitWidth();
        if (info.constant && width < 64)
          info.constant = int64_t(uint64_t(*info.constant) & ((uint64_t(1) << width) - 1));
        info.nonNegative = true;
        return info;
      })
      .Case<arith::AndIOp>([&](auto) {
        AxisInfo info = constancyOnly(in, type);
        info.nonNegative = in[0]->nonNegative || in[1]->nonNegative;
        return info;
      })
      .Case<arith::MinSIOp>(oneOfBoth)
      .Case<arith::MaxSIOp>(oneOfBoth)
      .Case<arith::MinUIOp>(oneOfBoth)
      .Case<arith::MaxUIOp>(oneOfBoth)
      .Case<arith::OrIOp>(bothNonNegative)
      .Case<arith::XOrIOp>(bothNonNegative)
      // These see several elements at once: equal ones need not become equal.
      .Case<tt::ElementwiseInlineAsmOp, tt::MapElementwiseOp>(
          [&](auto) { return AxisInfo::unknown(type); })
      // A list, since no trait tells the casts that keep the number from those that round it.
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp, tt::BitcastOp, tt::IntToPtrOp,
            tt::PtrToIntOp>([&](auto) {
        // A pointer's run counts in elements, an integer's in ones. What divides each number, and
        // not only the first of a run, divides the address, which counts in bytes either way.
        if (bytesPerStep(type) != bytesPerStep(op->getOperand(0).getType())) {
          AxisInfo info = constancyOnly(in, type);
          for (unsigned axis = 0; axis < info.rank(); ++axis)
            info.divisibility[axis] = dividesAll(*in[0], axis);
          return info;
        }
        AxisInfo info = *in[0];
        if (isa<arith::TruncIOp>(op)) {
          // What is cut off makes numbers repeat.
          unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
          for (int64_t &run : info.contiguity)
            run = std::min(run, int64_t(1) << std::min(width - 1, 40u));
          info.nonNegative = false;
        }
        return info;
      })
      .Case<arith::CmpIOp>(
          [&](arith::CmpIOp compare) { return comparison(compare, *in[0], *in[1]); })
      .Case([&](arith::SelectOp select) {
        // Either side's runs hold where the condition does not change within them.
        AxisInfo info;
        bool scalarCondition = !isa<RankedTensorType>(select.getCondition().getType());
        for (unsigned axis = 0; axis < shape.size(); ++axis) {
          int64_t same = scalarCondition ? shape[axis] : in[0]->constancy[axis];
          int64_t run = std::min({in[1]->contiguity[axis], in[2]->contiguity[axis], same});
          auto starts = [&](const AxisInfo &from) {
            return from.contiguity[axis] > run ? std::min(from.divisibility[axis], run)
                                               : from.divisibility[axis];
          };
          info.contiguity.push_back(run);
          info.divisibility.push_back(std::min(starts(*in[1]), starts(*in[2])));
          info.constancy.push_back(
              std::min({in[1]->constancy[axis], in[2]->constancy[axis], same}));
        }
        info.nonNegative = in[1]->nonNegative && in[2]->nonNegative;
        return info;
      })
      .Case([&](tt::ExpandDimsOp expand) {
        AxisInfo info = *in[0];
        unsigned axis = unsigned(expand.getAxis());
        int64_t all = maxPower;
        for (unsigned other = 0; other < info.rank(); ++other)
          all = std::min(all, dividesAll(*in[0], other));
        info.contiguity.insert(info.contiguity.begin() + axis, 1);
        info.constancy.insert(info.constancy.begin() + axis, 1);
        info.divisibility.insert(info.divisibility.begin() + axis, all);
        return info;
      })
      .Case([&](tt::BroadcastOp broadcast) {
        AxisInfo info = *in[0];
        auto from = broadcast.getSrc().getType().getShape();
        for (unsigned axis = 0; axis < info.rank(); ++axis)
          if (from[axis] != shape[axis])
            info.constancy[axis] = shape[axis];
        return info;
      })
      .Case([&](tt::TransOp trans) {
        AxisInfo info = *in[0];
        for (auto [to, from] : llvm::enumerate(trans.getOrder())) {
          info.contiguity[to] = in[0]->contiguity[from];
          info.divisibility[to] = in[0]->divisibility[from];
          info.constancy[to] = in[0]->constancy[from];
        }
        return info;
      })
      .Default([&](Operation *) {
        bool elementwise =
            op->hasTrait<OpTrait::Elementwise>() &&
            llvm::all_of(in, [&](const AxisInfo *info) { return info->rank() == shape.size(); });
        return elementwise && isPure(op) ? constancyOnly(in, type) : AxisInfo::unknown(type);
      });
}

/// A constant as the type holds it. (Runs that wrap around are the author's affair, constants are
/// not: hashes are made of them.)
void wrapConstant(AxisInfo &info, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!info.constant || !element.isInteger())
    return;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width < 64)
    info.constant = llvm::SignExtend64(uint64_t(*info.constant), width);
  info.nonNegative = *info.constant >= 0;
}

using AxisLattice = dataflow::Lattice<AxisInfo>;

class AxisFlow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    llvm::SmallVector<const AxisInfo *> in;
    for (const AxisLattice *operand : operands) {
      if (operand->getValue().isUninitialized())
        return success(); // it will be visited again
      in.push_back(&operand->getValue());
    }
    for (auto [index, result] : llvm::enumerate(results)) {
      Type type = op->getResult(unsigned(index)).getType();
      AxisInfo info =
          op->getNumResults() == 1 && isTracked(type) ? transfer(op, in) : AxisInfo::unknown(type);
      wrapConstant(info, type);
      applyHints(info, [&](StringRef name) { return op->getAttr(name); });
      propagateIfChanged(result, result->join(info));
    }
    return success();
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    unsigned end = firstIndex + unsigned(successor.getSuccessorInputs().size());
    for (auto [index, lattice] : llvm::enumerate(arguments)) {
      if (index >= firstIndex && index < end)
        continue; // passed by control flow
      Value argument = lattice->getAnchor();
      AxisInfo info = AxisInfo::unknown(argument.getType());
      // The counter of a loop starts at the lower bound and goes on in steps.
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && argument == loop.getInductionVar()) {
        auto known = [&](Value value) {
          return getLatticeElementFor(getProgramPointBefore(loop.getBody()), value)->getValue();
        };
        AxisInfo lower = known(loop.getLowerBound()), step = known(loop.getStep());
        if (lower.isUninitialized() || step.isUninitialized())
          continue;
        info.divisibility[0] = std::min(lower.divisibility[0], step.divisibility[0]);
        info.nonNegative = lower.nonNegative && step.nonNegative;
      }
      propagateIfChanged(lattice, lattice->join(info));
    }
  }

  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = AxisInfo::unknown(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()))
        applyHints(info, [&](StringRef name) {
          return function.getArgAttr(argument.getArgNumber(), name);
        });
    propagateIfChanged(lattice, lattice->join(info));
  }

private:
  static bool isTracked(Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrIndex() || isa<tt::PointerType>(element);
  }
};

} // namespace

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  size_t rank = shapeOf(type).size();
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

AxisInfo AxisInfo::ofConstant(int64_t value, Type type) {
  AxisInfo info = unknown(type);
  info.divisibility.assign(info.rank(), powerIn(value));
  info.constancy = shapeOf(type);
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

std::vector<unsigned> AxisInfo::mostContiguousFirst() const {
  std::vector<unsigned> order(rank());
  std::iota(order.begin(), order.end(), 0u);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(contiguity[a], a) > std::pair(contiguity[b], b);
  });
  return order;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && constant == other.constant &&
         nonNegative == other.nonNegative;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (a.isUninitialized())
    return b;
  if (b.isUninitialized())
    return a;
  AxisInfo info;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    int64_t run = std::min(a.contiguity[axis], b.contiguity[axis]);
    auto starts = [&](const AxisInfo &from) {
      return from.contiguity[axis] > run ? std::min(from.divisibility[axis], run)
                                         : from.divisibility[axis];
    };
    info.contiguity.push_back(run);
    info.divisibility.push_back(std::min(starts(a), starts(b)));
    info.constancy.push_back(std::min(a.constancy[axis], b.constancy[axis]));
  }
  if (a.constant == b.constant)
    info.constant = a.constant;
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

void AxisInfo::print(llvm::raw_ostream &os) const {
  auto list = [&](const char *name, ArrayRef<int64_t> values) {
    os << name << " = [";
    llvm::interleaveComma(values, os);
    os << "]";
  };
  list("contiguity", contiguity);
  list(", divisibility", divisibility);
  list(", constancy", constancy);
  if (constant)
    os << ", constant = " << *constant;
}

struct AxisInfoAnalysis::Solver {
  DataFlowSolver flow;
};

AxisInfoAnalysis::AxisInfoAnalysis(ModuleOp module) : solver(std::make_unique<Solver>()) {
  solver->flow.load<dataflow::DeadCodeAnalysis>();
  solver->flow.load<dataflow::SparseConstantPropagation>();
  solver->flow.load<AxisFlow>();
  if (failed(solver->flow.initializeAndRun(module)))
    raise(TL_INTERNAL_ERROR, "the axis analysis failed");
}

AxisInfoAnalysis::~AxisInfoAnalysis() = default;

AxisInfo AxisInfoAnalysis::of(Value value) const {
  const AxisLattice *lattice = solver->flow.lookupState<AxisLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}

int64_t AxisInfoAnalysis::vectorWidth(Value pointer, Value mask, unsigned axis,
                                      unsigned maxBytes) const {
  AxisInfo info = of(pointer);
  int64_t bytes = bytesPerStep(pointer.getType());
  int64_t width =
      std::min({info.contiguity[axis], std::max<int64_t>(1, info.divisibility[axis] / bytes),
                std::max<int64_t>(1, int64_t(maxBytes) / bytes)});
  if (mask)
    width = std::min(width, of(mask).constancy[axis]);
  return std::max<int64_t>(1, width);
}

int64_t AxisInfoAnalysis::widthOutsideCuts(Value pointer, Value mask, unsigned axis,
                                           unsigned maxBytes) const {
  const int64_t least = vectorWidth(pointer, mask, axis, maxBytes);
  int64_t width = vectorWidth(pointer, Value(), axis, maxBytes);
  while (width > least && !changesOnce(mask, axis, width))
    width /= 2;
  return width;
}

bool AxisInfoAnalysis::changesOnce(Value mask, unsigned axis, int64_t width) const {
  auto isEqual = [&](Value value) { return of(value).constancy[axis] >= width; };
  if (isEqual(mask))
    return true;
  Operation *op = mask.getDefiningOp();
  if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op))
    return axis != expand.getAxis() &&
           changesOnce(expand.getSrc(), axis - (axis > expand.getAxis()), width);
  if (isa_and_nonnull<tt::BroadcastOp, ttg::ConvertLayoutOp>(op))
    return changesOnce(op->getOperand(0), axis, width);
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
    return (isEqual(both.getLhs()) && changesOnce(both.getRhs(), axis, width)) ||
           (isEqual(both.getRhs()) && changesOnce(both.getLhs(), axis, width));
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() == arith::CmpIPredicate::eq ||
      compare.getPredicate() == arith::CmpIPredicate::ne)
    return false;
  const bool isUnsigned = llvm::is_contained({arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
                                              arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge},
                                             compare.getPredicate());
  auto isRising = [&](Value value) { // which numbers that begin below zero are not without a sign
    const AxisInfo info = of(value);
    return info.contiguity[axis] >= width && (!isUnsigned || info.nonNegative);
  };
  return (isRising(compare.getLhs()) && isEqual(compare.getRhs())) ||
         (isEqual(compare.getLhs()) && isRising(compare.getRhs()));
}

} // namespace tl::backend
