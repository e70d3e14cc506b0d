// SPDX-License-Identifier: MIT
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_REORDERBROADCASTS
#include "passes/Passes.h.inc"

namespace {

/// An operation that may as well be done on fewer elements: the same for every element, without
/// effects, and without hints about the whole tensor that a smaller one could not carry.
bool mayShrink(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && op->getDiscardableAttrs().empty() &&
         isa<RankedTensorType>(op->getResult(0).getType()) && isMemoryEffectFree(op) &&
         !isa<ElementwiseInlineAsmOp>(op);
}

/// The one value of a constant tensor, or null.
Attribute splatConstant(Value value) {
  SplatElementsAttr splat;
  if (isa<RankedTensorType>(value.getType()) && matchPattern(value, m_Constant(&splat)) && splat)
    return splat.getSplatValue<Attribute>();
  return {};
}

/// The operation with other operands and another result type.
Operation *cloneWith(PatternRewriter &rewriter, Operation *op, ValueRange operands, Type result) {
  OperationState state(op->getLoc(), op->getName(), operands, TypeRange(result), {});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return rewriter.create(state);
}

/// f(splat a, splat b) => splat f(a, b)
struct SplatOperands : RewritePattern {
  explicit SplatOperands(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!mayShrink(op))
      return failure();
    bool anySplat = false;
    for (Value operand : op->getOperands()) {
      bool isSplat = operand.getDefiningOp<SplatOp>() != nullptr;
      anySplat |= isSplat;
      if (!isSplat && isa<RankedTensorType>(operand.getType()) && !splatConstant(operand))
        return failure();
    }
    if (!anySplat)
      return failure();
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands()) {
      if (auto splat = operand.getDefiningOp<SplatOp>())
        scalars.push_back(splat.getSrc());
      else if (Attribute value = splatConstant(operand))
        scalars.push_back(
            arith::ConstantOp::create(rewriter, op->getLoc(), cast<TypedAttr>(value)));
      else
        scalars.push_back(operand);
    }
    Type type = op->getResult(0).getType();
    Operation *small = cloneWith(rewriter, op, scalars, getElementTypeOrSelf(type));
    rewriter.replaceOpWithNewOp<SplatOp>(op, type, small->getResult(0));
    return success();
  }
};

/// f(broadcast a, broadcast b, splat c) => broadcast f(a, b, splat c)
struct BroadcastOperands : RewritePattern {
  explicit BroadcastOperands(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!mayShrink(op))
      return failure();
    RankedTensorType small;
    for (Value operand : op->getOperands())
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        RankedTensorType source = broadcast.getSrc().getType();
        if (small && small.getShape() != source.getShape())
          return failure();
        small = source;
      } else if (isa<RankedTensorType>(operand.getType()) && !operand.getDefiningOp<SplatOp>() &&
                 !splatConstant(operand)) {
        return failure();
      }
    if (!small)
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Type type = withElementType(small, getElementTypeOrSelf(operand.getType()));
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
        operands.push_back(broadcast.getSrc());
      else if (auto splat = operand.getDefiningOp<SplatOp>())
        operands.push_back(SplatOp::create(rewriter, op->getLoc(), type, splat.getSrc()));
      else if (Attribute value = splatConstant(operand))
        operands.push_back(arith::ConstantOp::create(
            rewriter, op->getLoc(), SplatElementsAttr::get(cast<ShapedType>(type), value)));
      else
        operands.push_back(operand);
    }
    Type type = op->getResult(0).getType();
    Operation *cheap =
        cloneWith(rewriter, op, operands, withElementType(small, getElementTypeOrSelf(type)));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, cheap->getResult(0));
    return success();
  }
};

struct ReorderBroadcasts : impl::ReorderBroadcastsBase<ReorderBroadcasts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplatOperands, BroadcastOperands>(&getContext());
    SplatOp::getCanonicalizationPatterns(patterns, &getContext());
    BroadcastOp::getCanonicalizationPatterns(patterns, &getContext());
    ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tl::tt
