// SPDX-License-Identifier: MIT
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_COMBINE
#include "passes/Passes.h.inc"

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// dot(a, b, 0) + c => dot(a, b, c), for dot and dot_scaled.
template <typename Add, typename Dot> struct AddToAccumulator : OpRewritePattern<Add> {
  using OpRewritePattern<Add>::OpRewritePattern;

  LogicalResult matchAndRewrite(Add add, PatternRewriter &rewriter) const override {
    for (auto [product, other] : {std::pair<Value, Value>(add.getLhs(), add.getRhs()),
                                  std::pair<Value, Value>(add.getRhs(), add.getLhs())}) {
      auto dot = product.template getDefiningOp<Dot>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock() || !isZero(dot.getC()))
        continue;
      Operation *merged = rewriter.clone(*dot);
      cast<Dot>(merged).getCMutable().assign(other);
      rewriter.replaceOp(add, merged->getResults());
      return success();
    }
    return failure();
  }
};

/// addptr(addptr(p, x), y) => addptr(p, x + y), where x + y cannot wrap around differently: offsets
/// of 64 bits, or constants whose sum fits.
struct MergeOffsets : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddPtrOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || inner.getOffset().getType() != outer.getOffset().getType() ||
        !outer->getDiscardableAttrs().empty() || !inner->getDiscardableAttrs().empty())
      return failure();
    if (getElementBits(outer.getOffset().getType()) < 64) {
      APInt x, y;
      bool wraps = true;
      if (matchPattern(inner.getOffset(), m_ConstantInt(&x)) &&
          matchPattern(outer.getOffset(), m_ConstantInt(&y)))
        (void)x.sadd_ov(y, wraps);
      if (wraps)
        return failure();
    }
    Value sum =
        arith::AddIOp::create(rewriter, outer.getLoc(), inner.getOffset(), outer.getOffset());
    rewriter.replaceOpWithNewOp<AddPtrOp>(outer, outer.getType(), inner.getPtr(), sum);
    return success();
  }
};

/// x / y * y + x % y => x, which holds for every y: x / 0 is 0 and x % 0 is x.
template <typename Quotient, typename Remainder>
struct SumOfDivision : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern<arith::AddIOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddIOp add, PatternRewriter &rewriter) const override {
    for (auto [whole, rest] :
         {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto multiple = whole.template getDefiningOp<arith::MulIOp>();
      auto remainder = rest.template getDefiningOp<Remainder>();
      if (!multiple || !remainder)
        continue;
      for (auto [quotient, divisor] : {std::pair(multiple.getLhs(), multiple.getRhs()),
                                       std::pair(multiple.getRhs(), multiple.getLhs())})
        if (auto division = quotient.template getDefiningOp<Quotient>();
            division && divisor == remainder.getRhs() && division.getRhs() == divisor &&
            division.getLhs() == remainder.getLhs()) {
          rewriter.replaceOp(add, remainder.getLhs());
          return success();
        }
    }
    return failure();
  }
};

/// select(m, load(p, m), x) => load(p, m, x). The load stays where it is, so that no store comes
/// between; x must be known there.
struct SelectToOther : OpRewritePattern<arith::SelectOp> {
  SelectToOther(MLIRContext *context, DominanceInfo &dominance)
      : OpRewritePattern(context), dominance(dominance) {}

  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const override {
    auto load = select.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getIsVolatile() || !load.getMask())
      return failure();
    Value condition = select.getCondition();
    if (auto splat = load.getMask().getDefiningOp<SplatOp>();
        splat && !isa<RankedTensorType>(condition.getType()) && splat.getSrc() == condition)
      condition = load.getMask();
    Value other = select.getFalseValue();
    if (condition != load.getMask() || !dominance.properlyDominates(other, load))
      return failure();
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(other); });
    rewriter.replaceOp(select, load);
    return success();
  }

  DominanceInfo &dominance;
};

