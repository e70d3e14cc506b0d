// SPDX-License-Identifier: MIT
#include "targets/gpu/Codegen.h"

#include "codegen/CodeGenerators.h"
#include "codegen/PassAnalyses.h"
#include "lowering/AssemblyErrors.h"
#include "support/Error.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace tl::backend::gpu {

namespace {

std::unique_ptr<llvm::TargetMachine> newMachine(const CodeGenerator &generator) {
  llvm::Triple triple(generator.triple);
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    throw Error(TL_COMPILE_ERROR,
                "no code generator for " + generator.vendor + " GPUs: " + problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // FuseMultiplyAdd has decided
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, generator.processor, generator.features, options, generator.relocations, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Lends a machine to `use`, from one pool for all uses.
template <class Use> auto withMachine(const CodeGenerator &generator, Use &&use) {
  static TargetMachines &pool = *new TargetMachines;
  throwFatalErrors();
  return pool.lend(generator.processor, [&] { return newMachine(generator); }, use);
}

/// Functions of mathematics become a part of the kernel: calls are expensive on a GPU.
void inlineFunctions(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage() &&
        !function.hasFnAttribute(sharedRoutine)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

} // namespace

void initializeModule(llvm::Module &module, const CodeGenerator &generator) {
  module.getContext().setDiagnosticHandler(std::make_unique<ThrowAssemblyErrors>());
  module.setDataLayout(withMachine(generator, [&](llvm::TargetMachine &machine) {
    module.setTargetTriple(machine.getTargetTriple());
    return machine.createDataLayout();
  }));
}

void optimize(llvm::Module &module, OwnPasses own) {
  PassAnalyses analyses;
  inlineFunctions(module);
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager passes;
  passes.addPass(std::move(own.first));
  // What the lowering wrote down twice is computed once.
  passes.addPass(llvm::EarlyCSEPass());
  // Index arithmetic folds.
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  // Loops get their test at the end, and lose what does not change in them.
  llvm::LoopPassManager inLoops;
  inLoops.addPass(llvm::LoopRotatePass());
  inLoops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(inLoops), true));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(std::move(own.last));
  passes.addPass(llvm::DCEPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, analyses.modules);
}

std::string generate(llvm::Module &module, const CodeGenerator &generator,
                     llvm::CodeGenFileType type) {
  return withMachine(
      generator, [&](llvm::TargetMachine &machine) { return generateFile(machine, module, type); });
}

} // namespace tl::backend::gpu
