// SPDX-License-Identifier: MIT
#include "targets/amd/Target.h"

#include "targets/amd/AmdKernel.h"
#include "targets/amd/CodeObject.h"
#include "targets/amd/Occupancy.h"
#include "targets/amd/Pipeline.h"

namespace tl::backend::amd {

namespace {

/// Texts are human-readable and made when asked for, from the TTIR that was compiled.
struct CompiledAmdKernel final : AmdKernel {
  std::string ttir, entryName;
  CompileOptions options;
  Architecture architecture;
  int64_t scalarRegisters = 0;

  std::vector<std::string> stageNames() const override {
    return {"ttir", "ttgir", "llir", "amdgcn", "hsaco", "report"};
  }

  std::string stage(std::string_view stage) const override {
    if (stage == "hsaco")
      return hsaco;
    if (stage == "report")
      return reportOf(architecture, {numWarps, registers, scalarRegisters, spills, sharedBytes});
    CompiledCode again = runPipeline({ttir}, entryName, options, architecture, true);
    return stage == "ttir"     ? again.ttir
           : stage == "ttgir"  ? again.ttgir
           : stage == "llir"   ? again.llir
           : stage == "amdgcn" ? again.amdgcn
                               : "";
  }
};

class AmdTarget final : public Target {
public:
  explicit AmdTarget(Architecture architecture) : architecture(std::move(architecture)) {}

  std::string_view name() const override { return architecture.name; }

  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &options) const override {
    auto kernel = std::make_unique<CompiledAmdKernel>();
    kernel->ttir = std::string(source.text);
    try {
      CompiledCode made = runPipeline(std::move(source), entry, options, architecture, false);
      kernel->name = std::move(made.name);
      kernel->symbol = std::move(made.symbol);
      kernel->parameters = std::move(made.parameters);
      kernel->milliseconds = std::move(made.milliseconds);
      kernel->hsaco = std::move(made.hsaco);
      kernel->numWarps = made.numWarps;
      kernel->hidden = std::move(made.hidden);
      const KernelResources resources = resourcesOf(kernel->hsaco);
      kernel->registers = resources.vectorRegisters;
      kernel->scalarRegisters = resources.scalarRegisters;
      kernel->spills = resources.privateBytes;
      kernel->sharedBytes = resources.sharedBytes;
    } catch (Error &error) {
      if (error.device.empty())
        error.device = architecture.name;
      throw;
    }
    kernel->lanes = architecture.lanes();
    kernel->threads = int64_t(kernel->numWarps) * kernel->lanes;
    kernel->entryName = kernel->name;
    kernel->options = options;
    kernel->architecture = architecture;
    return kernel;
  }
  CompileOptionSet followedOptions() const override { return amd::followedOptions; }

private:
  Architecture architecture;
};

} // namespace

std::unique_ptr<Target> openTarget(std::string_view name) {
  auto architecture = Architecture::parse(name);
  return architecture ? std::make_unique<AmdTarget>(*architecture) : nullptr;
}

} // namespace tl::backend::amd
