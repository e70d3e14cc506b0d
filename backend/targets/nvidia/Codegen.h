// SPDX-License-Identifier: MIT
//
// LLVM IR to PTX, in process. Errors of the code generator come out as Error, never as the end of
// the process. Next: Assembler.h, PTX to machine code.
#pragma once

#include "targets/nvidia/Architecture.h"

#include "llvm/IR/Module.h"

#include <string>

namespace tl::backend::nvidia {

/// Triple and data layout of the architecture; makes the context's errors exceptions.
void initializeModule(llvm::Module &module, const Architecture &architecture);

/// The LLVM passes, in order.
void optimize(llvm::Module &module);

/// Consumes the module.
std::string compileToPtx(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::nvidia
