// SPDX-License-Identifier: MIT
#include "targets/nvidia/Libdevice.h"

#include "arithmetic/plain/NvidiaFunctions.h"
#include "targets/nvidia/Toolkit.h"
#include "tl/impl/libdevice_functions.hpp"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tl::backend::nvidia {

const std::string &libdevicePath() {
  static const std::string &path =
      *new std::string(findToolkitFile("nvvm/libdevice/libdevice.10.bc"));
  return path;
}

namespace {

// ---- NVIDIA's

void resolveByLibdevice(llvm::Module &module, llvm::ArrayRef<llvm::Function *> missing) {
  auto fail = [](llvm::StringRef name, const char *why) {
    throw UnresolvedFunction{name.str(), why};
  };
  if (libdevicePath().empty())
    fail(missing[0]->getName(), "it is a part of libdevice, which no CUDA Toolkit here provides");
  auto buffer = llvm::MemoryBuffer::getFile(libdevicePath());
  if (!buffer)
    fail(missing[0]->getName(), "libdevice cannot be read");
  auto library = llvm::getLazyBitcodeModule((*buffer)->getMemBufferRef(), module.getContext());
  if (!library) {
    llvm::consumeError(library.takeError());
    fail(missing[0]->getName(), "libdevice is not readable bitcode");
  }
  for (llvm::Function *function : missing) {
    llvm::Function *found = (*library)->getFunction(function->getName());
    if (!found)
      fail(function->getName(), "libdevice does not have it");
    if (found->getFunctionType() != function->getFunctionType())
      fail(function->getName(), "libdevice's function has operands or a result of other types");
  }
  linkLibrary(module, std::move(*library));
  // __nvvm_reflect("__CUDA_FTZ") = 0: denormals are kept.
  if (llvm::Function *reflect = module.getFunction("__nvvm_reflect")) {
    for (llvm::User *user : llvm::make_early_inc_range(reflect->users()))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user)) {
        call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 0));
        call->eraseFromParent();
      }
    if (reflect->use_empty())
      reflect->eraseFromParent();
  }
}

} // namespace

void linkLibdevice(llvm::Module &module, const GpuArithmetic &arithmetic) {
  const auto others = resolveOurFunctions(
      module, llvm::StringRef(nvidiaFunctions, nvidiaFunctionsSize), arithmetic, {"vprintf"});
  for (llvm::Function *function : others) {
    llvm::StringRef plain = function->getName();
    if (!plain.consume_front("__nv_"))
      plain.consume_front("tl_");
    const std::string name = plain.str();
    if (llvm::any_of(impl::library_functions,
                     [&](const auto &row) { return row.symbol() == name; }))
      throw Error(TL_INTERNAL_ERROR, "our functions for NVIDIA's GPUs lack '" + name + "'");
  }
  if (!others.empty())
    resolveByLibdevice(module, others);
}

} // namespace tl::backend::nvidia
