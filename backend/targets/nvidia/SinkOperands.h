// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::nvidia {

/// See SinkOperands.cpp.
struct SinkOperands : llvm::PassInfoMixin<SinkOperands> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tl::backend::nvidia
