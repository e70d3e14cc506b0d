// SPDX-License-Identifier: MIT
#include "targets/nvidia/Codegen.h"

#include "targets/nvidia/SinkAddresses.h"
#include "targets/nvidia/SinkOperands.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/OptBisect.h"

#include <algorithm>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tl::backend::nvidia {

namespace {

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

} // namespace

gpu::CodeGenerator generatorFor(const Architecture &architecture) {
  static const bool isKnown = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)isKnown;
  return {"NVIDIA", "nvptx64-nvidia-cuda", architecture.name, "+" + architecture.ptxFeature(),
          std::nullopt};
}

void optimize(llvm::Module &module) {
  gpu::OwnPasses own;
  // Addresses that are too many to be kept are computed where they are used.
  own.last.addPass(SinkAddresses());
  own.last.addPass(SinkOperands());
  gpu::optimize(module, std::move(own));
}

std::string compileToPtx(llvm::Module &module, const Architecture &architecture) {
  static PassGate &all = *new PassGate(true), &withoutStrength = *new PassGate(false);
  module.getContext().setOptPassGate(hasShortChains(module) ? all : withoutStrength);
  return gpu::generate(module, generatorFor(architecture), llvm::CodeGenFileType::AssemblyFile);
}

} // namespace tl::backend::nvidia
