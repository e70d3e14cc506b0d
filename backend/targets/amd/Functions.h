// SPDX-License-Identifier: MIT
//
// What a module for AMD's GPUs calls and does not define: mathematics of ours. Nothing of ROCm's
// device library is needed. Next: lowering/DeviceFunctions.h.
#pragma once

#include "lowering/GpuInterfaces.h"

#include "llvm/IR/Module.h"

#include <optional>
#include <string>

namespace tl::backend::amd {

/// Resolves it. The symbol of a function that is not ours, if there is one.
std::optional<std::string> defineFunctions(llvm::Module &module, const GpuArithmetic &arithmetic);

} // namespace tl::backend::amd
