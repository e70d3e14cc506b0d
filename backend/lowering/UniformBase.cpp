// SPDX-License-Identifier: MIT
#include "lowering/UniformBase.h"

#include "analysis/LayoutInference.h"
#include "analysis/MemoryOrder.h"
#include "dialect/Hints.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tl::backend {

using llvm::Value;

namespace {

constexpr uint64_t mostBytes = uint64_t(1) << 31;

/// An integer of each element: a uniform one, null for 0, plus at most `high`.
struct Part {
  Value *uniform = nullptr;
  uint64_t divisor = ~uint64_t(0), high = 0; // a power of two that divides `uniform`
};

/// What has elements that are those of its first operand, in another order or more than once.
bool isView(mlir::Operation *op) {
  return (op->hasTrait<tt::MovesElements>() && op->getNumOperands() == 1) ||
         mlir::isa<tt::HintOp>(op);
}

/// The positive number that all elements are.
std::optional<uint64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&number)) || !number.isStrictlyPositive() ||
      number.getActiveBits() > 31)
    return std::nullopt;
  return number.getZExtValue();
}

/// What a kernel promises of its integers before an operation.
class Promises {
public:
  Promises(tt::FuncOp function, mlir::Operation *before) {
    mlir::Block &entry = function.getBody().front();
    const mlir::Operation *end = entry.findAncestorOpInBlock(*before);
    for (mlir::Operation &op : entry) {
      if (&op == end)
        break;
      if (auto assume = llvm::dyn_cast<mlir::LLVM::AssumeOp>(op))
        add(assume.getCond());
    }
  }

  /// The most that a number can be which is not negative; nothing if it may be, or be any.
  std::optional<uint64_t> highestOf(mlir::Value value) const {
    while (mlir::Operation *op = value.getDefiningOp()) {
      if (!mlir::isa<tt::SplatOp>(op) && !mlir::isa<mlir::arith::ExtSIOp>(op) && !isView(op))
        break;
      value = op->getOperand(0);
    }
    auto found = ranges.find(value);
    if (found == ranges.end() || !found->second.isPositive || !found->second.high)
      return std::nullopt;
    return found->second.high;
  }

private:
  struct Range {
    bool isPositive = false; // or zero
    std::optional<uint64_t> high;
  };

  void add(mlir::Value condition) {
    using Predicate = mlir::arith::CmpIPredicate;
    if (auto both = condition.getDefiningOp<mlir::arith::AndIOp>()) {
      add(both.getLhs());
      add(both.getRhs());
    }
    auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
    llvm::APInt number;
    if (!compare || !mlir::matchPattern(compare.getRhs(), mlir::m_ConstantInt(&number)))
      return;
    Range &range = ranges[compare.getLhs()];
    const Predicate predicate = compare.getPredicate();
    auto isAtMost = [&](const llvm::APInt &most) {
      if (!most.isNegative() && most.getActiveBits() <= 63)
        range.high = std::min(range.high.value_or(~uint64_t(0)), most.getZExtValue());
    };
    switch (predicate) {
    case Predicate::slt:
      return number.isMinSignedValue() ? void() : isAtMost(number - 1);
    case Predicate::sle:
      return isAtMost(number);
    case Predicate::ult:
    case Predicate::ule:
      if (number.isNegative() || number.isZero())
        return;
      range.isPositive = true;
      return isAtMost(predicate == Predicate::ult ? number - 1 : number);
    case Predicate::sge:
      range.isPositive |= !number.isNegative();
      return;
    case Predicate::sgt:
      range.isPositive |= !number.isNegative() || number.isAllOnes();
      return;
    default:
      return;
    }
  }

  llvm::DenseMap<mlir::Value, Range> ranges;
};

class Search {
public:
  Search(KernelLowering &kernel, mlir::Operation *access)
      : kernel(kernel), b(kernel.builder), promises(kernel.function, access) {}

