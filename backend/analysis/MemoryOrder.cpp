// SPDX-License-Identifier: MIT
#include "analysis/MemoryOrder.h"

#include "dialect/Hints.h"
#include "dialect/Traits.h"
#include "dialect/Transfers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend {

namespace {

using Property = llvm::function_ref<bool(Operation *)>;

/// Of an operation, which counts itself, or of a region.
template <class Container> bool anyWithin(Container *container, Property property) {
  return container
      ->walk([&](Operation *inner) {
        return property(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// `neighbour` gives the next operation in one direction.
bool anyBeside(Operation *op, Property property,
               llvm::function_ref<Operation *(Operation *)> neighbour) {
  for (; !isa<tt::FuncOp>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) && anyWithin(op, property))
      return true;
    // In a graph of blocks there is no telling.
    if (!op->getParentRegion()->hasOneBlock() && anyWithin(op->getParentRegion(), property))
      return true;
    for (Operation *other = neighbour(op); other; other = neighbour(other))
      if (anyWithin(other, property))
        return true;
  }
  return false;
}

} // namespace

bool accessesMemory(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return !effects.hasNoEffect();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

bool writesMemory(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Write>();
  return accessesMemory(op);
}

bool anyBefore(Operation *op, Property property) {
  return anyBeside(op, property, [](Operation *other) { return other->getPrevNode(); });
}

bool anyAfter(Operation *op, Property property) {
  return anyBeside(op, property, [](Operation *other) { return other->getNextNode(); });
}

SmallVector<Value> basesOf(Value pointer) {
  SmallVector<Value> bases, open = {pointer};
  DenseSet<Value> seen;
  // A loop may start with pointers into one buffer and go on with those into another.
  auto carried = [&](scf::ForOp loop, unsigned number) {
    open.push_back(loop.getInitArgs()[number]);
    open.push_back(loop.getYieldedValues()[number]);
  };
  auto beforeTest = [&](scf::WhileOp loop, unsigned number) {
    open.push_back(loop.getInits()[number]);
    open.push_back(loop.getYieldOp().getOperand(number));
  };
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        carried(loop, argument.getArgNumber() - loop.getNumInductionVars());
      } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        if (argument.getOwner() == loop.getBeforeBody())
          beforeTest(loop, argument.getArgNumber());
        else
          open.push_back(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
      } else {
        if (!isa<tt::FuncOp>(parent) || !argument.getOwner()->isEntryBlock())
          return {};
        bases.push_back(value);
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    const unsigned number = cast<OpResult>(value).getResultNumber();
    if (op->hasTrait<tt::StaysInBuffer>()) {
      open.push_back(op->getOperand(0));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      carried(loop, number);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      open.push_back(loop.getConditionOp().getArgs()[number]);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      open.push_back(branch.thenYield().getOperand(number));
      open.push_back(branch.elseYield().getOperand(number));
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      open.push_back(select.getTrueValue());
      open.push_back(select.getFalseValue());
    } else {
      return {};
    }
  }
  return bases;
}

Value baseOf(Value pointer) {
  SmallVector<Value> bases = basesOf(pointer);
  return bases.size() == 1 ? bases[0] : Value();
}

namespace {

/// Adds up what a value is the sum of.
class Summands {
public:
  /// Every element is added `factor` times; false if it cannot be said what it is.
  bool add(Value value, int64_t factor) {
    if (++steps > 100) // what is added to itself again and again
      return false;
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSignificantBits() <= 64 && move(number.getSExtValue(), 1, factor);
    Operation *op = value.getDefiningOp();
    if (isNarrow(value))
      op = nullptr; // it would wrap around within a span
    if (auto range = dyn_cast_or_null<tt::MakeRangeOp>(op))
      return move(int32_t(range.getStart()), cast<ShapedType>(value.getType()).getNumElements(),
                  factor);
    if (isa_and_present<arith::AddIOp>(op))
      return add(op->getOperand(0), factor) && add(op->getOperand(1), factor);
    if (isa_and_present<tt::AddPtrOp>(op))
      return add(op->getOperand(0), factor) &&
             add(op->getOperand(1), tt::memoryBytes(tt::getPointeeType(value.getType())));
    if (isa_and_present<arith::MulIOp>(op))
      for (unsigned side : {0u, 1u})
        if (matchPattern(op->getOperand(side), m_ConstantInt(&number)) &&
            number.getSignificantBits() <= 64) {
          int64_t product = 0;
          return !llvm::MulOverflow(factor, number.getSExtValue(), product) &&
                 add(op->getOperand(1 - side), product);
        }
    // Elements elsewhere, or of more bits, are the numbers that they were; but those of few bits
    // may have become negative, or not.
    if (op && op->getNumOperands() == 1 &&
        (op->hasTrait<tt::StaysInBuffer>() ||
         (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && !isNarrow(op->getOperand(0)))))
      return add(op->getOperand(0), factor);
    if (isa<RankedTensorType>(value.getType()))
      return false;
    span.origin.push_back({value, factor});
    return true;
  }

  Span sum() {
    // Which of two is the first matters to nobody, as long as it is always the same.
    llvm::sort(span.origin, [](const auto &a, const auto &b) {
      return std::pair(a.first.getAsOpaquePointer(), a.second) <
             std::pair(b.first.getAsOpaquePointer(), b.second);
    });
    return span;
  }

private:
  static bool isNarrow(Value value) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
    return type && type.getWidth() < 32;
  }

  /// Numbers from `first` on, `count` of them, each `factor` times.
  bool move(int64_t first, int64_t count, int64_t factor) {
    int64_t a = 0, b = 0;
    return !llvm::MulOverflow(first, factor, a) &&
           !llvm::MulOverflow(first + count - 1, factor, b) &&
           !llvm::AddOverflow(span.begin, std::min(a, b), span.begin) &&
           !llvm::AddOverflow(span.end, std::max(a, b), span.end);
  }

  Span span; // with its last number
  unsigned steps = 0;
};

} // namespace

std::optional<Span> spanOf(Value pointer) {
  Summands summands;
  if (!summands.add(pointer, 1))
    return std::nullopt;
  Span span = summands.sum();
  const int64_t bytes = tt::memoryBytes(tt::getPointeeType(pointer.getType()));
  constexpr int64_t furthest = int64_t(1) << 30;
  if (span.begin < -furthest || span.end > furthest)
    return std::nullopt;
  span.end += bytes;
  return span;
}

/// The parameter that a pointer is computed from; null if it may be another.
static BlockArgument parameterOf(Value pointer) {
  auto base = dyn_cast_or_null<BlockArgument>(baseOf(pointer));
  return base && isa<tt::FuncOp>(base.getOwner()->getParentOp()) ? base : BlockArgument();
}

Value ownParameterOf(Value pointer) {
  BlockArgument parameter = parameterOf(pointer);
  auto function = parameter ? cast<tt::FuncOp>(parameter.getOwner()->getParentOp()) : tt::FuncOp();
  return function && !function.getArgAttr(parameter.getArgNumber(), tt::mayAliasName)
             ? Value(parameter)
             : Value();
}

bool mayTouch(Operation *op, Value parameter) {
  assert(!parameter || ownParameterOf(parameter) == parameter);
  if (op->hasTrait<tt::TouchesNoBuffer>())
    return false;
  Value pointer, desc;
  if (auto access = dyn_cast<tt::AccessOpInterface>(op))
    pointer = access.getPtr();
  else if (auto copy = dyn_cast<ttg::AsyncCopyOp>(op))
    pointer = copy.getSrc();
  else if (auto described = dyn_cast<tt::DescriptorAccessOpInterface>(op))
    desc = described.getDesc();
  else if (auto copy = dyn_cast<ttg::AsyncDescriptorLoadOp>(op))
    desc = copy.getDesc();
  if (auto made = desc ? desc.getDefiningOp<tt::MakeTensorDescOp>() : tt::MakeTensorDescOp())
    pointer = made.getBase();
  // Whatever other parameter it leads from, that leads elsewhere.
  BlockArgument other = pointer ? parameterOf(pointer) : BlockArgument();
  return !other || !parameter || other == parameter;
}

bool mayWrite(Operation *op, Value parameter) {
  // What the ttg dialect writes is shared memory.
  return !isa<ttg::TTGDialect>(op->getDialect()) && writesMemory(op) && mayTouch(op, parameter);
}

bool acquires(tt::AtomicOpInterface atomic) {
  return atomic.getSem() == tt::MemSemantic::ACQUIRE ||
         atomic.getSem() == tt::MemSemantic::ACQUIRE_RELEASE;
}

bool releases(tt::AtomicOpInterface atomic) {
  return atomic.getSem() == tt::MemSemantic::RELEASE ||
         atomic.getSem() == tt::MemSemantic::ACQUIRE_RELEASE;
}

bool mayBePassedBy(Operation *op, Value parameter) {
  if (isa<ttg::TTGDialect>(op->getDialect()) || !writesMemory(op))
    return true;
  // Only what an author asserts may be what a load relies on.
  if (op->hasTrait<tt::TouchesNoBuffer>())
    return !isa<tt::AssertOp>(op) || op->hasAttr(tt::alwaysCheckedName);
  // Whoever reads what an atomic operation has found may go on for it. What it releases was done
  // before it, which later reads were not.
  auto atomic = dyn_cast<tt::AtomicOpInterface>(op);
  return (atomic ? !acquires(atomic) && op->use_empty()
                 : isa<tt::AccessOpInterface, tt::DescriptorAccessOpInterface>(op)) &&
         !mayWrite(op, parameter);
}

namespace {

/// By how much the elements of an integer or pointer tensor grow along each axis, where that is one
/// number for the whole axis and known: `range(0, 4) * 8` grows by 8.
std::optional<SmallVector<int64_t>> strides(Value value, const AxisInfoAnalysis &axes);

std::optional<SmallVector<int64_t>> stridesBeforeWrapping(Value value,
                                                          const AxisInfoAnalysis &axes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type)
    return std::nullopt;
  SmallVector<int64_t> none(size_t(type.getRank()), 0);
  AxisInfo info = axes.of(value);
  // Equal everywhere, or the axis analysis knows all of it.
  bool known = true;
  SmallVector<int64_t> found = none;
  for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
    bool counts = info.contiguity[axis] >= extent;
    known &= counts || info.constancy[axis] >= extent;
    found[axis] = counts && extent > 1;
  }
  if (known)
    return found;
  if (!op)
    return std::nullopt;
  using Strides = std::optional<SmallVector<int64_t>>;
  auto ofOperand = [&](unsigned index) { return strides(op->getOperand(index), axes); };
  auto ofSum = [&](int sign) -> Strides {
    Strides a = ofOperand(0), b = ofOperand(1);
    if (!a || !b)
      return std::nullopt;
    for (auto [sum, step] : llvm::zip(*a, *b))
      sum += sign * step;
    return a;
  };
  return TypeSwitch<Operation *, Strides>(op)
      // A list, since no trait says that an element has its number from that at the same
      // coordinates.
      .Case<tt::HintOp, ttg::ConvertLayoutOp, arith::ExtSIOp>([&](auto) { return ofOperand(0); })
      .Case<arith::AddIOp, tt::AddPtrOp>([&](auto) { return ofSum(1); })
      .Case([&](arith::SubIOp) { return ofSum(-1); })
      .Case([&](arith::MulIOp) -> Strides {
        for (unsigned factor : {0u, 1u})
          if (auto constant = axes.of(op->getOperand(factor)).constant) {
            Strides steps = ofOperand(1 - factor);
            if (!steps)
              return std::nullopt;
            for (int64_t &step : *steps)
              if (llvm::MulOverflow(step, *constant, step))
                return std::nullopt;
            return steps;
          }
        return std::nullopt;
      })
      .Case([&](tt::BroadcastOp broadcast) {
        Strides steps = ofOperand(0);
        if (steps)
          for (auto [step, extent] : llvm::zip(*steps, broadcast.getSrc().getType().getShape()))
            step = extent == 1 ? 0 : step;
        return steps;
      })
      .Case([&](tt::ExpandDimsOp expand) {
        Strides steps = ofOperand(0);
        if (steps)
          steps->insert(steps->begin() + expand.getAxis(), 0);
        return steps;
      })
      .Default(Strides());
}

