// SPDX-License-Identifier: MIT
#include "targets/nvidia/Libdevice.h"

#include "arithmetic/Math.h"
#include "targets/nvidia/Toolkit.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tl::backend::nvidia {

const std::string &libdevicePath() {
  static const std::string &path =
      *new std::string(findToolkitFile("nvvm/libdevice/libdevice.10.bc"));
  return path;
}

namespace {

/// libdevice's name of a function that a kernel calls by it, or that the lowering calls by the name
/// of the C library.
std::string libdeviceName(llvm::StringRef name) {
  if (name.starts_with("__nv_"))
    return name.str();
  std::string symbol = libdeviceSymbolOf(std::string_view(name.data(), name.size()));
  return symbol.empty() ? name.str() : symbol;
}

} // namespace

void linkLibdevice(llvm::Module &module, const Architecture &architecture) {
  llvm::SmallVector<llvm::Function *> missing;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        function.getName() != "vprintf")
      missing.push_back(&function);
  if (missing.empty())
    return;
  auto fail = [&](llvm::StringRef name, const std::string &why) {
    throw UnresolvedFunction{name.str(), "the " + architecture.name +
                                             " target does not have the function '" + name.str() +
                                             "': " + why};
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
    std::string name = libdeviceName(function->getName());
    llvm::Function *found = (*library)->getFunction(name);
    if (!found)
      fail(function->getName(), "libdevice does not have it");
    if (found->getFunctionType() != function->getFunctionType())
      fail(function->getName(), "libdevice's function has operands or a result of other types");
    if (llvm::Function *known = module.getFunction(name); known && known != function) {
      function->replaceAllUsesWith(known);
      function->eraseFromParent();
    } else {
      function->setName(name);
    }
  }
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  // Only what is needed; all of it is ours alone afterwards.
  llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getName().starts_with("__nv_"))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration() && global.hasName() && global.hasExternalLinkage())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
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

} // namespace tl::backend::nvidia
