// SPDX-License-Identifier: MIT
#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

void Program::initialize(llvm::Module &module) const {
  gpu::initializeModule(module, generatorFor(architecture));
}

void Program::markKernel(llvm::Function &function, unsigned threads, unsigned maxRegisters) const {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(threads));
  if (maxRegisters)
    function.addFnAttr("nvvm.maxnreg", std::to_string(maxRegisters));
}

/// With its bound, where that is known, so that no mask is computed that changes nothing.
Value *Program::threadId(GpuBuilder &b) const {
  auto *id = llvm::cast<llvm::CallInst>(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}));
  llvm::Attribute threads = b.GetInsertBlock()->getParent()->getFnAttribute("nvvm.reqntid");
  unsigned count = 0;
  if (threads.isValid() && !threads.getValueAsString().getAsInteger(10, count))
    id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, count)));
  return id;
}

Value *Program::programId(GpuBuilder &b, unsigned axis) const {
  constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *Program::programCount(GpuBuilder &b, unsigned axis) const {
  constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *Program::nanoseconds(GpuBuilder &b) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_globaltimer, {});
}

/// vprintf takes the address of the arguments, each aligned to its own size.
void Program::print(GpuBuilder &b, llvm::StringRef format,
                    llvm::ArrayRef<Value *> arguments) const {
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::SmallVector<llvm::Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Value *list = llvm::ConstantPointerNull::get(b.getPtrTy());
  if (!types.empty()) {
    auto *record = llvm::StructType::get(b.getContext(), types);
    llvm::IRBuilder<> at(&function->getEntryBlock(), function->getEntryBlock().begin());
    auto *space = at.CreateAlloca(record);
    for (unsigned i = 0; i < types.size(); ++i)
      b.CreateStore(arguments[i], b.CreateStructGEP(record, space, i));
    list = space;
  }
  auto *text = b.CreateGlobalString(format, "format", 0, &module);
  auto callee = module.getOrInsertFunction(
      "vprintf", llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false));
  b.CreateCall(callee, {text, list});
}

} // namespace tl::backend::nvidia
