// SPDX-License-Identifier: MIT
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_HOISTINVARIANTS
#include "passes/Passes.h.inc"

namespace {

/// Whether the loop asks to be left alone: `llvm.loop_annotation` with `licm = <disable = true>`.
bool isDisabled(LoopLikeOpInterface loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  if (!annotation || !annotation.getLicm())
    return false;
  BoolAttr disable = annotation.getLicm().getDisable();
  return disable && disable.getValue();
}

/// Whether anything in the loop may write memory. Operations whose effects are not known may.
bool mayWrite(Operation *loop) {
  return loop
      ->walk([&](Operation *op) -> WalkResult {
        if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
          return WalkResult::advance();
        std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
            getEffectsRecursively(op);
        if (!effects)
          return WalkResult::interrupt();
        for (const MemoryEffects::EffectInstance &effect : *effects)
          if (!isa<MemoryEffects::Read>(effect.getEffect()))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// An i1 that is true if the loop runs at all; null if it is known to.
Value runsAtAll(OpBuilder &builder, scf::ForOp loop) {
  APInt low, high;
  if (matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&high)) &&
      (loop.getUnsignedCmp() ? low.ult(high) : low.slt(high)))
    return {};
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loop.getLoc(), predicate, loop.getLowerBound(),
                               loop.getUpperBound());
}

void hoistLoads(scf::ForOp loop) {
  SmallVector<LoadOp> loads;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (!load.getIsVolatile())
      loads.push_back(load);
  if (loads.empty() || mayWrite(loop))
    return;
  OpBuilder builder(loop);
  Value runs;
  bool known = false;
  // In the order of the text, so that what a load needs has been moved before it.
  for (LoadOp load : loads) {
    auto outside = [&](Value value) { return loop.isDefinedOutsideOfLoop(value); };
    if (!llvm::all_of(load->getOperands(), outside))
      continue;
    if (!known) {
      runs = runsAtAll(builder, loop);
      known = true;
    }
    if (runs) {
      Value mask = runs;
      if (auto tensor = dyn_cast<RankedTensorType>(getI1SameShape(load.getPtr().getType())))
        mask = SplatOp::create(builder, load.getLoc(), tensor, mask);
      if (load.getMask())
        mask = arith::AndIOp::create(builder, load.getLoc(), load.getMask(), mask);
      load.getMaskMutable().assign(mask);
    }
    load->moveBefore(loop);
  }
}

struct HoistInvariants : impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves one can leave the next.
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (isDisabled(loop))
        return;
      moveLoopInvariantCode(loop);
      if (auto counted = dyn_cast<scf::ForOp>(loop.getOperation())) {
        hoistLoads(counted);
        // What was computed from the loads may follow them.
        moveLoopInvariantCode(loop);
      }
    });
  }
};

} // namespace
} // namespace tl::tt
