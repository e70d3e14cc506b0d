// SPDX-License-Identifier: MIT
//
// Decisions of a scan before any code: in which order a layout has the elements along the axis, in
// which levels the lanes are joined, and what changes no element. Next: Scan.cpp.
#pragma once

#include "layout/NamedLayouts.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

#include <optional>

namespace tl::backend {

/// How the bits of a layout count along the axis. In a 1-D tensor of 2048 elements over 4 warps of
/// 32 lanes, where a thread holds runs of 4 neighbours in 4 chunks:
///
///     coordinate bit   0 1 | 2 3 4 5 6 | 7 8 | 9 10
///     moved by         register 0 1 | lane 0-4 | warp 0 1 | register 2 3
///
///     runBits = {0, 1}, chunkBits = {2, 3}, 5 lane bits from 0, 2 warp bits from 0
struct ScanOrder {
  llvm::SmallVector<unsigned> runBits, chunkBits; // register bits, from the lowest coordinate
  unsigned firstLaneBit = 0, laneBits = 0;        // neighbouring bits of the lane
  unsigned firstWarpBit = 0, warpBits = 0;
};

/// Nothing if the layout does not put them in this order.
std::optional<ScanOrder> scanOrder(const LinearLayout &layout, unsigned axis);

/// The layout if it does, and the totals of its warps take at most `most` bytes, `bytes` each; else
/// one that does.
LinearLayout layoutInOrder(const LinearLayout &layout, const Shape &shape, unsigned axis,
                           unsigned lanes, unsigned warps, uint64_t bytes = 0, uint64_t most = 0);

/// The register whose bits at `bits` are those of the index, in this order.
unsigned spread(unsigned index, llvm::ArrayRef<unsigned> bits);

/// The bits of the lane's position that each level joins, from the lowest, for the least work in
/// all: a shuffle takes as long as four other instructions. `words` of 32 bits make an element,
/// `combination` operations combine two, and `chosen` says that the result then has to be chosen.
llvm::SmallVector<unsigned> chooseLevels(unsigned laneBits, unsigned run, unsigned words,
                                         unsigned combination, bool chosen);

/// What changes no operand of a function that is one operation; null if it is not, or if nothing
/// is so. `element` is the operand's type in TTIR, `type` that in registers.
llvm::Value *neutralValue(mlir::Region &region, mlir::Type element, llvm::Type *type);

} // namespace tl::backend
