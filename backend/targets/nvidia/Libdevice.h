// SPDX-License-Identifier: MIT
//
// NVIDIA's library of mathematical functions as bitcode, where a CUDA Toolkit is installed: for the
// functions that we have no polynomial for.
#pragma once

#include "targets/nvidia/Hooks.h"

namespace tl::backend::nvidia {

/// The file, or empty.
const std::string &libdevicePath();

/// Resolves what the module calls and does not define. Throws TL_UNSUPPORTED with the function's
/// name if there is no libdevice or it does not have it.
void linkLibdevice(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::nvidia
