// SPDX-License-Identifier: MIT
//
// LLVM IR to machine code of AMD's GPUs, in process: what AMD adds to targets/gpu/Codegen.h. Next:
// Link.h, from an object file to a code object.
#pragma once

#include "targets/amd/Architecture.h"
#include "targets/gpu/Codegen.h"

namespace tl::backend::amd {

gpu::CodeGenerator generatorFor(const Architecture &architecture);

/// The LLVM passes, in order.
void optimize(llvm::Module &module, const Architecture &architecture);

/// Both consume the module.
std::string compileToAssembly(llvm::Module &module, const Architecture &architecture);
std::string compileToObject(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::amd
