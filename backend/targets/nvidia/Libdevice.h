// SPDX-License-Identifier: MIT
//
// The functions that code for NVIDIA GPUs calls: those of arithmetic/plain, which the library has
// as bitcode, those that MathFunctions.h emits, and what only NVIDIA's own libdevice has, where a
// CUDA Toolkit is installed.
#pragma once

#include "lowering/DeviceFunctions.h"

namespace tl::backend::nvidia {

/// The file, or empty.
const std::string &libdevicePath();

/// Resolves what the module calls and does not define. Throws UnresolvedFunction for what is not
/// ours if there is no libdevice or it does not have the function.
void linkLibdevice(llvm::Module &module, const GpuArithmetic &arithmetic);

} // namespace tl::backend::nvidia
