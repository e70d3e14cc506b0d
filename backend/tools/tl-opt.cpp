// SPDX-License-Identifier: MIT
//
// tl-opt reads TTIR, runs the passes named on the command line, and prints the result: the tool of
// the FileCheck tests, and of whoever wants to look at one pass alone.
#include "dialect/Context.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GpuPasses.h"
#include "passes/GpuPipeline.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "llvm/Support/CommandLine.h"

namespace {

using Spelling = tl::tt::TTDialect::Spelling;

llvm::cl::opt<Spelling>
    spelling("spelling", llvm::cl::desc("release of upstream Triton whose spelling is printed"),
             llvm::cl::init(Spelling::Upstream39),
             llvm::cl::values(clEnumValN(Spelling::Upstream36, "3.6", "up to 3.7"),
                              clEnumValN(Spelling::Upstream39, "3.9", "3.9 and later")));

} // namespace

#ifdef TL_HAVE_NVIDIA
void registerLowerToPtx();
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tl::tt::registerDialects(registry);
  registry.addExtension(
      +[](mlir::MLIRContext *, tl::tt::TTDialect *dialect) { dialect->spelling = spelling; });
  mlir::registerTransformsPasses();
  tl::tt::registerTtPasses();
  tl::ttg::registerTtgPasses();
#ifdef TL_HAVE_NVIDIA
  registerLowerToPtx();
#endif
  mlir::PassPipelineRegistration<> shared(
      "ttir-pipeline", "the passes on TTIR that all targets share",
      [](mlir::OpPassManager &manager) { tl::tt::buildTtirPipeline(manager); });
  mlir::PassPipelineRegistration<> gpu(
      "ttgir-pipeline", "the passes that make TTGIR of TTIR",
      [](mlir::OpPassManager &manager) { tl::ttg::buildTtgirPipeline(manager); });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "the tl optimizer driver\n", registry));
}
