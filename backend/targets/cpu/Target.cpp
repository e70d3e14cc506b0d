// SPDX-License-Identifier: MIT
#include "targets/cpu/Target.h"

#include "targets/cpu/Jit.h"
#include "targets/cpu/Pipeline.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace tl::backend::cpu {

namespace {

/// Texts are human-readable and made when asked for, from the TTIR that was compiled.
struct CompiledCpuKernel final : CpuKernel {
  std::string ttir;
  std::string entryName;
  CompileOptions options;

  std::vector<std::string> stageNames() const override { return {"ttir", "llir", "asm", "obj"}; }

  std::string stage(std::string_view name) const override {
    if (name == "obj")
      return object;
    const HostFeatures &features = HostFeatures::host();
    PipelineRequest request;
    request.ttirText = name == "ttir";
    OptimizedKernel again = runPipeline({ttir}, entryName, options, features, request);
    if (name == "ttir")
      return again.ttir;
    if (name == "asm")
      return compileToAssembly(*again.code.module, features);
    if (name != "llir")
      return "";
    std::string text;
    llvm::raw_string_ostream stream(text);
    again.code.module->print(stream, nullptr);
    return text;
  }
};

} // namespace

std::unique_ptr<CompiledKernel> CpuTarget::compile(KernelSource source, std::string_view entry,
                                                   const CompileOptions &options) const {
  const HostFeatures &features = HostFeatures::host();
  const std::string_view ttir = source.text;
  auto kernel = std::make_unique<CompiledCpuKernel>();
  try {
    OptimizedKernel optimized = runPipeline(std::move(source), entry, options, features);
    auto start = std::chrono::steady_clock::now();
    kernel->object = compileToObject(*optimized.code.module, features);
    kernel->milliseconds = std::move(optimized.milliseconds);
    kernel->milliseconds.push_back({"codegen", std::chrono::duration<double, std::milli>(
                                                   std::chrono::steady_clock::now() - start)
                                                   .count()});
    kernel->name = std::move(optimized.name);
    kernel->parameters = std::move(optimized.parameters);
    kernel->entry = std::move(optimized.code.entry);
    kernel->scratchBytes = optimized.code.scratchBytes;
    kernel->sharedBytes = int64_t(optimized.code.scratchBytes);
    kernel->sites = std::move(optimized.code.sites);
    kernel->gridBarrier = optimized.code.gridBarrier;
  } catch (Error &error) {
    error.device = "cpu";
    throw;
  }
  kernel->ttir = std::string(ttir);
  kernel->entryName = kernel->name;
  kernel->options = options;
  return kernel;
}

} // namespace tl::backend::cpu