  std::optional<UniformBase> pointer(mlir::Value value) {
    if (isUniform(value))
      return UniformBase{kernel.get(value)[0], bytesOf(value)};
    mlir::Operation *op = value.getDefiningOp();
    if (op && isView(op))
      return pointer(op->getOperand(0));
    auto add = llvm::dyn_cast_or_null<tt::AddPtrOp>(op);
    if (!add)
      return std::nullopt;
    std::optional<UniformBase> base = pointer(add.getPtr());
    if (!base)
      return std::nullopt;
    std::optional<Part> offset = exact(add.getOffset());
    if (!offset || offset->high * bytesOf(value) + base->extent > mostBytes)
      return std::nullopt;
    if (offset->uniform)
      base->pointer = b.CreateGEP(b.getIntNTy(8 * unsigned(bytesOf(value))), base->pointer,
                                  b.CreateSExt(offset->uniform, b.getInt64Ty()));
    base->extent += offset->high * bytesOf(value);
    return base;
  }

private:
  static uint64_t bytesOf(mlir::Value pointers) {
    auto type = mlir::cast<tt::PointerType>(elementType(pointers.getType()));
    return memoryBytes(type.getPointeeType());
  }

  static unsigned bitsOf(mlir::Value integers) {
    return elementType(integers.getType()).getIntOrFloatBitWidth();
  }

  /// Whether all elements are one number or pointer, which the code generator knows to be the same
  /// for all threads.
  bool isUniform(mlir::Value value) {
    auto [found, isNew] = uniform.try_emplace(value, true); // a loop's, if all else of it is
    if (!isNew)
      return found->second;
    const size_t before = examined.size();
    const bool result = computeUniform(value);
    if (!result) // what has been found since may rest on it
      for (; examined.size() > before; examined.pop_back())
        if (auto other = uniform.find(examined.back()); other->second)
          uniform.erase(other);
    examined.push_back(value);
    return uniform[value] = result;
  }

