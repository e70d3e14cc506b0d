// SPDX-License-Identifier: MIT
#include "dialect/Hints.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_CHECKSTEPS
#include "passes/Passes.h.inc"

namespace {

struct CheckSteps : impl::CheckStepsBase<CheckSteps> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      APInt known;
      bool isConstant = matchPattern(loop.getStep(), m_ConstantInt(&known));
      // The regions of reductions, scans and maps have no assertions.
      if ((isConstant && !known.isZero()) || loop->getParentOfType<ReduceOp>() ||
          loop->getParentOfType<ScanOp>() || loop->getParentOfType<MapElementwiseOp>())
        return;
      OpBuilder builder(loop);
      Location loc = loop.getLoc();
      Value step = loop.getStep();
      Value zero =
          arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), 0));
      Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, step, zero);
      createCheck(builder, loc, holds, "the step of a tl::range is zero");
    });
  }
};

} // namespace

void createCheck(OpBuilder &builder, Location loc, Value condition, StringRef message) {
  auto check = AssertOp::create(builder, loc, condition, message);
  check->setDiscardableAttr(alwaysCheckedName, builder.getUnitAttr());
}

} // namespace tl::tt
