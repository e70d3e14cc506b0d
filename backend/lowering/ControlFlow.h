// SPDX-License-Identifier: MIT
//
// Regions of blocks, as functions and tl::map_elementwise have them.
#pragma once

#include "lowering/KernelLowering.h"

namespace tl::backend {

/// The registers of all values, one after another.
Values flatten(KernelLowering &kernel, mlir::ValueRange values);

/// All blocks of a region that can be reached; the first one goes on at the insertion point.
/// `leave` is called at the end of each block that leaves the region.
void emitRegionBlocks(KernelLowering &kernel, mlir::Region &region,
                      llvm::function_ref<void(mlir::Operation *)> leave);

} // namespace tl::backend
