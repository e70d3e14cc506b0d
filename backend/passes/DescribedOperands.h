// SPDX-License-Identifier: MIT
//
// Which described blocks are operands that pipeline-loops will have TMA bring ahead of time. The
// decision is due before anything has a layout, as all other descriptors become pointers then; it
// asks for what select-matrix-instructions, share-product-operands and pipeline-loops ask for
// later. Where they find a reason against it after all, the blocks are waited for one by one.
#pragma once

#include "dialect/Dialect.h"

namespace tl::tt {

/// Whether all blocks of the descriptor that are moved in loops are loaded there, ahead of products
/// by groups of four warps among the program's `warps`, with elements that those take as they lie,
/// or stored once after a loop of products.
bool areMovedForProducts(MakeTensorDescOp op, unsigned warps);

/// Whether all blocks of the descriptor are stored after loops of products of which every warp has
/// whole rows, in loops that producers run ahead of: such a block passes through shared memory in
/// parts (analysis/TensorStores.h).
bool passInParts(MakeTensorDescOp op, unsigned warps);

} // namespace tl::tt
