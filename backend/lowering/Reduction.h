// SPDX-License-Identifier: MIT
//
// What reductions and scans share.
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// Whether each bit of lane, warp and register that moves along the axis moves one bit of that
/// coordinate alone, and no two the same: then threads can be combined bit by bit.
bool isSeparableAlong(const LinearLayout &layout, unsigned axis);

/// The region applied to two tuples of scalars.
Values combine(KernelLowering &kernel, mlir::Region &region, llvm::ArrayRef<llvm::Value *> a,
               llvm::ArrayRef<llvm::Value *> b);

/// One combination for each pair of neighbours, then of what came out, until one tuple is left: a
/// tree, so that operations do not wait for each other. Operands stay in order. There is a power of
/// two of them.
Values combineAll(llvm::SmallVector<Values> tuples,
                  llvm::function_ref<Values(const Values &, const Values &)> combine);

} // namespace tl::backend
