// SPDX-License-Identifier: MIT
//
// The functions of this folder, compiled for AMD's GPUs, as LLVM bitcode.
#pragma once

namespace tl::backend {

extern const char amdFunctions[];
extern const unsigned long amdFunctionsSize;

} // namespace tl::backend
