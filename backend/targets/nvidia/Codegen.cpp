// SPDX-License-Identifier: MIT
#include "targets/nvidia/Codegen.h"

#include "targets/nvidia/AddOffsets.h"
#include "targets/nvidia/CompareOffsets.h"
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/SinkAddresses.h"
#include "targets/nvidia/SinkOperands.h"
#include "targets/nvidia/SplitWords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Transforms/Scalar/Sink.h"

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

/// The integer of 32 or 64 bits that one instruction makes of a float. It stays within the range by
/// itself, and makes zero of NaN, but for those between which 64 bits go: of them it makes the
/// least or a large one. LLVM would compare and select three times.
llvm::Value *toInteger(llvm::IRBuilder<> &b, llvm::Value *value, bool wide, bool isSigned) {
  namespace Intrinsic = llvm::Intrinsic;
  const bool isDouble = value->getType()->isDoubleTy();
  const auto instruction =
      isDouble   ? wide       ? isSigned ? Intrinsic::nvvm_d2ll_rz : Intrinsic::nvvm_d2ull_rz
                   : isSigned ? Intrinsic::nvvm_d2i_rz
                              : Intrinsic::nvvm_d2ui_rz
      : wide     ? isSigned ? Intrinsic::nvvm_f2ll_rz : Intrinsic::nvvm_f2ull_rz
      : isSigned ? Intrinsic::nvvm_f2i_rz
                 : Intrinsic::nvvm_f2ui_rz;
  llvm::Value *integer = b.CreateIntrinsic(instruction, {value});
  if (!isDouble && !wide)
    return integer;
  return b.CreateSelect(b.CreateFCmpUNO(value, value),
                        llvm::ConstantInt::get(integer->getType(), 0), integer);
}

/// The same for 8 and 16 bits of an f32, in a word: LLVM has no intrinsic for the instruction.
llvm::Value *toShortInteger(llvm::IRBuilder<> &b, llvm::Value *value, unsigned bits,
                            bool isSigned) {
  return emitPtx(b, b.getInt32Ty(),
                 std::string("cvt.rzi.") + (isSigned ? "s" : "u") + std::to_string(bits) +
                     ".f32 $0, $1;",
                 "=r,f", {value}, false);
}

void convertToIntegers(llvm::Module &module) {
  llvm::SmallVector<llvm::IntrinsicInst *> conversions;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            call && (call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat ||
                     call->getIntrinsicID() == llvm::Intrinsic::fptoui_sat))
          conversions.push_back(call);
  for (llvm::IntrinsicInst *call : conversions) {
    llvm::Value *value = call->getArgOperand(0);
    llvm::Type *type = call->getType();
    if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64 ||
        !(value->getType()->isFloatTy() || value->getType()->isDoubleTy()))
      continue;
    llvm::IRBuilder<> b(call);
    const bool isSigned = call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
    const unsigned bits = type->getIntegerBitWidth();
    const bool hasInstruction = value->getType()->isFloatTy() && (bits == 8 || bits == 16);
    llvm::Value *integer = hasInstruction ? toShortInteger(b, value, bits, isSigned)
                                          : toInteger(b, value, bits > 32, isSigned);
    const unsigned made = integer->getType()->getIntegerBitWidth();
    if (!hasInstruction && bits < made) {
      auto limit = [&](const llvm::APInt &number) { return b.getInt(number); };
      if (isSigned) {
        integer = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, integer,
                                          limit(llvm::APInt::getSignedMinValue(bits).sext(made)));
        integer = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, integer,
                                          limit(llvm::APInt::getSignedMaxValue(bits).sext(made)));
      } else {
        integer = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, integer,
                                          limit(llvm::APInt::getMaxValue(bits).zext(made)));
      }
    }
    integer = b.CreateTrunc(integer, type);
    call->replaceAllUsesWith(integer);
    call->eraseFromParent();
  }
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
  // What one access of several in a row is computed from, or into, does not stand before the branch
  // of another one, where it would be waited for.
  own.last.addPass(llvm::SinkingPass());
  // Addresses that are too many to be kept are computed where they are used.
  own.last.addPass(SinkAddresses());
  own.last.addPass(SinkOperands());
  own.last.addPass(CompareOffsets());
  own.last.addPass(SplitWords());
  own.last.addPass(AddOffsets());
  gpu::optimize(module, std::move(own));
}

std::string compileToPtx(llvm::Module &module, const Architecture &architecture) {
  convertToIntegers(module);
  static PassGate &all = *new PassGate(true), &withoutStrength = *new PassGate(false);
  module.getContext().setOptPassGate(hasShortChains(module) ? all : withoutStrength);
  return gpu::generate(module, generatorFor(architecture), llvm::CodeGenFileType::AssemblyFile);
}

} // namespace tl::backend::nvidia
