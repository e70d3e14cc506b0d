// SPDX-License-Identifier: MIT
//
// What LLVM's passes want to know: the managers of its analyses, made known to each other. The
// lists of passes stand in each target's `optimize`.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace tl::backend {

struct PassAnalyses {
  PassAnalyses() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }
  PassAnalyses(const PassAnalyses &) = delete;

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
};

} // namespace tl::backend
