// SPDX-License-Identifier: MIT
//
// LLVM IR to the code of a GPU, in process, as far as vendors do not differ: target machines, and
// the passes of LLVM. Errors of the code generator come out as Error, never as the end of the
// process. Next: targets/<t>/Codegen.h for what a vendor adds.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"

#include <optional>
#include <string>

namespace tl::backend::gpu {

/// A code generator of LLVM, and what its machines are made with. LLVM knows its target already.
struct CodeGenerator {
  std::string vendor, triple, processor, features;
  std::optional<llvm::Reloc::Model> relocations;
};

/// Triple and data layout; makes the context's errors exceptions.
void initializeModule(llvm::Module &module, const CodeGenerator &generator);

/// Passes that one vendor's code wants, around those of all.
struct OwnPasses {
  llvm::FunctionPassManager first, last;
};

/// The LLVM passes, in order.
void optimize(llvm::Module &module, OwnPasses own);

/// Consumes the module.
std::string generate(llvm::Module &module, const CodeGenerator &generator,
                     llvm::CodeGenFileType type);

} // namespace tl::backend::gpu
