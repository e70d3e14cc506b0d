// SPDX-License-Identifier: MIT
#include "targets/nvidia/Codegen.h"

#include "codegen/CodeGenerators.h"
#include "codegen/PassAnalyses.h"
#include "lowering/AssemblyErrors.h"
#include "targets/Target.h"
#include "targets/nvidia/SinkAddresses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
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

#include <algorithm>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tl::backend::nvidia {

namespace {

[[noreturn]] void fail(const std::string &message) { throw Error(TL_COMPILE_ERROR, message); }

void initializeLLVM() {
  static const bool done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    throwFatalErrors();
    return true;
  }();
  (void)done;
}

/// Chooses among the passes that the code generator would run of its own accord, two of which pay
/// for each operation of a chain with the length of the chain, several times over: minutes for the
/// 500 steps of a pointer that an unrolled loop advances. Reassociation is left out: kernels
/// without such chains come out the same. Strength reduction runs where the chains are short.
class PassGate final : public llvm::OptPassGate {
public:
  explicit PassGate(bool reducesStrength) : reducesStrength(reducesStrength) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass == "slsr" ? reducesStrength : pass != "nary-reassociate";
  }

private:
  bool reducesStrength;
};

/// What strength reduction would cost: the squares of how many additions, products and addresses
/// each one of them is computed from in a row. A limit of 200000 is a tenth of a second.
bool hasShortChains(const llvm::Module &module) {
  constexpr uint64_t most = 200000;
  uint64_t cost = 0;
  for (const llvm::Function &function : module) {
    llvm::DenseMap<const llvm::Value *, uint64_t> depths;
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block) {
        switch (instruction.getOpcode()) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub:
        case llvm::Instruction::Mul:
        case llvm::Instruction::Shl:
        case llvm::Instruction::GetElementPtr:
          break;
        default:
          continue;
        }
        uint64_t depth = 0;
        for (const llvm::Value *operand : instruction.operands())
          depth = std::max(depth, depths.lookup(operand));
        depths[&instruction] = ++depth;
        cost += depth * depth;
      }
  }
  return cost <= most;
}

std::unique_ptr<llvm::TargetMachine> newMachine(const Architecture &architecture) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    fail("no code generator for NVIDIA GPUs: " + problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // FuseMultiplyAdd has decided
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, architecture.name, "+" + architecture.ptxFeature(), options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
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
  module.getContext().setDiagnosticHandler(std::make_unique<ThrowAssemblyErrors>());
  module.setDataLayout(withMachine(architecture, [&](llvm::TargetMachine &machine) {
    module.setTargetTriple(machine.getTargetTriple());
    return machine.createDataLayout();
  }));
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
  // But for addresses that are too many to be kept.
  passes.addPass(SinkAddresses());
  passes.addPass(llvm::DCEPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, analyses.modules);
}

std::string compileToPtx(llvm::Module &module, const Architecture &architecture) {
  static PassGate &all = *new PassGate(true), &withoutStrength = *new PassGate(false);
  module.getContext().setOptPassGate(hasShortChains(module) ? all : withoutStrength);
  return withMachine(architecture, [&](llvm::TargetMachine &machine) {
    return generateFile(machine, module, llvm::CodeGenFileType::AssemblyFile);
  });
}

} // namespace tl::backend::nvidia
