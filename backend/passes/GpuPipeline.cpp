// SPDX-License-Identifier: MIT
#include "passes/GpuPipeline.h"

#include "dialect/Context.h"
#include "mlir/IR/Verifier.h"
#include "passes/GpuPasses.h"
#include "passes/Pipeline.h"

using namespace mlir;

namespace tl::ttg {

void buildTtgirPipeline(OpPassManager &manager, unsigned numStages) {
  // Products become such as matrix instructions compute.
  manager.addPass(createDecomposeScaledProducts());
  manager.addPass(createSplitProducts());
  // Offsets that wrap around by a remainder are contiguous unless they do so below zero.
  manager.addPass(createCheckRemainders());
  // The first operand is the one that may lie as it likes.
  manager.addPass(createTransposeProducts());
  // What has a layout that it works best in is anchored to it: accesses of memory, and products.
  manager.addPass(createCoalesceAccesses());
  manager.addPass(createSelectMatrixInstructions());
  // Every tensor gets a layout, and conversions stand where data must move.
  manager.addPass(createPropagateLayouts());
  // Conversions that cost more than they save go.
  manager.addPass(createRemoveLayoutConversions());
  manager.addPass(createRematerialiseValues());
  // Operands of products that read shared memory go there, and loads bring them ahead of time.
  manager.addPass(createFeedMultiplyAdds());
  manager.addPass(createShareProductOperands());
  // Lanes that the hardware copies for write one after the other.
  manager.addPass(createArrangeCopies());
  manager.addPass(createPipelineLoops(PipelineLoopsOptions{numStages}));
  // Warps of their own start the copies.
  manager.addPass(createSpecializeWarps());
}

void runTtgirPipeline(ModuleOp module, unsigned numStages) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildTtgirPipeline(manager, numStages);
#ifndef TL_CHECK_IR
  // What the library's own passes make is verified once, after the last.
  manager.enableVerifier(false);
#endif
  tt::runPasses(manager, module, tt::PassStage::ttgir);
  tt::DiagnosticCollector diagnostics(*module.getContext());
  if (failed(verify(module)))
    diagnostics.raise(TL_INTERNAL_ERROR, "the module is not valid after its layouts were chosen");
}

} // namespace tl::ttg
