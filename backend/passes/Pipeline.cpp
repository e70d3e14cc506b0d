// SPDX-License-Identifier: MIT
#include "passes/Pipeline.h"

#include "dialect/Context.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "support/Environment.h"
#include "support/Fork.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdio>
#include <memory>

using namespace mlir;

namespace tl::tt {

void buildTtirPipeline(OpPassManager &manager, const TtirOptions &options) {
  // What only some texts have becomes what all have: block pointers become pointers and masks,
  // and descriptors that are parameters are made by the kernel.
  manager.addPass(createRewriteBlockPointers());
  manager.addPass(createReceiveDescriptors());
  // What is read of an atomic is decided on the kernel as it was written, as the interpreter has
  // it.
  manager.addPass(createDropAcquires(DropAcquiresOptions{options.debug}));
  // Errors name the lines that were written, so before anything is inlined.
  if (options.deterministic)
    manager.addPass(createKeepOrder());
  // Which products are rounded is read off the kernel as it was written, not off what a target's
  // passes make of it: so it is the same everywhere.
  if (options.fuseMultiplyAdd)
    manager.addPass(createFuseMultiplyAdd());
  // Folding would lose promises that are written as additions of zero.
  manager.addPass(createKeepHints(KeepHintsOptions{/*remove=*/!options.keepHints}));
  // Folding would lose loops whose step is zero, which are errors.
  manager.addPass(createCheckSteps());
  // A function that is called in a loop or a branch can be inlined if it is one block.
  manager.addPass(createStructureFunctions());
  // Functions are inlined, so that every later pass sees a whole kernel, unless it grows beyond
  // what can be compiled; what has no caller goes, before and after.
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createCheckSizes());
  manager.addPass(
      createInlinerPass({}, [](OpPassManager &functions) { functions.addPass(createSimplify()); }));
  manager.addPass(createSymbolDCEPass());
  // Assertions that are not checked go; what the functions of reductions assert, their callees
  // included, is asserted after them.
  manager.addPass(createLiftAssertions(LiftAssertionsOptions{options.debug}));
  // From here on extents are powers of two.
  manager.addPass(createPadTiles());
  // A program of several blocks is divided among them while its memory is still described.
  if (options.blocks > 1)
    manager.addPass(createSplitPrograms(SplitProgramsOptions{options.blocks}));
  // Pointers whose blocks TMA can bring become descriptors.
  if (options.rewriteDescriptors && options.describePointers && options.productWarps)
    manager.addPass(createDescribePointers(DescribePointersOptions{
        options.productWarps, /*mayCheck=*/options.tmaUse == TmaUse::possible}));
  // Descriptors become pointers and masks while their shapes are still visible to folding.
  if (options.rewriteDescriptors)
    manager.addPass(
        createRewriteDescriptors(RewriteDescriptorsOptions{options.tmaUse, options.productWarps}));
  // Constants are folded, and neighbours merged: accumulators move into products.
  manager.addPass(createSimplify());
  manager.addPass(createCombine(CombineOptions{/*keepOrder=*/options.deterministic}));
  manager.addPass(createSimplify());
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
  manager.addPass(createUnrollLoops(UnrollLoopsOptions{options.unrollShortLoops}));
  // What the above has left is swept up.
  manager.addPass(createSimplify());
  manager.addPass(createCSEPass());
  if (options.unrollShortLoops) {
    manager.addPass(createMergeLoads());
    manager.addPass(createCSEPass());
  }
}

namespace {

/// The standard error, for what a user asked to see. llvm::errs() ends the process if it cannot be
/// written, this one does without.
class StandardError : public llvm::raw_ostream {
public:
  StandardError() : raw_ostream(/*unbuffered=*/true) {}

private:
  void write_impl(const char *text, size_t size) override {
    written += std::fwrite(text, 1, size, stderr);
  }
  uint64_t current_pos() const override { return written; }

  std::atomic<uint64_t> written{0};
};

/// Between passes nothing is half done: a fork that waits passes.
struct ForksBetweenPasses : PassInstrumentation {
  void runBeforePass(Pass *, Operation *) override { backend::letForkPass(); }
};

llvm::raw_ostream &standardError() {
  static StandardError &stream = *new StandardError;
  return stream;
}

} // namespace

void runPasses(PassManager &manager, ModuleOp module, PassStage stage) {
  const backend::Environment &environment = backend::environment();
  manager.addInstrumentation(std::make_unique<ForksBetweenPasses>());
  backend::PrintIR when = environment.printIR;
  if (when == backend::PrintIR::AfterEach || when == backend::PrintIR::AfterChange)
    manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                             [](Pass *, Operation *) { return true; }, /*printModuleScope=*/true,
                             /*printAfterOnlyOnChange=*/when == backend::PrintIR::AfterChange,
                             /*printAfterOnlyOnFailure=*/false, standardError());
  if (environment.timePasses) {
    auto timing = std::make_unique<DefaultTimingManager>();
    timing->setEnabled(true);
    timing->setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
    timing->setOutput(
        createOutputStrategy(DefaultTimingManager::OutputFormat::Text, standardError()));
    manager.enableTiming(std::move(timing));
  }
  if (when == backend::PrintIR::Before && stage == PassStage::ttir)
    standardError() << print(module);
  DiagnosticCollector diagnostics(*module.getContext());
  if (failed(manager.run(module)))
    diagnostics.raise(stage == PassStage::ttir ? TL_COMPILE_ERROR : TL_INTERNAL_ERROR,
                      "the kernel could not be compiled");
  if (when == backend::PrintIR::After)
    standardError() << print(module);
}

void runTtirPipeline(ModuleOp module, const TtirOptions &options) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildTtirPipeline(manager, options);
  runPasses(manager, module);
}

} // namespace tl::tt
