// SPDX-License-Identifier: MIT
#include "targets/simt/Target.h"

#include "targets/cpu/Jit.h"
#include "targets/simt/Emulated.h"
#include "targets/simt/Functions.h"
#include "targets/simt/Kernel.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tl::backend::simt {

namespace {

constexpr const char *entryName = "tl_simt_kernel", *prefix = "simt:";

/// Texts are human-readable and made when asked for, from the TTIR that was compiled.
struct CompiledSimtKernel final : SimtKernel {
  std::string ttir, kernelName;
  CompileOptions options;
  Emulated emulated;

  std::vector<std::string> stageNames() const override {
    return {"ttir", "ttgir", "llir", "host", "obj"};
  }

  std::string stage(std::string_view stage) const override {
    if (stage == "obj")
      return object;
    GpuModule again = emulated.module({ttir}, kernelName, options, {true, /*lines=*/true});
    if (stage != "host")
      return stage == "ttir"    ? again.ttir
             : stage == "ttgir" ? again.ttgir
             : stage == "llir"  ? again.llir
                                : "";
    Translation translation(*again.module, emulated.translator);
    translation.run(again.symbol, entryName);
    std::string text;
    llvm::raw_string_ostream stream(text);
    again.module->print(stream, nullptr);
    return text;
  }
};

class SimtTarget final : public Target {
public:
  SimtTarget(std::string name, Emulated emulated)
      : label(std::move(name)), emulated(std::move(emulated)) {}

  /// Kernels are compiled as for the GPU.
  std::string_view name() const override {
    return std::string_view(label).substr(std::strlen(prefix));
  }
  CompileOptionSet followedOptions() const override { return emulated.followedOptions; }
  bool keepsLocations(const CompileOptions &) const override { return true; }

  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &options) const override {
    const std::string_view ttir = source.text;
    auto kernel = std::make_unique<CompiledSimtKernel>();
    try {
      GpuModule made = emulated.module(std::move(source), entry, options, {false, /*lines=*/true});
      kernel->name = std::move(made.name);
      auto start = std::chrono::steady_clock::now();
      Translation translation(*made.module, emulated.translator);
      try {
        translation.run(made.symbol, entryName);
        kernel->object = cpu::compileToObject(*made.module, hostFeatures());
      } catch (Error &error) {
        error.kernel = kernel->name;
        throw;
      }
      kernel->milliseconds = std::move(made.milliseconds);
      kernel->milliseconds.push_back({"emulation", std::chrono::duration<double, std::milli>(
                                                       std::chrono::steady_clock::now() - start)
                                                       .count()});
      kernel->sites = std::move(translation.sites);
      kernel->formats = std::move(translation.formats);
      kernel->entry = entryName;
      kernel->parameters = std::move(made.parameters);
      kernel->hidden = std::move(made.hidden);
      kernel->lanes = made.lanes;
      kernel->clusterBlocks = made.numCtas;
      kernel->banks = emulated.banks;
      kernel->blockThreads = (made.numWarps + made.producerWarps) * made.lanes;
      kernel->threads = int64_t(kernel->blockThreads);
      kernel->sharedBytes = int64_t(std::max(made.sharedBytes, translation.sharedBytes));
    } catch (Error &error) {
      if (error.device.empty() || error.device == "cpu")
        error.device = label;
      throw;
    }
    kernel->ttir = std::string(ttir);
    kernel->kernelName = kernel->name;
    kernel->options = options;
    kernel->emulated = emulated;
    return kernel;
  }

private:
  const std::string label;
  const Emulated emulated;
};

} // namespace

std::unique_ptr<Target> emulate(const std::string &name, Emulated emulated) {
  return std::make_unique<SimtTarget>(prefix + name, std::move(emulated));
}

} // namespace tl::backend::simt
