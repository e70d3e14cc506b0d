// SPDX-License-Identifier: MIT
//
// What follows from the number of the thread alone is computed again after loops that carry much:
// where the results of products have more than a third of a thread's registers, what is needed for
// nothing but to store them should not have some as well. The number is put together anew of the
// wave, which is a scalar, and the lane, so that the code generator does not find what it computed
// before the loop.
//
//     %t = workitem.id.x                      %t = workitem.id.x
//     %r = and %t, 16                         %w = readfirstlane (lshr %t, 5)
//     loop: ...                               loop: ...
//     end:                                    end:
//       ... %r                                  %u = or (shl %w, 5), mbcnt
//                                               %s = and %u, 16
//                                               ... %s
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::amd {

struct RematerialiseThreadIds : llvm::PassInfoMixin<RematerialiseThreadIds> {
  explicit RematerialiseThreadIds(unsigned lanes) : lanes(lanes) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  const unsigned lanes; // of a wave
};

} // namespace tl::backend::amd
