// SPDX-License-Identifier: MIT
#include "lowering/DeviceFunctions.h"

#include "codegen/CodeGenerators.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tl::backend {

namespace {

using Functions = llvm::SmallVector<llvm::Function *>;

Functions missingFunctions(llvm::Module &module, llvm::ArrayRef<llvm::StringRef> others) {
  Functions missing;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !llvm::is_contained(others, function.getName()))
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
  // What our code leaves to the C library, a GPU must have otherwise.
  const bool callsItself = llvm::any_of(function.users(), [&](llvm::User *user) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(user);
    return call && call->getFunction() == &function;
  });
  if (callsItself) {
    function.deleteBody();
    return false;
  }
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

} // namespace

void linkLibrary(llvm::Module &module, std::unique_ptr<llvm::Module> library) {
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

Functions resolveOurFunctions(llvm::Module &module, llvm::StringRef bitcode,
                              const GpuArithmetic &arithmetic,
                              llvm::ArrayRef<llvm::StringRef> others) {
  Functions unknown;
  // What is linked calls mathematics, and that may call what is to be linked.
  while (true) {
    bool hasOurs = false;
    auto library = llvm::cantFail(llvm::getLazyBitcodeModule(
        llvm::MemoryBufferRef(bitcode, "functions"), module.getContext()));
    unknown.clear();
    for (llvm::Function *function : missingFunctions(module, others)) {
      const std::string name = plainName(function->getName());
      llvm::Function *found = library->getFunction("tl_" + name);
      if (found && !found->isDeclaration() &&
          found->getFunctionType() == function->getFunctionType()) {
        rename(module, function, "tl_" + name);
        hasOurs = true;
      } else if (!defineAsMathematics(*function, name, arithmetic)) {
        unknown.push_back(function);
      }
    }
    if (!hasOurs)
      break;
    linkLibrary(module, std::move(library));
  }
  shareLongFunctions(module);
  return unknown;
}

} // namespace tl::backend
