// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend {

/// What a pass that changes instructions, but no blocks, leaves valid.
inline llvm::PreservedAnalyses afterInstructions(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace tl::backend