/// sum over axis 1 of x[:, :, None] * y[None, :, :] => dot(x, y). Both tensors at least 16 wide in
/// every axis; smaller sums are left as they are.
struct SumToProduct : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    if (reduce.getSrcs().size() != 1 || reduce.getAxis() != 1 || !isSum(reduce))
      return failure();
    auto product = reduce.getSrcs().front().getDefiningOp<arith::MulFOp>();
    if (!product)
      return failure();
    Value x = factor(product.getLhs(), 2), y = factor(product.getRhs(), 0);
    if (!x || !y) {
      x = factor(product.getRhs(), 2);
      y = factor(product.getLhs(), 0);
    }
    if (!x || !y)
      return failure();
    for (Value side : {x, y}) {
      auto type = cast<RankedTensorType>(side.getType());
      if (!type.getElementType().isF32() || type.getDimSize(0) < 16 || type.getDimSize(1) < 16)
        return failure();
    }
    auto type = cast<RankedTensorType>(reduce.getResult().front().getType());
    Value zero = arith::ConstantOp::create(rewriter, reduce.getLoc(),
                                           cast<TypedAttr>(rewriter.getZeroAttr(type)));
    rewriter.replaceOpWithNewOp<DotOp>(reduce, type, x, y, zero, InputPrecision::IEEE, 0);
    return success();
  }

  static bool isSum(ReduceOp reduce) {
    Block &body = reduce.getCombineOp().front();
    auto add = dyn_cast<arith::AddFOp>(body.front());
    if (!add || body.getOperations().size() != 2 ||
        body.getTerminator()->getOperand(0) != add.getResult())
      return false;
    return (add.getLhs() == body.getArgument(0) && add.getRhs() == body.getArgument(1)) ||
           (add.getLhs() == body.getArgument(1) && add.getRhs() == body.getArgument(0));
  }

  /// The matrix that `value` repeats along a new axis.
  static Value factor(Value value, uint32_t axis) {
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    auto expand = (broadcast ? broadcast.getSrc() : value).getDefiningOp<ExpandDimsOp>();
    if (!expand || expand.getAxis() != axis || expand.getType().getRank() != 3)
      return {};
    // Only the new axis may be repeated.
    if (broadcast)
      for (int64_t i = 0; i < 3; ++i)
        if (i != axis && broadcast.getType().getDimSize(i) != expand.getType().getDimSize(i))
          return {};
    return expand.getSrc();
  }
};

/// A reshape to 1-D may reorder if the results of all its users do not depend on the order. One
/// with several operands pairs their elements, so it does not count.
struct AllowReorder : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp reshape, PatternRewriter &rewriter) const override {
    if (reshape.getAllowReorder() || reshape.getType().getRank() != 1 || reshape->use_empty())
      return failure();
    for (Operation *user : reshape->getUsers()) {
      if (!user->hasTrait<OrderInsensitive>() || user->getNumOperands() != 1)
        return failure();
    }
    rewriter.modifyOpInPlace(reshape, [&] { reshape.setAllowReorder(true); });
    return success();
  }
};

struct Combine : impl::CombineBase<Combine> {
  using CombineBase::CombineBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto &dominance = getAnalysis<DominanceInfo>();
    RewritePatternSet patterns(context);
    patterns.add<AddToAccumulator<arith::AddFOp, DotOp>, AddToAccumulator<arith::AddIOp, DotOp>,
                 AddToAccumulator<arith::AddFOp, DotScaledOp>, MergeOffsets,
                 SumOfDivision<arith::DivSIOp, arith::RemSIOp>,
                 SumOfDivision<arith::DivUIOp, arith::RemUIOp>>(context);
    if (!keepOrder)
      patterns.add<SumToProduct, AllowReorder>(context);
    patterns.add<SelectToOther>(context, dominance);
    // Blocks stay as they are, for the dominance information to stay true.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tl::tt
