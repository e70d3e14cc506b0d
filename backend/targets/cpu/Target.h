// SPDX-License-Identifier: MIT
//
// The target "cpu": code for the processor of this process. Next: Pipeline.h for the steps,
// Lowering.h for the idea, Driver.h for running what comes out.
#pragma once

#include "targets/Target.h"

namespace tl::backend::cpu {

inline constexpr CompileOptionSet followedOptions = {CompileOption::fpFusion, CompileOption::debug,
                                                     CompileOption::deterministic};

class CpuTarget final : public Target {
public:
  std::string_view name() const override { return "cpu"; }
  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &options) const override;
  CompileOptionSet followedOptions() const override { return cpu::followedOptions; }
};

} // namespace tl::backend::cpu
