// SPDX-License-Identifier: MIT
#include "targets/nvidia/Codegen.h"

#include "lowering/PassAnalyses.h"
#include "targets/Target.h"
#include "targets/nvidia/InlineAssembly.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
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

#include <map>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tl::backend::nvidia {

namespace {

[[noreturn]] void fail(const std::string &message) {
  Error error;
  error.status = TL_COMPILE_ERROR;
  error.message = message;
  throw error;
}

void initializeLLVM() {
  static const bool done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
      fail(std::string("the code generator gave up: ") + reason);
    });
    return true;
  }();
  (void)done;
}

class ThrowErrors final : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    if (auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
      if (uint64_t number = assembly->getLocCookie())
        throw AssemblyError{unsigned(number - 1), assembly->getMsgStr().str()};
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    fail("the code generator gave up: " + text);
  }
};

/// Target machines that no thread uses at the moment.
class TargetMachines {
public:
  std::unique_ptr<llvm::TargetMachine> take(const Architecture &architecture) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto &idle = machines[architecture.name];
      if (!idle.empty()) {
        auto machine = std::move(idle.back());
        idle.pop_back();
        return machine;
      }
    }
    llvm::Triple triple("nvptx64-nvidia-cuda");
    std::string problem;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target)
      fail("no code generator for NVIDIA cards: " + problem);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // only where the IR says `contract`
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, architecture.name, "+" + architecture.ptxFeature(), options, std::nullopt,
        std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  }
  /// Not called after a failure: a machine that threw is dropped.
  void giveBack(const Architecture &architecture, std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard<std::mutex> lock(mutex);
    machines[architecture.name].push_back(std::move(machine));
  }
  static TargetMachines &shared() {
    static TargetMachines &machines = *new TargetMachines;
    return machines;
  }

private:
  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> machines;
};

} // namespace

void initializeModule(llvm::Module &module, const Architecture &architecture) {
  initializeLLVM();
  module.getContext().setDiagnosticHandler(std::make_unique<ThrowErrors>());
  auto machine = TargetMachines::shared().take(architecture);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  TargetMachines::shared().giveBack(architecture, std::move(machine));
}

void optimize(llvm::Module &module) {
  PassAnalyses analyses;
  // Functions of mathematics become a part of the kernel: calls are dear on a GPU.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage()) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager passes;
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
}

std::string compileToPtx(llvm::Module &module, const Architecture &architecture) {
  auto machine = TargetMachines::shared().take(architecture);
  llvm::SmallVector<char, 0> buffer;
  {
    llvm::raw_svector_ostream stream(buffer);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                     /*DisableVerify=*/true))
      fail("the code generator writes no PTX");
    passes.run(module);
  }
  TargetMachines::shared().giveBack(architecture, std::move(machine));
  return std::string(buffer.begin(), buffer.end());
}

} // namespace tl::backend::nvidia
