// SPDX-License-Identifier: MIT
//
// What the matrix products of LinearAlgebra.cpp and ScaledProducts.cpp share.
#pragma once

#include "targets/cpu/Dot.h"
#include "targets/cpu/FunctionLowering.h"

namespace tl::backend::cpu {

/// Lets transposed operands be loaded as they lie in memory; see LinearAlgebra.cpp.
void layOperandsAsLoaded(FunctionLowering &f);
/// The buffer of a product's result, holding the accumulator: its own where nobody needs that later
/// and no operand lies there.
ScratchBuffer *dotAccumulator(FunctionLowering &f, mlir::Operation *operation, mlir::Value initial,
                              mlir::Value result, llvm::ArrayRef<ScratchBuffer *> operands);
/// c += a * b.
void emitProduct(FunctionLowering &f, const DotSpec &spec, const DotOperand &a, const DotOperand &b,
                 ScratchBuffer *c);

} // namespace tl::backend::cpu
