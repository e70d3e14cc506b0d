// SPDX-License-Identifier: MIT
#include "targets/nvidia/Libdevice.h"

#include "arithmetic/Math.h"
#include "arithmetic/plain/NvidiaFunctions.h"
#include "codegen/CodeGenerators.h"
#include "targets/nvidia/Toolkit.h"
#include "tl/impl/libdevice_functions.hpp"

#include "llvm/ADT/StringSet.h"
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

using Functions = llvm::SmallVector<llvm::Function *>;

Functions missingFunctions(llvm::Module &module) {
  Functions missing;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        function.getName() != "vprintf")
      missing.push_back(&function);
  return missing;
}

/// The name in CUDA's library without its prefix: that of a function that a kernel calls by it
/// (__nv_erfcf), or that the lowering calls by the name of the C library (erfcf) or ours
/// (tl_erfcxf).
std::string plainName(llvm::StringRef name) {
  if (!name.consume_front("__nv_"))
    name.consume_front("tl_");
  return name.str();
}

/// Calls of the function become those of the one with the name.
void rename(llvm::Module &module, llvm::Function *function, const std::string &name) {
  llvm::Function *known = module.getFunction(name);
  if (known && known != function) {
    function->replaceAllUsesWith(known);
    function->eraseFromParent();
  } else {
    function->setName(name);
  }
}

/// Links what the module needs of the library. All of it is the module's alone afterwards.
void link(llvm::Module &module, std::unique_ptr<llvm::Module> library) {
  llvm::StringSet<> before;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      before.insert(function.getName());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !before.contains(function.getName())) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      for (const char *attribute : {"target-cpu", "target-features", "no-builtins"})
        function.removeFnAttr(attribute);
    }
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration() && global.hasName() && global.hasExternalLinkage())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
}

// ---- Ours

/// Functions that would be too much code where they are called stay functions; the others become a
/// part of the kernel.
void shareLongFunctions(llvm::Module &module) {
  constexpr unsigned mostInline = 8192; // as in lowering/Elementwise.cpp
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getName().starts_with("tl_") &&
        function.getNumUses() > 1 &&
        function.getInstructionCount() * function.getNumUses() > mostInline) {
      function.addFnAttr(sharedRoutine);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
}

bool defineAsMathematics(llvm::Function &function, const std::string &name,
                         const GpuArithmetic &arithmetic) {
  const auto which = mathFunctionOfSymbol("__nv_" + name);
  llvm::Type *type = function.getReturnType();
  if (!which || (!type->isFloatTy() && !type->isDoubleTy()))
    return false;
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Argument &argument : function.args())
    operands.push_back(&argument);
  llvm::Value *value = arithmetic.math(b, *which, operands);
  b.CreateRet(value ? value : emitMath(b, *which, operands, gpuFeatures));
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

/// What is ours of the functions; the others are left.
Functions resolveOurs(llvm::Module &module, const GpuArithmetic &arithmetic) {
  Functions others;
  // What is linked calls mathematics, and that may call what is to be linked.
  while (true) {
    bool hasOurs = false;
    auto library = llvm::cantFail(llvm::getLazyBitcodeModule(
        llvm::MemoryBufferRef(llvm::StringRef(nvidiaFunctions, nvidiaFunctionsSize), "functions"),
        module.getContext()));
    others.clear();
    for (llvm::Function *function : missingFunctions(module)) {
      const std::string name = plainName(function->getName());
      llvm::Function *found = library->getFunction("tl_" + name);
      if (found && !found->isDeclaration() &&
          found->getFunctionType() == function->getFunctionType()) {
        rename(module, function, "tl_" + name);
        hasOurs = true;
      } else if (!defineAsMathematics(*function, name, arithmetic)) {
        if (llvm::any_of(impl::library_functions,
                         [&](const auto &row) { return row.symbol() == name; }))
          throw Error(TL_INTERNAL_ERROR, "our functions for NVIDIA's GPUs lack '" + name + "'");
        others.push_back(function);
      }
    }
    if (!hasOurs)
      break;
    link(module, std::move(library));
  }
  shareLongFunctions(module);
  return others;
}

// ---- NVIDIA's

void resolveByLibdevice(llvm::Module &module, const Functions &missing,
                        const Architecture &architecture) {
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
    llvm::Function *found = (*library)->getFunction(function->getName());
    if (!found)
      fail(function->getName(), "libdevice does not have it");
    if (found->getFunctionType() != function->getFunctionType())
      fail(function->getName(), "libdevice's function has operands or a result of other types");
  }
  link(module, std::move(*library));
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

void linkLibdevice(llvm::Module &module, const Architecture &architecture,
                   const GpuArithmetic &arithmetic) {
  if (missingFunctions(module).empty())
    return;
  if (Functions others = resolveOurs(module, arithmetic); !others.empty())
    resolveByLibdevice(module, others, architecture);
}

} // namespace tl::backend::nvidia
