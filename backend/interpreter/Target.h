// SPDX-License-Identifier: MIT
//
// The target "interpreter": compiling is parsing, verifying and decoding. Nothing is optimised, so
// what runs is what was written.
#pragma once

#include "interpreter/Program.h"
#include "targets/Target.h"

namespace tl::backend::interpreter {

struct InterpretedKernel final : CompiledKernel {
  Program program;
  bool debug = false;
  std::string text;

  std::vector<std::string> stageNames() const override { return {"ttir"}; }
  std::string stage(std::string_view name) const override { return name == "ttir" ? text : ""; }
};

inline constexpr CompileOptionSet followedOptions = {CompileOption::fpFusion, CompileOption::debug,
                                                     CompileOption::deterministic};

class InterpreterTarget final : public Target {
public:
  std::string_view name() const override { return "interpreter"; }
  /// Its reports name the user's lines, so kernels that differ in lines alone are not one kernel.
  bool keepsLocations(const CompileOptions &) const override { return true; }
  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &options) const override;
  CompileOptionSet followedOptions() const override { return interpreter::followedOptions; }
};

} // namespace tl::backend::interpreter
