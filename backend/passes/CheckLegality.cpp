// SPDX-License-Identifier: MIT
#include "dialect/Legality.h"
#include "passes/Passes.h"

namespace tl::tt {

#define GEN_PASS_DEF_CHECKLEGALITY
#include "passes/Passes.h.inc"

namespace {

struct CheckLegality : impl::CheckLegalityBase<CheckLegality> {
  void runOnOperation() override {
    if (mlir::failed(verifyLegality(getOperation())))
      return signalPassFailure();
    modernize(getOperation());
  }
};

} // namespace
} // namespace tl::tt
