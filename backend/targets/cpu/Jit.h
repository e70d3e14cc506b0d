// SPDX-License-Identifier: MIT
//
// From an LLVM module to code that can be called, in two steps that meet in a plain string: compile
// (module -> object file; what a disk cache may keep) and load (object file -> executable memory).
// No LLVM header is needed here. Next: Driver.h, which runs what is loaded.
#pragma once

#include "targets/cpu/HostFeatures.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace tl::backend::cpu {

/// Gives a module the triple and the data layout of the host, which must be there before IR is
/// built in it. Thread-safe.
void initializeModule(llvm::Module &module, const HostFeatures &features);

/// Marks a function for the features' CPU and vector width. Every function with a body needs it,
/// or code generators that shun wide registers split the vectors.
void setTargetAttributes(llvm::Function &function, const HostFeatures &features);

/// Makes errors inside LLVM (unsupported intrinsics, broken inline assembly) exceptions of type
/// Error instead of the end of the process, for every module of the context. Call it once for each
/// context.
void installDiagnosticHandler(llvm::LLVMContext &context);

/// Generates an object file, of very long kernels with less optimization. The module is consumed in
/// spirit: code generation changes it. Thread-safe; code generators are kept and reused, one for
/// each thread at work. Throws Error.
std::string compileToObject(llvm::Module &module, const HostFeatures &features);

/// The same as assembly text, human-readable.
std::string compileToAssembly(llvm::Module &module, const HostFeatures &features);

/// Code in executable memory; freed when destroyed.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  /// The address of the symbol that was asked for.
  void *entry = nullptr;
};

/// Links an object file and returns it with the address of `symbol`. Calls out of it resolve to the
/// hooks of Driver.h, the C library's mathematics and memory functions, `more` that the caller has,
/// and nothing else. Thread-safe. Throws Error when a symbol is missing or the object is damaged.
std::unique_ptr<LoadedCode> loadCode(const std::string &object, const std::string &symbol,
                                     const std::vector<std::pair<const char *, void *>> &more = {});

} // namespace tl::backend::cpu
