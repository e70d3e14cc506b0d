// SPDX-License-Identifier: MIT
//
// Questions about products of groups of warps in the body of a loop.
#pragma once

#include "dialect/Dialect.h"

namespace tl::ttg {

/// Whether it is a product, scaled or not, of operands that threads hold.
bool isProductOfThreads(mlir::Operation *op);

/// The wait for a product, if it waits for this one alone.
WarpGroupDotWaitOp waitFor(WarpGroupDotOp dot);

/// Products that read the memory, a view of it, or what threads compute from it.
llvm::SmallVector<WarpGroupDotOp> readersOf(LocalAllocOp alloc);

/// Whether another product of the block needs the result.
bool isAheadOfProduct(WarpGroupDotWaitOp wait);

/// Of 32 bits, in which a thread holds a value while it computes with it.
unsigned registersOf(mlir::Type type);

} // namespace tl::ttg
