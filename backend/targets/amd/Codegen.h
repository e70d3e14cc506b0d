// SPDX-License-Identifier: MIT
//
// LLVM IR to machine code of AMD's GPUs, in process. Errors of the code generator come out as
// Error, never as the end of the process. Next: Link.h, from an object file to a code object.
#pragma once

#include "targets/amd/Architecture.h"

#include "llvm/IR/Module.h"

#include <string>

namespace tl::backend::amd {

/// Triple, data layout and the version of the code object; makes the context's errors exceptions.
void initializeModule(llvm::Module &module, const Architecture &architecture);

/// The LLVM passes, in order.
void optimize(llvm::Module &module);

/// Both consume the module.
std::string compileToAssembly(llvm::Module &module, const Architecture &architecture);
std::string compileToObject(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::amd
