// SPDX-License-Identifier: MIT
//
// Copies in lane order (ttg.lane_copies): which loads they can bring to shared memory. Each lane
// reads where it likes, but writes right after the lane before it. So a swizzle, by which rows are
// read without conflicts in the banks, is not one of where lanes write, but of what they read:
//
//     lanes                    0   1   2   3    4   5   6   7    8   9  10  11
//     write pieces             0   1   2   3    4   5   6   7    8   9  10  11
//     read row, piece of it   0,0 0,1 0,2 0,3  1,1 1,0 1,3 1,2  2,2 2,3 2,0 2,1
//
// which makes a linear layout of the pointers like any other. A row is read by the same lanes as
// without the swizzle, so it costs nothing there.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/Dialect.h"
#include "dialect/Gpu.h"

namespace tl::ttg {

/// Bytes of the widest copy of a lane.
inline constexpr unsigned widestLaneCopy = 16;

/// Bytes of the widest copy in lane order by which a thread could bring what it loads, if its lanes
/// wrote in order: as wide as its accesses are, so that there are not more of them. 0 for none.
unsigned laneCopyBytes(tt::LoadOp load, const backend::AxisInfoAnalysis &axes);

/// Whether such copies bring the load to memory of this type.
bool isCopiedInLaneOrder(tt::LoadOp load, MemDescType type, const backend::AxisInfoAnalysis &axes);

} // namespace tl::ttg
