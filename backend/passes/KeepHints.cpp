// SPDX-License-Identifier: MIT
#include "dialect/Hints.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_KEEPHINTS
#include "passes/Passes.h.inc"

namespace {

struct KeepHints : impl::KeepHintsBase<KeepHints> {
  using KeepHintsBase::KeepHintsBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto hint = dyn_cast<HintOp>(op); hint && remove) {
        op->getResult(0).replaceAllUsesWith(hint.getSrc());
        op->erase();
        return;
      }
      // Without a promise to keep, or with nobody to read it, folding does the rest.
      if (remove || !isa<arith::AddIOp, AddPtrOp>(op) ||
          !matchPattern(op->getOperand(1), m_Zero()) || llvm::none_of(op->getAttrs(), isHint))
        return;
      OpBuilder builder(op);
      auto hint =
          HintOp::create(builder, op->getLoc(), op->getResult(0).getType(), op->getOperand(0));
      hint->setDiscardableAttrs(DictionaryAttr::get(
          op->getContext(), llvm::to_vector(llvm::make_filter_range(op->getAttrs(), isHint))));
      op->getResult(0).replaceAllUsesWith(hint.getResult());
      op->erase();
    });
  }
};

} // namespace

} // namespace tl::tt
