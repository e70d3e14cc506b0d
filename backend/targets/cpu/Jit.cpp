// SPDX-License-Identifier: MIT
//
// Code generation with reused target machines, and linking into this process with JITLink.
#include "targets/cpu/Jit.h"

#include "codegen/CodeGenerators.h"
#include "targets/Target.h"
#include "targets/cpu/JitSymbols.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tl::backend::cpu {
namespace {

[[noreturn]] void fail(tl_status status, std::string message) {
  throw Error(status, std::move(message)).onDevice("cpu");
}

/// Everything LLVM wants once in a process.
void initializeLLVM() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    throwFatalErrors();
    return true;
  }();
  (void)done;
}

std::unique_ptr<llvm::TargetMachine> newMachine(const HostFeatures &features) {
  std::string problem;
  llvm::Triple triple(features.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    fail(TL_UNSUPPORTED, "no code generator for " + features.triple);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // FuseMultiplyAdd has decided
  options.UseInitArray = true;
  auto machine = std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, features.cpu, features.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    fail(TL_UNSUPPORTED, "no code generator for " + features.triple);
  return machine;
}

/// One pool for all uses.
TargetMachines &machines() {
  static TargetMachines &pool = *new TargetMachines;
  return pool;
}

/// Lends a machine for the features to `use`.
template <class Use> auto withMachine(const HostFeatures &features, Use &&use) {
  initializeLLVM();
  std::string name = features.triple + ';' + features.cpu + ';' + features.features;
  return machines().lend(name, [&] { return newMachine(features); }, use);
}

/// Much of code generation takes more than twice as long for twice as much. A block of 9000
/// instructions takes 4 s as others do, 1.5 s with less optimization, 0.2 s without; 1800 blocks of
/// 35000 take 10 s and 0.3 s.
llvm::CodeGenOptLevel levelFor(const llvm::Module &module) {
  size_t longest = 0, all = 0;
  for (const llvm::Function &function : module) {
    all += function.getInstructionCount();
    for (const llvm::BasicBlock &block : function)
      longest = std::max(longest, block.size());
  }
  return longest >= 12000 || all >= 30000 ? llvm::CodeGenOptLevel::None
         : longest >= 4000                ? llvm::CodeGenOptLevel::Less
                                          : llvm::CodeGenOptLevel::Default;
}

std::string generate(llvm::Module &module, const HostFeatures &features,
                     llvm::CodeGenFileType type) {
  return withMachine(features, [&](llvm::TargetMachine &machine) {
    machine.setOptLevel(levelFor(module));
    return generateFile(machine, module, type);
  });
}

thread_local std::string linkProblem;

/// The linker of the process. One dynamic library for each kernel, so that each can be freed alone.
class Linker {
public:
  static Linker &shared() {
    static Linker &linker = *new Linker;
    return linker;
  }

  using Symbols = std::vector<std::pair<const char *, void *>>;
  std::unique_ptr<LoadedCode> load(const std::string &object, const std::string &symbol,
                                   const Symbols &more);

private:
  Linker() : session(process()), layer(session, session.getExecutorProcessControl().getMemMgr()) {
    // The failure of a look-up says only that it failed; the reason comes this way before it.
    session.setErrorReporter(
        [](llvm::Error error) { linkProblem = llvm::toString(std::move(error)); });
    host = &session.createBareJITDylib("host");
    define(*host, jitSymbols());
  }

  void define(llvm::orc::JITDylib &library, const Symbols &list) {
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : list)
      symbols[session.intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                       llvm::JITSymbolFlags::Exported |
                                           llvm::JITSymbolFlags::Callable};
    llvm::cantFail(library.define(llvm::orc::absoluteSymbols(std::move(symbols))));
  }

  static std::unique_ptr<llvm::orc::ExecutorProcessControl> process() {
    auto process = llvm::orc::SelfExecutorProcessControl::Create(
        nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
    if (!process)
      fail(TL_INTERNAL_ERROR,
           "cannot link into this process: " + llvm::toString(process.takeError()));
    return std::move(*process);
  }

  friend class LinkedCode;
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer layer;
  llvm::orc::JITDylib *host = nullptr;
  std::atomic<uint64_t> serial{0};
};

class LinkedCode final : public LoadedCode {
public:
  LinkedCode(Linker &linker, llvm::orc::JITDylib &library) : linker(linker), library(library) {}
  ~LinkedCode() override { llvm::consumeError(linker.session.removeJITDylib(library)); }

private:
  Linker &linker;
  llvm::orc::JITDylib &library;
};

std::unique_ptr<LoadedCode> Linker::load(const std::string &object, const std::string &symbol,
                                         const Symbols &more) {
  // A bare library with a unique name; the name of the kernel need not be unique.
  llvm::orc::JITDylib &library =
      session.createBareJITDylib("kernel." + std::to_string(serial.fetch_add(1)));
  auto code = std::make_unique<LinkedCode>(*this, library);
  library.addToLinkOrder(*host);
  if (!more.empty())
    define(library, more);
  if (auto error =
          layer.add(library, llvm::MemoryBuffer::getMemBufferCopy(object, library.getName())))
    fail(TL_RUNTIME_ERROR,
         "cannot read the object file of the kernel: " + llvm::toString(std::move(error)));
  linkProblem.clear();
  auto found = session.lookup({&library}, session.intern(symbol));
  if (!found) {
    std::string problem = llvm::toString(found.takeError());
    fail(TL_RUNTIME_ERROR,
         "cannot link the kernel: " + (linkProblem.empty() ? problem : linkProblem));
  }
  code->entry = found->getAddress().toPtr<void *>();
  return code;
}

} // namespace

void initializeModule(llvm::Module &module, const HostFeatures &features) {
  module.setDataLayout(withMachine(features, [&](llvm::TargetMachine &machine) {
    module.setTargetTriple(machine.getTargetTriple());
    return machine.createDataLayout();
  }));
}

void setTargetAttributes(llvm::Function &function, const HostFeatures &features) {
  function.addFnAttr("target-cpu", features.cpu);
  if (!features.features.empty())
    function.addFnAttr("target-features", features.features);
  std::string width = std::to_string(features.vectorBytes * 8);
  function.addFnAttr("prefer-vector-width", width);
  function.addFnAttr("min-legal-vector-width", width);
}

void installDiagnosticHandler(llvm::LLVMContext &context) {
  initializeLLVM();
  context.setDiagnosticHandler(std::make_unique<ThrowErrors>());
}

std::string compileToObject(llvm::Module &module, const HostFeatures &features) {
  return generate(module, features, llvm::CodeGenFileType::ObjectFile);
}

std::string compileToAssembly(llvm::Module &module, const HostFeatures &features) {
  return generate(module, features, llvm::CodeGenFileType::AssemblyFile);
}

std::unique_ptr<LoadedCode> loadCode(const std::string &object, const std::string &symbol,
                                     const std::vector<std::pair<const char *, void *>> &more) {
  return Linker::shared().load(object, symbol, more);
}

} // namespace tl::backend::cpu
