// SPDX-License-Identifier: MIT
#include "passes/FuseMultiplyAdd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <unordered_map>

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_FUSEMULTIPLYADD
#include "passes/Passes.h.inc"

namespace {

/// Numbers values so that equal numbers are equal values: the same operation on operands with the
/// same numbers, wherever it stands, since what has no effects does not depend on when it is
/// computed. Loads are equal in one block as long as nothing was written in between.
class ValueNumbers {
public:
  explicit ValueNumbers(Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  }

  unsigned of(Value value) {
    auto [known, inserted] = numbers.try_emplace(value, next);
    next += inserted;
    return known->second;
  }

private:
  static constexpr auto flags =
      OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;

  /// A bucket's entry: the operation, and what a load depends on besides its operands.
  struct Known {
    Operation *op;
    Block *block;
    unsigned writes;
  };

  void visit(Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    bool isLoad = load && !load.getIsVolatile();
    if (!isLoad && !isMemoryEffectFree(op))
      ++writes;
    if (op->getNumResults() == 0 || !(isLoad || isMemoryEffectFree(op)))
      return;
    Known mine{op, isLoad ? op->getBlock() : nullptr, isLoad ? writes : 0};
    size_t hash = OperationEquivalence::computeHash(
        op, [&](Value operand) { return llvm::hash_value(of(operand)); },
        OperationEquivalence::ignoreHashValue, flags);
    SmallVector<Known, 1> &bucket = buckets[hash];
    for (const Known &known : bucket)
      if (known.block == mine.block && known.writes == mine.writes && equal(known.op, op)) {
        for (auto [old, result] : llvm::zip(known.op->getResults(), op->getResults()))
          numbers[result] = of(old);
        return;
      }
    bucket.push_back(mine);
  }

  bool equal(Operation *a, Operation *b) {
    if (a->getName() != b->getName() || a->getNumOperands() != b->getNumOperands() ||
        a->getResultTypes() != b->getResultTypes() ||
        a->getPropertiesAsAttribute() != b->getPropertiesAsAttribute())
      return false;
    SmallVector<unsigned> left, right;
    for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands())) {
      left.push_back(of(x));
      right.push_back(of(y));
    }
    if (a->hasTrait<OpTrait::IsCommutative>()) {
      llvm::sort(left);
      llvm::sort(right);
    }
    return left == right &&
           llvm::all_of(llvm::zip(a->getRegions(), b->getRegions()), [](auto pair) {
             auto &[x, y] = pair;
             return OperationEquivalence::isRegionEquivalentTo(&x, &y, flags);
           });
  }

  llvm::DenseMap<Value, unsigned> numbers;
  std::unordered_map<size_t, SmallVector<Known, 1>> buckets;
  unsigned next = 0, writes = 0;
};

bool isSum(Operation *op) { return isa<arith::AddFOp, arith::SubFOp>(op); }

/// The one value of a scalar or tensor constant, or of its splat.
Attribute constantOf(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return {};
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    return elements.getSplatValue<Attribute>();
  return attribute;
}

/// Factors that folding is to see: a product of two constants is one, and 1 x is x.
bool folds(arith::MulFOp product) {
  Attribute left = constantOf(product.getLhs()), right = constantOf(product.getRhs());
  auto isOne = [](Attribute value) {
    auto number = dyn_cast_or_null<FloatAttr>(value);
    return number && number.getValue().isExactlyValue(1);
  };
  return (left && right) || isOne(left) || isOne(right);
}

/// An operand of a sum: a product, perhaps with the other sign.
struct Term {
  arith::MulFOp product;
  bool negative = false;
};

Term termOf(Operation *sum, unsigned operand) {
  Value value = sum->getOperand(operand);
  Term term;
  if (auto negation = value.getDefiningOp<arith::NegFOp>();
      negation && negation->getBlock() == sum->getBlock()) {
    term.negative = true;
    value = negation.getOperand();
  }
  if (auto product = value.getDefiningOp<arith::MulFOp>();
      product && product->getBlock() == sum->getBlock())
    term.product = product;
  return term;
}

/// Whether the use of a product, or of its negation, can do without rounding it.
bool takesExact(OpOperand &use, Block *block) {
  Operation *user = use.getOwner();
  if (user->getBlock() != block || !isSum(user))
    return false;
  // The sum moves into the accumulator of a product of matrices.
  Operation *other = user->getOperand(1 - use.getOperandNumber()).getDefiningOp();
  return !isa_and_nonnull<DotOp, DotScaledOp>(other);
}

