// SPDX-License-Identifier: MIT
#include "targets/cpu/Lowering.h"

#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Jit.h"

namespace tl::backend::cpu {

LoweredKernel lowerToLLVM(tt::FuncOp kernel, const CompileOptions &options,
                          const HostFeatures &features) {
  LoweredKernel result;
  result.context = std::make_unique<llvm::LLVMContext>();
  installDiagnosticHandler(*result.context);
  result.module = std::make_unique<llvm::Module>("kernel", *result.context);
  initializeModule(*result.module, features);
  ModuleLowering module(*result.module, features, options);
  // A name that no C function has, so that kernels may be called "memset".
  result.entry = "tl_kernel_" + kernel.getSymName().str();
  kernel.walk([&](mlir::Operation *operation) {
    module.hasAtomics |= mlir::isa<tt::AtomicOpInterface, tt::CallOp>(operation);
    result.gridBarrier |= mlir::isa<tt::GridBarrierOp>(operation);
  });
  module.hasAtomics |= result.gridBarrier;
  FunctionLowering function(module, kernel);
  function.emitKernel(result.entry);
  result.scratchBytes = function.scratchBytes();
  result.sites = std::move(module.sites);
  return result;
}

} // namespace tl::backend::cpu
