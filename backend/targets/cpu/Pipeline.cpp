// SPDX-License-Identifier: MIT
#include "targets/cpu/Pipeline.h"

#include "arithmetic/ElementTypes.h"
#include "codegen/CodeGenerators.h"
#include "codegen/Kernels.h"
#include "codegen/PassAnalyses.h"
#include "support/LargeStack.h"
#include "targets/cpu/ConstantMasks.h"
#include "targets/cpu/JitSymbols.h"

#include "dialect/Context.h"
#include "dialect/ParsedSource.h"
#include "passes/Pipeline.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

namespace tl::backend::cpu {

namespace {

/// A pass whose time grows faster than the kernel. Combining looks at all uses of a value, and the
/// addresses of a kernel have many: half a minute for 80000 instructions. For every loop its passes
/// look at all blocks: a minute for 6000 blocks.
template <class Pass> struct UnlessHuge : llvm::PassInfoMixin<UnlessHuge<Pass>> {
  explicit UnlessHuge(Pass pass) : pass(std::move(pass)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    if (function.getInstructionCount() > 16000 || function.size() > 1000)
      return llvm::PreservedAnalyses::all();
    return pass.run(function, analyses);
  }

  Pass pass;
};

/// Code calls what this process offers it. Libraries of the user may ask for more.
void checkCallees(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        llvm::none_of(jitSymbols(),
                      [&](const auto &symbol) { return function.getName() == symbol.first; }))
      throw Error(TL_UNSUPPORTED, "the cpu target does not have the function '" +
                                      function.getName().str() +
                                      "', which a library of tl::extern_elementwise calls");
}

} // namespace

void optimize(llvm::Module &module) {
  PassAnalyses analyses;
  llvm::FunctionPassManager passes;
  // Accumulators and other stack variables become registers.
  passes.addPass(llvm::PromotePass());
  // What the lowering wrote down twice is computed once.
  passes.addPass(llvm::EarlyCSEPass(true));
  // Index arithmetic folds into address modes, strides into constants.
  passes.addPass(UnlessHuge(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1))));
  // Loops get their test at the end, and lose what does not change in them.
  llvm::LoopPassManager inLoops;
  inLoops.addPass(llvm::LoopRotatePass());
  inLoops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  // Past the bound of a mask there may be nothing to do.
  inLoops.addPass(llvm::LoopDeletionPass());
  passes.addPass(UnlessHuge(llvm::createFunctionToLoopPassAdaptor(std::move(inLoops), true)));
  // Blocks and values that are left over go.
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::DCEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      passes.run(function, analyses.functions);
      expandConstantMasks(function);
    }
}

OptimizedKernel runPipeline(KernelSource source, std::string_view entry,
                            const CompileOptions &options, const HostFeatures &features,
                            const PipelineRequest &request) {
  OptimizedKernel result;
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  mlir::ModuleOp module = *parsed->module;
  result.milliseconds.push_back({"parse", parsed->milliseconds});
  Timer watch(result.milliseconds);
  std::string name = tt::findEntry(module, entry).getSymName().str();
  tt::TtirOptions ttirOptions;
  ttirOptions.scalarizeInduction = true;
  ttirOptions.debug = options.debug;
  ttirOptions.deterministic = options.deterministic;
  ttirOptions.fuseMultiplyAdd = options.fpFusion && features.fma;
  tt::runTtirPipeline(module, ttirOptions);
  tt::FuncOp kernel = tt::findEntry(module, name);
  result.name = name;
  result.parameters = parametersOf(kernel, "cpu");
  checkElementTypes(kernel, "cpu");
  if (request.ttirText)
    result.ttir = tt::print(module, true);
  watch.lap("passes");
  // Values are evaluated from the last to the first, at two kilobytes a step.
  size_t operations = 0;
  kernel.walk([&](mlir::Operation *) { ++operations; });
  onLargeStack((size_t(512) << 10) + 4096 * operations,
               [&] { result.code = lowerToLLVM(kernel, options, features); });
  checkCode(*result.code.module, "cpu", name);
  checkCallees(*result.code.module);
  watch.lap("lowering");
  optimize(*result.code.module);
  watch.lap("optimization");
  return result;
}

} // namespace tl::backend::cpu
