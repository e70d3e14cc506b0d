// SPDX-License-Identifier: MIT
//
// Sums of matrix instructions that loops carry become vectors. The shared lowering carries a value
// for each register of a thread; an MFMA has 4 to 16 of them as one operand, in neighbouring
// registers. Carried one by one, they are put together before the first instruction of an iteration
// and taken apart after the last, and where a loop has several blocks the code generator does both
// by copies:
//
//     loop:                                          loop:
//       %s0 = phi float [0, ...], [%n0, ...]           %s = phi <4 x float> [0, ...], [%d, ...]
//       ... %s3
//       %s = insertelement ... %s0 ... %s3
//       %d = mfma(a, b, %s)                            %d = mfma(a, b, %s)
//       %n0 = extractelement %d, 0 ... %n3
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl::backend::amd {

struct CarryAccumulatorVectors : llvm::PassInfoMixin<CarryAccumulatorVectors> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tl::backend::amd
