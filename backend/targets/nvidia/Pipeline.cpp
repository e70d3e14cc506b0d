// SPDX-License-Identifier: MIT
#include "targets/nvidia/Pipeline.h"

#include "passes/GpuPipeline.h"
#include "support/Environment.h"
#include "targets/gpu/Pipeline.h"
#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/GpuDescription.h"
#include "targets/nvidia/GridDependencies.h"
#include "targets/nvidia/Libdevice.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

namespace {

/// Unasked only on the GPUs of sm_90: for those after them drivers up to 595 make maps that fault
/// now and then, of tensors that are small and not dense.
tt::TmaUse tmaUseFor(const Architecture &architecture) {
  std::optional<bool> asked = environment().tensorCopies;
  if (!architecture.hasTensorMaps() || asked == false)
    return tt::TmaUse::none;
  if (asked)
    return tt::TmaUse::possible;
  return architecture.number < 100 ? tt::TmaUse::worthwhile : tt::TmaUse::none;
}

class NvidiaSteps final : public gpu::VendorSteps {
public:
  NvidiaSteps(const Architecture &architecture, tt::TmaUse copies, bool describePointers)
      : architecture(architecture), copies(copies), describePointers(describePointers) {}

  const GpuTarget &target() const override { return hardware.target; }

  void choosePasses(tt::TtirOptions &passes, const CompileOptions &options) const override {
    passes.tmaUse = copies;
    passes.describePointers = describePointers;
    if (!architecture.hasWarpGroupProducts())
      return;
    passes.blocks = unsigned(options.numCtas);
    if (options.numStages > 1)
      passes.productWarps = unsigned(options.numWarps);
  }

  void describeGpu(mlir::ModuleOp module, const CompileOptions &options) const override {
    nvidia::describeGpu(module, architecture, options);
  }

  void runTtgirPasses(mlir::ModuleOp module, const CompileOptions &options) const override {
    ttg::runTtgirPipeline(module, unsigned(options.numStages));
  }

  void finishTtgir(tt::FuncOp kernel, GpuModule &made) const override {
    made.waitsForLaunch = spellGridDependencies(kernel, architecture);
  }

  void finishLowering(GpuModule &made) const override {
    if (made.numCtas > 1)
      made.module->getFunction(made.symbol)
          ->addFnAttr("nvvm.cluster_dim", std::to_string(made.numCtas) + ",1,1");
  }

  /// Of our library, or of libdevice.
  void defineFunctions(llvm::Module &module) const override {
    linkLibdevice(module, hardware.target.arithmetic);
  }

  void optimize(llvm::Module &module) const override { nvidia::optimize(module); }

private:
  const Architecture &architecture;
  const tt::TmaUse copies;
  const bool describePointers;
  const NvidiaGpu hardware{architecture};
};

} // namespace

GpuModule optimizedModule(KernelSource source, std::string_view entry,
                          const CompileOptions &options, const Architecture &architecture,
                          GpuModuleRequest request) {
  const tt::TmaUse copies = tmaUseFor(architecture);
  const std::string_view ttir = source.text;
  const bool describePointers = copies != tt::TmaUse::none && !source.isGeneral;
  try {
    return gpu::optimizedModule(std::move(source), entry, options,
                                NvidiaSteps(architecture, copies, describePointers), request);
  } catch (const Error &error) {
    // Boxes take shared memory, and maps are parameters: by pointers the kernel may fit.
    if (error.status != TL_OUT_OF_RESOURCES || copies == tt::TmaUse::none)
      throw;
  }
  return gpu::optimizedModule({ttir}, entry, options,
                              NvidiaSteps(architecture, tt::TmaUse::none, false), request);
}

PtxKernel runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                      const Architecture &architecture, bool texts) {
  PtxKernel result{optimizedModule(std::move(source), entry, options, architecture, {texts}), {}};
  gpu::generateCode(result, [&](llvm::Module &module, Timer &watch) {
    result.ptx = compileToPtx(module, architecture);
    watch.lap("codegen");
  });
  return result;
}

} // namespace tl::backend::nvidia
