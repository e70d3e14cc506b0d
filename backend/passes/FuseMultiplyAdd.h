// SPDX-License-Identifier: MIT
//
// What of the decision about products is left to who lowers a reduction.
#pragma once

#include "dialect/Dialect.h"

namespace tl::tt {

/// Whether the reduction adds up products of f32 or f64 that nothing but such reductions reads:
/// then none of them is seen, and a sum, whose order is open, may take each of them unrounded.
bool addsUnseenProducts(ReduceOp reduce);

} // namespace tl::tt
