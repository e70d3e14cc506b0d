// SPDX-License-Identifier: MIT
//
// Code generation with reused target machines, and linking into this process with JITLink.
#include "targets/cpu/Jit.h"

#include "targets/Target.h"
#include "targets/cpu/JitSymbols.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
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
  Error error;
  error.status = status;
  error.message = std::move(message);
  error.device = "cpu";
  throw error;
}

void throwFatal(void *, const char *reason, bool) {
  fail(TL_COMPILE_ERROR, std::string("the code generator gave up: ") + reason);
}

/// Everything LLVM wants once in a process.
void initializeLLVM() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(throwFatal);
    return true;
  }();
  (void)done;
}

class ThrowErrors final : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    fail(TL_COMPILE_ERROR, "the code generator gave up: " + text);
  }
};

/// Target machines that no thread uses at the moment. Making one costs more than compiling a small
/// kernel with it.
class TargetMachines {
public:
  std::unique_ptr<llvm::TargetMachine> take(const HostFeatures &features, CodeLevel level) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto &idle = machines[key(features, level)];
      if (!idle.empty()) {
        auto machine = std::move(idle.back());
        idle.pop_back();
        return machine;
      }
    }
    std::string problem;
    llvm::Triple triple(features.triple);
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target)
      fail(TL_UNSUPPORTED, "no code generator for " + features.triple);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // only where the IR says `contract`
    options.UseInitArray = true;
    auto machine = std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, features.cpu, features.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        level == CodeLevel::fast ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::Default,
        /*JIT=*/true));
    if (!machine)
      fail(TL_UNSUPPORTED, "no code generator for " + features.triple);
    return machine;
  }

  /// Not called after a failure: a machine that threw is dropped.
  void giveBack(const HostFeatures &features, CodeLevel level,
                std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard<std::mutex> lock(mutex);
    machines[key(features, level)].push_back(std::move(machine));
  }

  static TargetMachines &shared() {
    static TargetMachines &machines = *new TargetMachines;
    return machines;
  }

private:
  static std::string key(const HostFeatures &features, CodeLevel level) {
    return features.triple + ';' + features.cpu + ';' + features.features + ';' +
           (level == CodeLevel::fast ? '1' : '2');
  }

  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> machines;
};

std::string generate(llvm::Module &module, const HostFeatures &features, CodeLevel level,
                     llvm::CodeGenFileType type) {
  initializeLLVM();
  auto machine = TargetMachines::shared().take(features, level);
  llvm::SmallVector<char, 0> buffer;
  {
    llvm::raw_svector_ostream stream(buffer);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
      fail(TL_INTERNAL_ERROR, "the code generator cannot write this kind of file");
    passes.run(module);
  }
  TargetMachines::shared().giveBack(features, level, std::move(machine));
  return std::string(buffer.begin(), buffer.end());
}

thread_local std::string linkProblem;

/// The linker of the process. One dynamic library for each kernel, so that each can be freed alone.
class Linker {
public:
  static Linker &shared() {
    static Linker &linker = *new Linker;
    return linker;
  }

  std::unique_ptr<LoadedCode> load(const std::string &object, const std::string &symbol);

private:
  Linker() : session(process()), layer(session, session.getExecutorProcessControl().getMemMgr()) {
    // The failure of a look-up says only that it failed; the reason comes this way before it.
    session.setErrorReporter(
        [](llvm::Error error) { linkProblem = llvm::toString(std::move(error)); });
    host = &session.createBareJITDylib("host");
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : jitSymbols())
      symbols[session.intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                       llvm::JITSymbolFlags::Exported |
                                           llvm::JITSymbolFlags::Callable};
    llvm::cantFail(host->define(llvm::orc::absoluteSymbols(std::move(symbols))));
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

std::unique_ptr<LoadedCode> Linker::load(const std::string &object, const std::string &symbol) {
  // A bare library with a unique name; the name of the kernel need not be unique.
  llvm::orc::JITDylib &library =
      session.createBareJITDylib("kernel." + std::to_string(serial.fetch_add(1)));
  auto code = std::make_unique<LinkedCode>(*this, library);
  library.addToLinkOrder(*host);
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
  initializeLLVM();
  auto machine = TargetMachines::shared().take(features, CodeLevel::good);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  TargetMachines::shared().giveBack(features, CodeLevel::good, std::move(machine));
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

std::string compileToObject(llvm::Module &module, const HostFeatures &features, CodeLevel level) {
  return generate(module, features, level, llvm::CodeGenFileType::ObjectFile);
}

std::string compileToAssembly(llvm::Module &module, const HostFeatures &features, CodeLevel level) {
  return generate(module, features, level, llvm::CodeGenFileType::AssemblyFile);
}

std::unique_ptr<LoadedCode> loadCode(const std::string &object, const std::string &symbol) {
  return Linker::shared().load(object, symbol);
}

} // namespace tl::backend::cpu
