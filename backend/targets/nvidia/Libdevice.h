// SPDX-License-Identifier: MIT
//
// NVIDIA's library of mathematical functions as bitcode, where a CUDA Toolkit is installed: for the
// functions that we have no polynomial for.
#pragma once

#include "targets/nvidia/Architecture.h"

#include "llvm/IR/Module.h"

namespace tl::backend::nvidia {

/// The file, or empty.
const std::string &libdevicePath();

/// Thrown for a function that the module calls and nobody has.
struct UnresolvedFunction {
  std::string symbol;  // as the module calls it
  std::string message; // of the Error that the user gets
};

/// Resolves what the module calls and does not define. Throws UnresolvedFunction if there is no
/// libdevice or it does not have the function.
void linkLibdevice(llvm::Module &module, const Architecture &architecture);

} // namespace tl::backend::nvidia
