// SPDX-License-Identifier: MIT
//
// From TTGIR to LLVM IR for GPUs, as targets call it. Next: KernelLowering.h for how it is done,
// GpuInterfaces.h for what a target provides.
#pragma once

#include "dialect/Dialect.h"
#include "lowering/GpuInterfaces.h"
#include "lowering/GpuModule.h"
#include "support/CompileOptions.h"

#include <string>

namespace tl::backend {

/// Throws Error with a source location unless every tensor has a layout for these counts of lanes
/// and warps, and operations get what they can take.
void verifyLayouts(tt::FuncOp kernel, unsigned lanes, unsigned warps, const std::string &target);

/// Calls are expensive on a GPU, and a tensor argument has no registers to travel in: every
/// function is to be inlined, whatever it asked for.
void inlineEverything(mlir::ModuleOp module);

/// Throws Error for constants that no GPU takes.
void checkConstants(mlir::ModuleOp module, const std::string &target);

/// How many warps a program gets of which a number is asked: more where a tensor of the kernel
/// would not fit into its threads, until it fits well or there are no more. Before any pass.
unsigned warpsFor(tt::FuncOp kernel, unsigned asked, unsigned lanes);

/// Lowers a kernel whose tensors have layouts; with `lines`, instructions get the user's lines as
/// debug locations, of which code generators write nothing. Throws Error with the user's line.
GpuKernelCode lowerToLLVM(tt::FuncOp kernel, const GpuTarget &target, const CompileOptions &options,
                          bool lines = false);

} // namespace tl::backend
