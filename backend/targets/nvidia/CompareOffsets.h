// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::nvidia {

/// See CompareOffsets.cpp.
struct CompareOffsets : llvm::PassInfoMixin<CompareOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tl::backend::nvidia
