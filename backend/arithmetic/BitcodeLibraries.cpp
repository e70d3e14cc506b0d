// SPDX-License-Identifier: MIT
#include "arithmetic/BitcodeLibraries.h"

#include "arithmetic/MathBuilder.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace tl::backend {
namespace {

[[noreturn]] void fail(const llvm::Twine &message) { throw BitcodeLibraryError{message.str()}; }

std::string quoted(llvm::StringRef path) { return "'" + path.str() + "'"; }

template <class T> std::string printed(const T &thing) {
  std::string text;
  llvm::raw_string_ostream(text) << thing;
  return text;
}

std::unique_ptr<llvm::Module> readLibrary(llvm::StringRef path, llvm::Module &kernel) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    fail("the library " + quoted(path) +
         " of tl::extern_elementwise cannot be read: " + buffer.getError().message());
  auto library = llvm::parseBitcodeFile((*buffer)->getMemBufferRef(), kernel.getContext());
  if (!library) {
    llvm::consumeError(library.takeError());
    fail("the library " + quoted(path) +
         " of tl::extern_elementwise is not bitcode that LLVM " LLVM_VERSION_STRING " reads");
  }
  // What names no target is for all of them.
  const llvm::Triple &has = (*library)->getTargetTriple(), &wants = kernel.getTargetTriple();
  if (!has.str().empty() && (has.getArch() != wants.getArch() || has.getOS() != wants.getOS()))
    fail("the library " + quoted(path) + " of tl::extern_elementwise is for " + has.str() +
         ", the kernel for " + wants.str());
  (*library)->setTargetTriple(wants);
  // Layouts that describe more address spaces or registers than the other are no contradiction.
  const llvm::DataLayout &ours = kernel.getDataLayout(), &theirs = (*library)->getDataLayout();
  if (!(*library)->getDataLayoutStr().empty() &&
      (theirs.getPointerSizeInBits() != ours.getPointerSizeInBits() ||
       theirs.isBigEndian() != ours.isBigEndian()))
    fail("the library " + quoted(path) + " of tl::extern_elementwise has the data layout '" +
         (*library)->getDataLayoutStr() + "', the kernel '" + kernel.getDataLayoutStr() + "'");
  (*library)->setDataLayout(kernel.getDataLayout());
  return std::move(*library);
}

/// All of the files as one module.
std::unique_ptr<llvm::Module> readLibraries(llvm::StringRef paths, llvm::Module &kernel) {
  llvm::SmallVector<llvm::StringRef> each;
  paths.split(each, ':', -1, /*KeepEmpty=*/false);
  if (each.empty())
    fail("tl::extern_elementwise names no library");
  std::unique_ptr<llvm::Module> all;
  for (llvm::StringRef path : each) {
    auto library = readLibrary(path, kernel);
    if (!all)
      all = std::move(library);
    else if (llvm::Linker::linkModules(*all, std::move(library)))
      fail("the library " + quoted(path) +
           " of tl::extern_elementwise defines what another one defines");
  }
  return all;
}

/// Links the function, which becomes the module's `name`, and what it calls.
void linkFunction(llvm::IRBuilderBase &b, llvm::StringRef paths, llvm::StringRef symbol,
                  llvm::FunctionType *type, const std::string &name) {
  const llvm::Function &caller = *b.GetInsertBlock()->getParent();
  llvm::Module &kernel = *b.GetInsertBlock()->getModule();
  auto library = readLibraries(paths, kernel);
  llvm::Function *function = library->getFunction(symbol);
  if (!function || function->isDeclaration())
    fail("the library " + quoted(paths) + " of tl::extern_elementwise has no function '" + symbol +
         "'");
  if (function->getFunctionType() != type)
    fail("the function '" + symbol + "' of the library " + quoted(paths) + " is '" +
         printed(*function->getFunctionType()) + "', tl::extern_elementwise calls it as '" +
         printed(*type) + "'");
  // Only this function has a name for the kernel; what else there is must not meet the kernel's.
  for (llvm::GlobalValue &value : library->global_values()) {
    if (value.isDeclaration() || value.getName().starts_with("llvm."))
      continue;
    if (&value != function)
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
    value.setVisibility(llvm::GlobalValue::DefaultVisibility);
    value.setDLLStorageClass(llvm::GlobalValue::DefaultStorageClass);
    value.setDSOLocal(true);
  }
  for (llvm::Function &each : *library) {
    if (each.isDeclaration())
      continue;
    each.setComdat(nullptr);
    // For the processor that its caller is for, and a part of it where it is called.
    for (const char *kind :
         {"target-cpu", "target-features", "min-legal-vector-width", "prefer-vector-width"}) {
      each.removeFnAttr(kind);
      if (caller.hasFnAttribute(kind))
        each.addFnAttr(caller.getFnAttribute(kind));
    }
    for (auto kind : {llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone})
      each.removeFnAttr(kind);
  }
  function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  function->setName(name);
  if (llvm::Linker::linkModules(kernel, std::move(library), llvm::Linker::LinkOnlyNeeded))
    fail("the library " + quoted(paths) + " of tl::extern_elementwise cannot be linked");
  kernel.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace

llvm::Value *emitBitcodeCall(llvm::IRBuilderBase &b, llvm::StringRef paths, llvm::StringRef symbol,
                             llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result,
                             bool pure) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType()->getScalarType());
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::Module &kernel = *b.GetInsertBlock()->getModule();
  const std::string name = "tl.extern." + symbol.str() + "." + paths.str() + "." + printed(*type);
  if (!kernel.getFunction(name)) {
    // Needed, so that the linker brings it.
    llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, kernel);
    linkFunction(b, paths, symbol, type, name);
  }
  return emitCallPerLane(b, name, operands, result, pure);
}

} // namespace tl::backend
