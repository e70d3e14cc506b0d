// SPDX-License-Identifier: MIT
//
// tl-opt --lower-to-ptx: TTGIR in, PTX out, for tests of single operations.
#include "dialect/Context.h"
#include "dialect/Gpu.h"
#include "lowering/GpuLowering.h"
#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/Hooks.h"

#include "mlir/Pass/Pass.h"

namespace {

using namespace tl::backend;

struct LowerToPtx : mlir::PassWrapper<LowerToPtx, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToPtx)
  LowerToPtx() = default;
  LowerToPtx(const LowerToPtx &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const final { return "lower-to-ptx"; }
  llvm::StringRef getDescription() const final {
    return "prints PTX of each function, whose tensors have layouts";
  }

  void runOnOperation() override {
    auto architecture = nvidia::Architecture::parse(std::string(target));
    if (!architecture) {
      getOperation().emitError() << "unknown target '" << std::string(target) << "'";
      return signalPassFailure();
    }
    nvidia::NvidiaHooks hooks(*architecture);
    CompileOptions options;
    options.numWarps = int(numWarps);
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<tl::tt::FuncOp>())) {
      try {
        GpuKernelCode code = lowerToLLVM(function, hooks, options);
        nvidia::optimize(*code.module);
        llvm::outs() << nvidia::compileToPtx(*code.module, *architecture);
      } catch (const Error &error) {
        function.emitError() << error.message;
        return signalPassFailure();
      }
      function.erase();
    }
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("what to compile for"),
                             llvm::cl::init("sm_90a")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"),
                            llvm::cl::init(4)};
};

} // namespace

void registerLowerToPtx() { mlir::PassRegistration<LowerToPtx>(); }
