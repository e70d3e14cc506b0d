// SPDX-License-Identifier: MIT
#include "targets/amd/Codegen.h"

#include "codegen/CodeGenerators.h"
#include "codegen/PassAnalyses.h"
#include "lowering/AssemblyErrors.h"
#include "support/Error.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser(); // of the user's texts
}

namespace tl::backend::amd {

namespace {

[[noreturn]] void fail(const std::string &message) { throw Error(TL_COMPILE_ERROR, message); }

void initializeLLVM() {
  static const bool done = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    throwFatalErrors();
    return true;
  }();
  (void)done;
}

std::unique_ptr<llvm::TargetMachine> newMachine(const Architecture &architecture) {
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    fail("no code generator for AMD GPUs: " + problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // FuseMultiplyAdd has decided
  // The waves of a program share one compute unit, whose caches barriers then need not empty.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, architecture.name, architecture.isCdna() ? "" : "+cumode", options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Says what a kernel does not read of all that hardware and loader can tell it: the rest takes
/// scalar registers, and time of each launch.
void declareInputs(llvm::Module &module) {
  namespace Intrinsic = llvm::Intrinsic;
  constexpr std::pair<Intrinsic::ID, const char *> inputs[] = {
      {Intrinsic::amdgcn_workgroup_id_x, "amdgpu-no-workgroup-id-x"},
      {Intrinsic::amdgcn_workgroup_id_y, "amdgpu-no-workgroup-id-y"},
      {Intrinsic::amdgcn_workgroup_id_z, "amdgpu-no-workgroup-id-z"},
      {Intrinsic::amdgcn_workitem_id_x, "amdgpu-no-workitem-id-x"},
      {Intrinsic::amdgcn_workitem_id_y, "amdgpu-no-workitem-id-y"},
      {Intrinsic::amdgcn_workitem_id_z, "amdgpu-no-workitem-id-z"},
      {Intrinsic::amdgcn_dispatch_ptr, "amdgpu-no-dispatch-ptr"},
      {Intrinsic::amdgcn_dispatch_id, "amdgpu-no-dispatch-id"},
      {Intrinsic::amdgcn_implicitarg_ptr, "amdgpu-no-implicitarg-ptr"}};
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (auto [id, attribute] : inputs) {
      const llvm::Function *input = Intrinsic::getDeclarationIfExists(&module, id);
      if (!input || input->use_empty())
        function.addFnAttr(attribute);
    }
    for (const char *attribute :
         {"amdgpu-no-queue-ptr", "amdgpu-no-lds-kernel-id", "amdgpu-no-hostcall-ptr",
          "amdgpu-no-heap-ptr", "amdgpu-no-multigrid-sync-arg", "amdgpu-no-default-queue",
          "amdgpu-no-completion-action"})
      function.addFnAttr(attribute);
  }
}

/// One pool for all uses.
TargetMachines &machines() {
  static TargetMachines &pool = *new TargetMachines;
  return pool;
}

/// Lends a machine for the architecture to `use`.
template <class Use> auto withMachine(const Architecture &architecture, Use &&use) {
  initializeLLVM();
  auto machine = machines().take(architecture.name, [&] { return newMachine(architecture); });
  auto result = use(*machine);
  machines().giveBack(architecture.name, std::move(machine));
  return result;
}

} // namespace

void initializeModule(llvm::Module &module, const Architecture &architecture) {
  constexpr uint32_t codeObjectVersion = 500; // which ROCm takes since 5.5
  module.getContext().setDiagnosticHandler(std::make_unique<ThrowAssemblyErrors>());
  module.setDataLayout(withMachine(architecture, [&](llvm::TargetMachine &machine) {
    module.setTargetTriple(machine.getTargetTriple());
    return machine.createDataLayout();
  }));
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", codeObjectVersion);
}

void optimize(llvm::Module &module) {
  PassAnalyses analyses;
  // Functions of mathematics become a part of the kernel: calls are expensive on a GPU.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage() &&
        !function.hasFnAttribute(sharedRoutine)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
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
  passes.addPass(llvm::DCEPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, analyses.modules);
  declareInputs(module);
}

std::string compileToAssembly(llvm::Module &module, const Architecture &architecture) {
  return withMachine(architecture, [&](llvm::TargetMachine &machine) {
    return generateFile(machine, module, llvm::CodeGenFileType::AssemblyFile);
  });
}

std::string compileToObject(llvm::Module &module, const Architecture &architecture) {
  return withMachine(architecture, [&](llvm::TargetMachine &machine) {
    return generateFile(machine, module, llvm::CodeGenFileType::ObjectFile);
  });
}

} // namespace tl::backend::amd
