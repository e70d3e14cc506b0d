// SPDX-License-Identifier: MIT
#include "passes/Pipeline.h"

#include "dialect/Context.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

#include <cstdlib>
#include <string_view>

using namespace mlir;

namespace tl::tt {

void buildTtirPipeline(OpPassManager &manager, const TtirOptions &options) {
  // Functions are inlined, so that every later pass sees a whole kernel; what is left without a
  // caller goes.
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  // Descriptors become pointers and masks while their shapes are still visible to folding.
  if (options.rewriteDescriptors)
    manager.addPass(createRewriteDescriptors());
  // Constants are folded, and neighbours merged: accumulators move into products.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCombine());
  manager.addPass(createCanonicalizerPass());
  // Work moves from whole tensors to scalars and small tensors.
  manager.addPass(createReorderBroadcasts());
  // What is computed twice is computed once, inside loops and among the values that they carry.
  manager.addPass(createCSEPass());
  manager.addPass(createMergeLoopValues());
  // Loops that advance whole tensors carry scalars instead.
  if (options.scalarizeInduction)
    manager.addPass(createScalarizeInduction());
  // What does not change in a loop moves out; what is left is unrolled where asked for.
  manager.addPass(createHoistInvariants());
  manager.addPass(createUnrollLoops());
  // What the above left behind is swept up.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {

bool isSet(const char *variable, std::string_view value) {
  const char *found = std::getenv(variable);
  return found && value == found;
}

} // namespace

void runPasses(PassManager &manager, ModuleOp module) {
  if (isSet("TL_PRINT_IR", "after-each"))
    manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                             [](Pass *, Operation *) { return true; },
                             /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true);
  if (isSet("TL_TIME_PASSES", "1"))
    manager.enableTiming();
  DiagnosticCollector diagnostics(*module.getContext());
  if (failed(manager.run(module)))
    diagnostics.raise(TL_COMPILE_ERROR, "the kernel could not be compiled");
}

void runTtirPipeline(ModuleOp module, const TtirOptions &options) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildTtirPipeline(manager, options);
  runPasses(manager, module);
}

} // namespace tl::tt
