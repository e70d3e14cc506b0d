// SPDX-License-Identifier: MIT
//
// Gathers in which every element takes the place of the one whose position along the axis differs
// in fixed bits: `gather(x, position ^ 8)`, or `gather(x, 63 - position)` of 64, which differs in
// all. Sorts and reversals are made of them. What such a gather moves is known when it is compiled:
// bits of a position are bits of the register's, the lane's or the warp's number.
#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace tl::backend {

/// In which bits the positions differ; none if the gather is another one.
std::optional<uint64_t> exchangedBits(tt::GatherOp gather);

} // namespace tl::backend