bool takesExactEverywhere(arith::MulFOp product) {
  Type element = getElementTypeOrSelf(product.getType());
  if (!(element.isF32() || element.isF64()) || folds(product))
    return false;
  Block *block = product->getBlock();
  return llvm::all_of(product->getUses(), [&](OpOperand &use) {
    if (auto negation = dyn_cast<arith::NegFOp>(use.getOwner()))
      return negation->getBlock() == block &&
             llvm::all_of(negation->getUses(),
                          [&](OpOperand &inner) { return takesExact(inner, block); });
    return takesExact(use, block);
  });
}

Value negated(OpBuilder &builder, Location loc, Value value) {
  return arith::NegFOp::create(builder, loc, value);
}

void fuse(Operation *sum, unsigned operand, Term term) {
  OpBuilder builder(sum);
  Location loc = sum->getLoc();
  Value a = term.product.getLhs(), b = term.product.getRhs(), c = sum->getOperand(1 - operand);
  bool negative = term.negative;
  if (isa<arith::SubFOp>(sum)) {
    if (operand == 1)
      negative = !negative;
    else
      c = negated(builder, loc, c);
  }
  if (negative) {
    // A constant gives another constant; of the others one that changes here, so that no second
    // value lives through a loop.
    bool second = constantOf(b) || (!constantOf(a) && a.getParentBlock() != sum->getBlock());
    Value &factor = second ? b : a;
    factor = negated(builder, loc, factor);
  }
  Value fused = math::FmaOp::create(builder, loc, a, b, c);
  sum->getResult(0).replaceAllUsesWith(fused);
  sum->erase();
}

/// Whether the reduction is a sum of one tensor.
bool isSumReduction(ReduceOp reduce) {
  Block &body = reduce.getCombineOp().front();
  return reduce.getSrcs().size() == 1 && llvm::hasSingleElement(body.without_terminator()) &&
         isa<arith::AddFOp>(body.front()) &&
         body.getTerminator()->getOperand(0) == body.front().getResult(0) &&
         body.front().getOperand(0) != body.front().getOperand(1);
}

} // namespace

bool addsUnseenProducts(ReduceOp reduce) {
  auto product = reduce.getSrcs().front().getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Type element = getElementTypeOrSelf(product.getType());
  return (element.isF32() || element.isF64()) &&
         llvm::all_of(product->getUsers(), [](Operation *user) {
           auto reader = dyn_cast<ReduceOp>(user);
           return reader && isSumReduction(reader);
         });
}

void fuseMultiplyAdd(Operation *root) {
  SmallVector<arith::MulFOp> products;
  SmallVector<Operation *> sums;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto product = dyn_cast<arith::MulFOp>(op))
      products.push_back(product);
    else if (isSum(op))
      sums.push_back(op);
  });
  if (products.empty() || sums.empty())
    return;
  ValueNumbers numbers(root);
  // Products by their number that some use needs rounded.
  llvm::DenseSet<unsigned> rounded;
  for (arith::MulFOp product : products)
    if (!takesExactEverywhere(product))
      rounded.insert(numbers.of(product));
  auto isExact = [&](Term term) {
    return term.product && !rounded.contains(numbers.of(term.product));
  };
  for (Operation *sum : sums)
    if (isExact(termOf(sum, 0)) && isExact(termOf(sum, 1)))
      rounded.insert(numbers.of(termOf(sum, 1).product));
  SmallVector<std::tuple<Operation *, unsigned, Term>> work;
  for (Operation *sum : sums)
    for (unsigned operand : {0u, 1u})
      if (Term term = termOf(sum, operand); isExact(term)) {
        work.emplace_back(sum, operand, term);
        break;
      }
  for (auto [sum, operand, term] : work)
    fuse(sum, operand, term);
  // What was fused is left without uses, negations first.
  for (auto [sum, operand, term] : work)
    for (Operation *user : llvm::make_early_inc_range(term.product->getUsers()))
      if (isa<arith::NegFOp>(user) && user->use_empty())
        user->erase();
  for (arith::MulFOp product : products)
    if (product->use_empty())
      product->erase();
}

namespace {

struct FuseMultiplyAdd : impl::FuseMultiplyAddBase<FuseMultiplyAdd> {
  void runOnOperation() override { fuseMultiplyAdd(getOperation()); }
};

} // namespace
} // namespace tl::tt
