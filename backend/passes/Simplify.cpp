// SPDX-License-Identifier: MIT
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"

/// The distance of two numbers needs one bit more than the numbers.
std::optional<APInt> tripCountOf(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  unsigned bits = step.getBitWidth() + 1;
  auto widened = [&](const APInt &number) {
    return loop.getUnsignedCmp() ? number.zext(bits) : number.sext(bits);
  };
  APInt distance = widened(upper) - widened(lower);
  if (!widened(step).isStrictlyPositive())
    return std::nullopt;
  if (!distance.isStrictlyPositive())
    return APInt(bits, 0);
  return (distance - 1).udiv(widened(step)) + 1;
}

namespace {

/// A loop whose body runs never, or once, or does nothing.
struct TrivialLoop : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern<scf::ForOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    if (loop.getLowerBound() == loop.getUpperBound()) {
      rewriter.replaceOp(loop, loop.getInitArgs());
      return success();
    }
    std::optional<APInt> tripCount = tripCountOf(loop);
    if (!tripCount)
      return failure();
    if (tripCount->isZero()) {
      rewriter.replaceOp(loop, loop.getInitArgs());
      return success();
    }
    Block *body = loop.getBody();
    if (tripCount->isOne()) {
      SmallVector<Value> values = {loop.getLowerBound()};
      llvm::append_range(values, loop.getInitArgs());
      Operation *yield = body->getTerminator();
      rewriter.inlineBlockBefore(body, loop, values);
      rewriter.replaceOp(loop, yield->getOperands());
      rewriter.eraseOp(yield);
      return success();
    }
    if (!llvm::hasSingleElement(*body) || llvm::any_of(loop.getYieldedValues(), [&](Value value) {
          return !loop.isDefinedOutsideOfLoop(value);
        }))
      return failure();
    rewriter.replaceOp(loop, loop.getYieldedValues());
    return success();
  }
};

struct Simplify : impl::SimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    // Names of patterns are no interface: another release may have renamed it.
    const std::string replaced = "(anonymous namespace)::SimplifyTrivialLoops";
    if (llvm::none_of(all.getNativePatterns(), [&](const std::unique_ptr<RewritePattern> &pattern) {
          return pattern->getDebugName() == replaced;
        }))
      return emitError(UnknownLoc::get(context))
             << "the pattern that TrivialLoop replaces is not found in this release of MLIR";
    all.add<TrivialLoop>(context);
    patterns = FrozenRewritePatternSet(std::move(all), {replaced});
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    // Where it does not come to an end the rest stays as it is.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace tl::tt
