// SPDX-License-Identifier: MIT
//
// What products by matrix instructions share: the registers of a matrix by coordinates.
#pragma once

#include "lowering/KernelLowering.h"

#include <map>
#include <vector>

namespace tl::backend {

using Offsets = std::vector<uint64_t>; // by axis

/// What a register adds to the coordinates of the thread.
Offsets offsetsOf(const LinearLayout &layout, unsigned reg, unsigned rank);

/// The registers of a matrix, or of a batch of them, found by what they add to the coordinates of
/// the thread.
struct Fragment {
  Values registers;
  std::map<Offsets, unsigned> byOffsets; // the first register of each

  Fragment(Values values, const LinearLayout &layout);
  /// Null if the thread has no such register.
  llvm::Value *find(const Offsets &offsets) const;
  llvm::Value *find(uint64_t row, uint64_t column) const { return find(Offsets{row, column}); }
};

/// Integers side by side in one of 32 bits, the first lowest.
llvm::Value *packWord(KernelLowering &kernel, llvm::ArrayRef<llvm::Value *> parts);

} // namespace tl::backend
