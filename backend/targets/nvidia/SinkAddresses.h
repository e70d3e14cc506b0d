// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::nvidia {

/// See SinkAddresses.cpp.
struct SinkAddresses : llvm::PassInfoMixin<SinkAddresses> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tl::backend::nvidia
