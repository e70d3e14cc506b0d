// SPDX-License-Identifier: MIT
//
// The way from TTIR text to optimised LLVM IR, in order: TTIR passes, the lowering, LLVM passes.
// Pipeline.cpp reads top to bottom.
#pragma once

#include "support/KernelSource.h"
#include "targets/cpu/Lowering.h"

#include <string_view>

namespace tl::backend::cpu {

/// A kernel as optimised LLVM IR, with what else is known about it.
struct OptimizedKernel {
  std::string name;
  std::string ttir; // the text after the TTIR passes, if it was asked for
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds;
  LoweredKernel code;
};

struct PipelineRequest {
  bool ttirText = false; // keep the text of the TTIR
};

OptimizedKernel runPipeline(KernelSource source, std::string_view entry,
                            const CompileOptions &options, const HostFeatures &features,
                            const PipelineRequest &request = {});

/// The LLVM passes alone.
void optimize(llvm::Module &module);

} // namespace tl::backend::cpu
