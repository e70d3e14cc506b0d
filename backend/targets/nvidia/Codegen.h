// SPDX-License-Identifier: MIT
//
// LLVM IR to PTX, in process: what NVIDIA adds to targets/gpu/Codegen.h. Next: Assembler.h, PTX to
// machine code.
#pragma once

#include "targets/gpu/Codegen.h"
#include "targets/nvidia/Architecture.h"

namespace tl::backend::nvidia {

gpu::CodeGenerator generatorFor(const Architecture &architecture);

/// The LLVM passes, in order.
void optimize(llvm::Module &module);

/// Consumes the module.
std::string compileToPtx(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::nvidia
