// SPDX-License-Identifier: MIT
#include "codegen/CodeGenerators.h"

#include "support/Error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend {

[[noreturn]] static void gaveUp(const std::string &reason) {
  throw Error(TL_COMPILE_ERROR, "the code generator gave up: " + reason);
}

void throwFatalErrors() {
  static const bool done = [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler([](void *, const char *reason, bool) { gaveUp(reason); });
    return true;
  }();
  (void)done;
}

bool ThrowErrors::handleDiagnostics(const llvm::DiagnosticInfo &info) {
  if (info.getSeverity() != llvm::DS_Error)
    return true;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  gaveUp(text);
}

std::unique_ptr<llvm::TargetMachine>
TargetMachines::take(const std::string &name,
                     llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()> make) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto &idle = machines[name];
    if (!idle.empty()) {
      auto machine = std::move(idle.back());
      idle.pop_back();
      return machine;
    }
  }
  return make();
}

void TargetMachines::giveBack(const std::string &name,
                              std::unique_ptr<llvm::TargetMachine> machine) {
  std::lock_guard<std::mutex> lock(mutex);
  machines[name].push_back(std::move(machine));
}

void checkCode([[maybe_unused]] const llvm::Module &module,
               [[maybe_unused]] const std::string &target,
               [[maybe_unused]] const std::string &kernel) {
#ifdef TL_CHECK_IR
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    throw Error(TL_INTERNAL_ERROR, "the " + target + " target made invalid code: " + problem)
        .inKernel(kernel);
#endif
}

std::string generateFile(llvm::TargetMachine &machine, llvm::Module &module,
                         llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
    throw Error(TL_INTERNAL_ERROR, "the code generator cannot write this kind of file");
  }
  passes.run(module);
  return std::string(buffer.begin(), buffer.end());
}

} // namespace tl::backend
