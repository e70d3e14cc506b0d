// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::nvidia {

/// See SplitWords.cpp.
struct SplitWords : llvm::PassInfoMixin<SplitWords> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tl::backend::nvidia
