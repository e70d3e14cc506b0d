// SPDX-License-Identifier: MIT
#include "targets/amd/Pipeline.h"

#include "arithmetic/plain/AmdFunctions.h"
#include "passes/GpuPipeline.h"
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Codegen.h"
#include "targets/amd/GpuDescription.h"
#include "targets/amd/Link.h"
#include "targets/amd/PrintBuffer.h"
#include "targets/amd/SpecialRegisters.h"
#include "targets/gpu/Pipeline.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::amd {

namespace {

/// Where what is loaded ahead waits in registers until it is stored to LDS, at the end of the
/// iteration.
constexpr unsigned mostStages = 2;

/// The same for loops that say how many they want.
void limitStages(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    auto stages = op->getAttrOfType<mlir::IntegerAttr>("tt.num_stages");
    if (stages && stages.getInt() > int64_t(mostStages))
      op->setAttr("tt.num_stages", mlir::IntegerAttr::get(stages.getType(), mostStages));
  });
}

/// Launches give no LDS: the kernel says how much it has.
void fixSharedMemory(llvm::Module &module, uint64_t bytes) {
  llvm::GlobalVariable *arena = module.getNamedGlobal("shared_memory");
  if (!arena)
    return;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
  auto *fixed = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::PoisonValue::get(type), "", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, 3);
  fixed->setAlignment(arena->getAlign());
  arena->replaceAllUsesWith(fixed);
  fixed->takeName(arena);
  arena->eraseFromParent();
}

class AmdSteps final : public gpu::VendorSteps {
public:
  explicit AmdSteps(const Architecture &architecture) : architecture(architecture) {}

  const GpuTarget &target() const override { return hardware.target; }

  void describeGpu(mlir::ModuleOp module, const CompileOptions &options) const override {
    amd::describeGpu(module, architecture, options);
  }

  /// What a loop loads for its products is loaded one iteration ahead, or further by loads to LDS.
  void runTtgirPasses(mlir::ModuleOp module, const CompileOptions &options) const override {
    auto stages = unsigned(options.numStages);
    if (!hardware.target.laneCopies) {
      limitStages(module);
      stages = std::min(stages, mostStages);
    }
    ttg::runTtgirPipeline(module, stages);
  }

  void finishLowering(GpuModule &made) const override {
    fixSharedMemory(*made.module, made.sharedBytes);
    replaceSpecialRegisters(*made.module, hardware.target.program);
  }

  /// Of our library: nothing of ROCm's device library is needed.
  void defineFunctions(llvm::Module &module) const override {
    definePrintBuffer(module);
    const auto unknown = resolveOurFunctions(
        module, llvm::StringRef(amdFunctions, amdFunctionsSize), hardware.target.arithmetic, {});
    if (!unknown.empty())
      throw UnresolvedFunction{unknown.front()->getName().str(), {}};
  }

  void optimize(llvm::Module &module) const override { amd::optimize(module, architecture); }

private:
  const Architecture &architecture;
  const AmdGpu hardware{architecture};
};

} // namespace

GpuModule optimizedModule(KernelSource source, std::string_view entry,
                          const CompileOptions &options, const Architecture &architecture,
                          GpuModuleRequest request) {
  return gpu::optimizedModule(std::move(source), entry, options, AmdSteps(architecture), request);
}

CompiledCode runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                         const Architecture &architecture, bool texts) {
  CompiledCode result{
      optimizedModule(std::move(source), entry, options, architecture, {texts}), {}, {}};
  gpu::generateCode(result, [&](llvm::Module &module, Timer &watch) {
    if (texts) {
      result.amdgcn = compileToAssembly(module, architecture);
      return;
    }
    const std::string object = compileToObject(module, architecture);
    watch.lap("codegen");
    result.hsaco = linkCodeObject(object);
    watch.lap("linking");
  });
  return result;
}

} // namespace tl::backend::amd