std::optional<SmallVector<int64_t>> strides(Value value, const AxisInfoAnalysis &axes) {
  auto steps = stridesBeforeWrapping(value, axes);
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  if (!steps || !element || element.getWidth() >= 64)
    return steps;
  // Numbers of few bits repeat where the tensor spans all of them.
  int64_t span = 0;
  for (auto [step, extent] :
       llvm::zip(*steps, cast<RankedTensorType>(value.getType()).getShape())) {
    int64_t part = 0;
    if (llvm::MulOverflow(step < 0 ? -step : step, extent - 1, part) ||
        llvm::AddOverflow(span, part, span) || span >> element.getWidth() != 0)
      return std::nullopt;
  }
  return steps;
}

} // namespace

bool hasDistinctElements(Value value, const AxisInfoAnalysis &axes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return true;
  auto steps = strides(value, axes);
  if (!steps)
    return false;
  SmallVector<std::pair<int64_t, int64_t>> byStep; // step, extent
  for (auto [step, extent] : llvm::zip(*steps, type.getShape()))
    if (extent > 1)
      byStep.push_back({step < 0 ? -step : step, extent});
  llvm::sort(byStep);
  // Each axis steps over all that the smaller ones reach.
  int64_t reach = 0;
  for (auto [step, extent] : byStep) {
    int64_t further = 0;
    if (step <= reach || llvm::MulOverflow(step, extent - 1, further) ||
        llvm::AddOverflow(reach, further, reach))
      return false;
  }
  return true;
}

} // namespace tl::backend
