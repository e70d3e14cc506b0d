// SPDX-License-Identifier: MIT
//
// The way from TTIR text to the LLVM module that a GPU's code generator gets, once for all vendors:
// Pipeline.cpp reads top to bottom. It asks the vendor for the steps below, one object for one
// architecture. Next: targets/<t>/Pipeline.cpp, which has them and goes on to machine code.
#pragma once

#include "codegen/Kernels.h"
#include "lowering/DeviceFunctions.h"
#include "lowering/GpuModule.h"
#include "passes/Pipeline.h"
#include "support/CompileOptions.h"
#include "support/KernelSource.h"

#include <string_view>

namespace tl::backend::gpu {

/// The steps that only the vendor can do.
class VendorSteps {
public:
  virtual ~VendorSteps() = default;

  virtual const GpuTarget &target() const = 0;

  // ---- TTIR

  /// Adds what this GPU wants of the passes on TTIR. What all GPUs want is set.
  virtual void choosePasses(tt::TtirOptions &, const CompileOptions &) const {}

  // ---- TTGIR

  /// Writes on a module for which GPU, and for how many warps a program, it is compiled (ttg.gpu).
  virtual void describeGpu(mlir::ModuleOp module, const CompileOptions &options) const = 0;
  /// Runs the passes that give every tensor a layout.
  virtual void runTtgirPasses(mlir::ModuleOp module, const CompileOptions &options) const = 0;
  /// The last step before LLVM IR.
  virtual void finishTtgir(tt::FuncOp, GpuModule &) const {}

  // ---- LLVM IR

  /// The first step after the lowering; the module knows how much shared memory it needs.
  virtual void finishLowering(GpuModule &) const {}
  /// Resolves what the module calls and does not define. Throws UnresolvedFunction.
  virtual void defineFunctions(llvm::Module &module) const = 0;
  virtual void optimize(llvm::Module &module) const = 0;
};

/// As far as the module that the code generator would get. Throws Error.
GpuModule optimizedModule(KernelSource source, std::string_view entry, CompileOptions options,
                          const VendorSteps &vendor, GpuModuleRequest request);

/// Has `generate` make code of the module, which is gone then. Throws Error: at the user's line, if
/// the code generator refuses the user's assembly.
void generateCode(GpuModule &made,
                  llvm::function_ref<void(llvm::Module &module, Timer &watch)> generate);

} // namespace tl::backend::gpu
