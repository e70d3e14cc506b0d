// SPDX-License-Identifier: MIT
//
// LLVM's code generators inside this process: machines are kept and used again, and what would end
// the process becomes an Error. Each target makes its own machines and says what they write.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace tl::backend {

/// Fatal errors of LLVM throw Error from now on. Called before the first use of a code generator.
void throwFatalErrors();

/// For a context: errors in its modules throw Error.
class ThrowErrors : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override;
};

/// Machines that no thread uses at the moment, by a name for all that they were made with. Making
/// one costs more than compiling a small kernel with it.
class TargetMachines {
public:
  /// Lends a machine to `use`, and makes it where none is idle. One that threw is dropped.
  template <class Use>
  auto lend(const std::string &name,
            llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()> make, Use &&use) {
    auto machine = take(name, make);
    auto result = use(*machine);
    giveBack(name, std::move(machine));
    return result;
  }

private:
  std::unique_ptr<llvm::TargetMachine>
  take(const std::string &name, llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()> make);
  void giveBack(const std::string &name, std::unique_ptr<llvm::TargetMachine> machine);

  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> machines;
};

/// The attribute of a function that is called from many places, and stays one for the sake of short
/// code. Other internal functions become a part of a GPU's kernel.
constexpr char sharedRoutine[] = "tl-shared";

/// Where IR is checked (TL_CHECK_IR), throws Error, an internal one, for a module that is not
/// valid.
void checkCode(const llvm::Module &module, const std::string &target, const std::string &kernel);

/// What the machine writes for a module, which code generation changes.
std::string generateFile(llvm::TargetMachine &machine, llvm::Module &module,
                         llvm::CodeGenFileType type);

} // namespace tl::backend