  bool computeUniform(mlir::Value value) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      mlir::Operation *owner = argument.getOwner()->getParentOp();
      if (mlir::isa<tt::FuncOp>(owner))
        return argument.getOwner()->isEntryBlock();
      auto loop = mlir::dyn_cast<mlir::scf::ForOp>(owner);
      if (!loop || mlir::isa<mlir::RankedTensorType>(value.getType()) ||
          !isUniform(loop.getLowerBound()) || !isUniform(loop.getUpperBound()) ||
          !isUniform(loop.getStep()))
        return false;
      if (argument == loop.getInductionVar())
        return true;
      const unsigned i = argument.getArgNumber() - 1;
      return isUniform(loop.getInitArgs()[i]) && isUniform(loop.getYieldedValues()[i]);
    }
    mlir::Operation *op = value.getDefiningOp();
    mlir::DenseElementsAttr elements;
    if (mlir::matchPattern(value, mlir::m_Constant(&elements)))
      return elements.isSplat();
    const bool isOneNumber = !mlir::isa<mlir::RankedTensorType>(value.getType()) ||
                             mlir::isa<tt::SplatOp>(op) || isElementwise(op);
    return isOneNumber && mlir::isPure(op) && !op->hasTrait<tt::PacksElements>() &&
           op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](mlir::Value operand) { return isUniform(operand); });
  }

  /// Of integers that are the sum of both parts in their type, too.
  std::optional<Part> exact(mlir::Value value) {
    std::optional<Part> found = part(value);
    if (!found)
      return std::nullopt;
    const unsigned bits = bitsOf(value);
    const bool fits = found->uniform ? bits == 64 || found->high < found->divisor
                                     : found->high < uint64_t(1) << (bits - 1);
    return fits ? found : std::nullopt;
  }

  /// Of integers that are the sum of both parts, up to what wraps around.
  std::optional<Part> part(mlir::Value value) {
    if (auto constant = constantOf(value))
      return Part{nullptr, ~uint64_t(0), *constant};
    if (isUniform(value)) {
      const AxisInfo info = kernel.axes.of(value);
      return Part{kernel.get(value)[0], uint64_t(info.divisibility[0]), 0};
    }
    mlir::Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (isView(op))
      return part(op->getOperand(0));
    auto bounded = [](Part made) {
      return made.high < mostBytes ? std::optional(made) : std::nullopt;
    };
    auto times = [&](mlir::Value of, uint64_t factor) -> std::optional<Part> {
      std::optional<Part> made = part(of);
      if (!made)
        return std::nullopt;
      if (made->uniform)
        made->uniform =
            b.CreateMul(made->uniform, llvm::ConstantInt::get(made->uniform->getType(), factor));
      made->high *= factor;
      return bounded(*made);
    };
    using Result = std::optional<Part>;
    return llvm::TypeSwitch<mlir::Operation *, Result>(op)
        .Case([&](tt::MakeRangeOp range) -> Result {
          if (int32_t(range.getStart()) < 0)
            return std::nullopt;
          return Part{nullptr, ~uint64_t(0), uint64_t(range.getEnd()) - 1};
        })
        .Case([&](mlir::arith::AddIOp add) -> Result {
          std::optional<Part> left = part(add.getLhs()), right = left ? part(add.getRhs()) : left;
          if (!right)
            return std::nullopt;
          Value *sum = left->uniform && right->uniform ? b.CreateAdd(left->uniform, right->uniform)
                       : left->uniform                 ? left->uniform
                                                       : right->uniform;
          return bounded({sum, std::min(left->divisor, right->divisor), left->high + right->high});
        })
        .Case([&](mlir::arith::MulIOp multiply) -> Result {
          if (auto factor = constantOf(multiply.getRhs()))
            return times(multiply.getLhs(), *factor);
          if (auto factor = constantOf(multiply.getLhs()))
            return times(multiply.getRhs(), *factor);
          // Two numbers that are not negative, of which one is the same for all elements.
          for (auto [one, each] : {std::pair(multiply.getRhs(), multiply.getLhs()),
                                   std::pair(multiply.getLhs(), multiply.getRhs())}) {
            const std::optional<uint64_t> factor = promises.highestOf(one);
            const std::optional<Part> made = factor ? part(each) : std::nullopt;
            if (made && !made->uniform && *factor < mostBytes)
              return bounded({nullptr, made->divisor, made->high * *factor});
          }
          return std::nullopt;
        })
        .Case([&](mlir::arith::ExtSIOp extend) -> Result {
          std::optional<Part> made = exact(extend.getIn());
          if (made && made->uniform)
            made->uniform = b.CreateSExt(made->uniform, b.getIntNTy(bitsOf(value)));
          return made;
        })
        .Case([&](mlir::arith::AndIOp both) -> Result {
          auto mask = constantOf(both.getRhs());
          return mask ? Result(Part{nullptr, ~uint64_t(0), *mask}) : std::nullopt;
        })
        .Case([&](mlir::arith::RemUIOp rest) -> Result {
          auto divisor = constantOf(rest.getRhs());
          return divisor ? Result(Part{nullptr, ~uint64_t(0), *divisor - 1}) : std::nullopt;
        })
        .Default([](mlir::Operation *) -> Result { return std::nullopt; });
  }

  KernelLowering &kernel;
  llvm::IRBuilderBase &b;
  const Promises promises;
  llvm::DenseMap<mlir::Value, bool> uniform;
  llvm::SmallVector<mlir::Value> examined; // in order
};

} // namespace

std::optional<UniformBase> uniformBaseOf(KernelLowering &kernel, mlir::Value pointers,
                                         mlir::Operation *access) {
  if (auto found = Search(kernel, access).pointer(pointers))
    return found;
  auto base = mlir::dyn_cast_or_null<mlir::BlockArgument>(baseOf(pointers));
  auto range = base ? kernel.function.getArgAttrOfType<mlir::IntegerAttr>(base.getArgNumber(),
                                                                          tt::pointerRangeName)
                    : mlir::IntegerAttr();
  if (!range || range.getInt() != 32)
    return std::nullopt;
  return UniformBase{kernel.scalar(base), mostBytes};
}

} // namespace tl::backend
