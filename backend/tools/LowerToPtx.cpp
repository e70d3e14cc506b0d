// SPDX-License-Identifier: MIT
//
// tl-opt --lower-to-ptx: TTGIR in, PTX out, for tests of single operations.
#include "dialect/Context.h"
#include "dialect/Gpu.h"
#include "lowering/GpuLowering.h"
#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/InlineAssembly.h"
#include "targets/nvidia/NvidiaGpu.h"

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
    const nvidia::NvidiaGpu gpu(*architecture);
    if (numWarps > 32 || !llvm::isPowerOf2_32(numWarps)) {
      getOperation().emitError() << "num-warps must be a power of two from 1 to 32, found "
                                 << unsigned(numWarps);
      return signalPassFailure();
    }
    CompileOptions options;
    options.numWarps = int(numWarps);
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<tl::tt::FuncOp>())) {
      std::vector<tl::backend::SourceLocation> inlineAsm;
      try {
        verifyLayouts(function, gpu.target.program.lanes(), numWarps, architecture->name);
        GpuKernelCode code = lowerToLLVM(function, gpu.target, options);
        inlineAsm = code.inlineAsm;
        nvidia::optimize(*code.module);
        llvm::outs() << nvidia::compileToPtx(*code.module, *architecture);
      } catch (const Error &error) {
        return fail(function, error);
      } catch (const AssemblyError &error) {
        return fail(function, assemblyErrorAt(inlineAsm.at(error.number), error.message));
      }
      function.erase();
    }
  }

  void fail(tl::tt::FuncOp function, const Error &error) {
    mlir::Location location = function.getLoc();
    if (error.line)
      location = mlir::FileLineColLoc::get(&getContext(), error.file, error.line, error.column);
    mlir::emitError(location) << error.message;
    signalPassFailure();
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("what to compile for"),
                             llvm::cl::init("sm_90a")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"),
                            llvm::cl::init(4)};
};

} // namespace

void registerLowerToPtx() { mlir::PassRegistration<LowerToPtx>(); }
