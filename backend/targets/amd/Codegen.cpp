// SPDX-License-Identifier: MIT
#include "targets/amd/Codegen.h"

#include "targets/amd/AccumulatorVectors.h"
#include "targets/amd/LaneCopies.h"
#include "targets/amd/ThreadNumbers.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Scalar/SROA.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser(); // of the user's texts
}

namespace tl::backend::amd {

namespace {

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

/// The code generator takes vectors that loops carry apart where their first value is a constant,
/// and for it copies what a loop of products adds to twice in each iteration. As a default, which
/// linking a code object goes back to.
void keepVectorsWhole() {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find("amdgpu-codegenprepare-break-large-phis"); found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setInitialValue(false);
}

} // namespace

gpu::CodeGenerator generatorFor(const Architecture &architecture) {
  static const bool isKnown = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    keepVectorsWhole();
    return true;
  }();
  (void)isKnown;
  // The waves of a program share one compute unit, whose caches barriers then need not empty.
  return {"AMD", "amdgcn-amd-amdhsa", architecture.name, architecture.isCdna() ? "" : "+cumode",
          llvm::Reloc::PIC_};
}

void optimize(llvm::Module &module, const Architecture &architecture) {
  gpu::OwnPasses own;
  own.first.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  own.last.addPass(CarryAccumulatorVectors());
  own.last.addPass(RematerialiseThreadIds(architecture.lanes()));
  gpu::optimize(module, std::move(own));
  orderCopies(module);
  declareInputs(module);
}

std::string compileToAssembly(llvm::Module &module, const Architecture &architecture) {
  return gpu::generate(module, generatorFor(architecture), llvm::CodeGenFileType::AssemblyFile);
}

std::string compileToObject(llvm::Module &module, const Architecture &architecture) {
  return gpu::generate(module, generatorFor(architecture), llvm::CodeGenFileType::ObjectFile);
}

} // namespace tl::backend::amd
