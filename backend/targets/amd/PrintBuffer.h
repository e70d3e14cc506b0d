// SPDX-License-Identifier: MIT
//
// Printing on AMD's GPUs: records in a buffer that HIP makes for kernels that print, and reads when
// they have ended. LLVM writes the records, and calls for room for each; the function that finds
// it, which ROCm has in its device library, is made here.
#pragma once

#include "llvm/IR/Module.h"

namespace tl::backend::amd {

/// Defines what prints call, if the module has any.
void definePrintBuffer(llvm::Module &module);

} // namespace tl::backend::amd
