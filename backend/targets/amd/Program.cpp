// SPDX-License-Identifier: MIT
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Codegen.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/AMDGPUEmitPrintf.h"

namespace tl::backend::amd {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

void Program::initialize(llvm::Module &module) const {
  constexpr uint32_t codeObjectVersion = 500; // which ROCm takes since 5.5
  gpu::initializeModule(module, generatorFor(architecture));
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", codeObjectVersion);
}

void Program::markKernel(llvm::Function &function, unsigned threads, unsigned maxRegisters) const {
  function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  const std::string count = std::to_string(threads);
  function.addFnAttr("amdgpu-flat-work-group-size", count + "," + count);
  function.addFnAttr("uniform-work-group-size", "true");
  if (maxRegisters)
    function.addFnAttr("amdgpu-num-vgpr", std::to_string(maxRegisters));
  llvm::Type *word = llvm::Type::getInt32Ty(function.getContext());
  auto number = [&](unsigned value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, value));
  };
  function.setMetadata(
      "reqd_work_group_size",
      llvm::MDNode::get(function.getContext(), {number(threads), number(1), number(1)}));
}

/// With its bound, so that no mask is computed that changes nothing.
Value *Program::threadId(GpuBuilder &b) const {
  auto *id = llvm::cast<llvm::CallInst>(b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {}));
  unsigned threads = 0;
  if (!b.GetInsertBlock()
           ->getParent()
           ->getFnAttribute("amdgpu-flat-work-group-size")
           .getValueAsString()
           .split(',')
           .second.getAsInteger(10, threads))
    id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, threads)));
  return id;
}

Value *Program::programId(GpuBuilder &b, unsigned axis) const {
  constexpr Intrinsic::ID ids[] = {Intrinsic::amdgcn_workgroup_id_x,
                                   Intrinsic::amdgcn_workgroup_id_y,
                                   Intrinsic::amdgcn_workgroup_id_z};
  return b.CreateIntrinsic(ids[axis], {});
}

/// The first three words of what the loader puts after the parameters, since version 5 of the code
/// object.
Value *Program::programCount(GpuBuilder &b, unsigned axis) const {
  Value *implicit = b.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {});
  llvm::LoadInst *count = b.CreateAlignedLoad(
      b.getInt32Ty(), b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), implicit, axis), llvm::Align(4));
  count->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return count;
}

/// A counter of 100 MHz.
Value *Program::nanoseconds(GpuBuilder &b) const {
  Value *ticks = b.CreateIntrinsic(b.getInt64Ty(), Intrinsic::readsteadycounter, {});
  return b.CreateMul(ticks, b.getInt64(10));
}

/// As a record in the buffer that HIP prints when the kernel has ended: PrintBuffer.cpp has the
/// function that finds room for it.
void Program::print(GpuBuilder &b, llvm::StringRef format,
                    llvm::ArrayRef<Value *> arguments) const {
  llvm::SmallVector<Value *> all = {b.CreateGlobalString(format, "format", 4)};
  all.append(arguments.begin(), arguments.end());
  llvm::IRBuilder<> own(b.GetInsertBlock(), b.GetInsertPoint());
  llvm::emitAMDGPUPrintfCall(own, all, /*isBuffered=*/true);
  b.SetInsertPoint(own.GetInsertBlock(), own.GetInsertPoint());
}

} // namespace tl::backend::amd
