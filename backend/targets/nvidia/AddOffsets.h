// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::nvidia {

/// See AddOffsets.cpp.
struct AddOffsets : llvm::PassInfoMixin<AddOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tl::backend::nvidia
