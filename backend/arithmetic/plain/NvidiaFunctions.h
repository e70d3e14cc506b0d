// SPDX-License-Identifier: MIT
//
// The functions of this folder, compiled for NVIDIA's GPUs, as LLVM bitcode.
#pragma once

namespace tl::backend {

extern const char nvidiaFunctions[];
extern const unsigned long nvidiaFunctionsSize;

} // namespace tl::backend
