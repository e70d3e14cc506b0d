// SPDX-License-Identifier: MIT
//
// What all devices read by NVIDIA's assembly (support/SpecialRegister.h), as AMD's GPUs have it.
#pragma once

#include "lowering/GpuInterfaces.h"

#include "llvm/IR/Module.h"

namespace tl::backend::amd {

/// Replaces the texts of a module that has been lowered. Multiprocessors have no number here.
void replaceSpecialRegisters(llvm::Module &module, const GpuProgram &program);

} // namespace tl::backend::amd
