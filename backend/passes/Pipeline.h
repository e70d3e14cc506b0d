// SPDX-License-Identifier: MIT
//
// What happens to a kernel before any target sees it, and how passes are run: with the environment
// variables TL_PRINT_IR and TL_TIME_PASSES obeyed and failures thrown as errors with a location.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/TmaUse.h"

namespace tl::tt {

struct TtirOptions {
  /// Keep the author's promises about values, for targets that look at them.
  bool keepHints = false;
  /// Round products and the sums that they go into once, for targets that have an instruction.
  bool fuseMultiplyAdd = true;
  /// Check assertions that depend on the compile option of this name.
  bool debug = false;
  /// Refuse what shows in which order programs run, and add up in the order that is written.
  bool deterministic = false;
  /// Turn tensor descriptors into pointers, all but these.
  bool rewriteDescriptors = true;
  TmaUse tmaUse = TmaUse::none;
  /// Turn pointers into descriptors, too, where TMA can bring their blocks ahead of products.
  bool describePointers = false;
  /// Blocks of threads of a program, where it can be divided.
  unsigned blocks = 1;
  /// Warps of the program, if groups of four multiply out of shared memory; 0 otherwise.
  unsigned productWarps = 0;
  /// Carry scalars where loops advance whole tensors by one amount: for targets whose tensors are
  /// loops over memory.
  bool scalarizeInduction = false;
  /// Unroll short loops, and load once what they load again: for targets that hold what is loaded
  /// in registers.
  bool unrollShortLoops = false;
};

/// Appends the passes on TTIR that all targets share.
void buildTtirPipeline(mlir::OpPassManager &manager, const TtirOptions &options = {});

/// What passes make. That one on TTIR fails is an error of the kernel; of those on TTGIR, ours.
enum class PassStage { ttir, ttgir };

/// Runs passes on a module. TL_PRINT_IR prints the module to stderr before those on TTIR, after
/// those of a stage, or after each of them; TL_TIME_PASSES=1 prints the time of each. Throws
/// backend::Error with the first diagnostic if a pass fails; the module is then in no usable state.
void runPasses(mlir::PassManager &manager, mlir::ModuleOp module,
               PassStage stage = PassStage::ttir);

/// buildTtirPipeline and runPasses.
void runTtirPipeline(mlir::ModuleOp module, const TtirOptions &options = {});

} // namespace tl::tt
