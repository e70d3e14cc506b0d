// SPDX-License-Identifier: MIT
//
// What products share: the registers of a matrix by coordinates, for matrix instructions; and
// products by multiply-adds, whose operands lie in shared memory and of whose result each thread
// computes its own elements.
#pragma once

#include "lowering/KernelLowering.h"

#include <functional>
#include <map>
#include <vector>

namespace tl::backend {

using Offsets = std::vector<uint64_t>; // by axis

/// What a register adds to the coordinates of the thread.
Offsets offsetsOf(const LinearLayout &layout, unsigned reg, unsigned rank);

/// The registers of a matrix, found by what they add to the coordinates of the thread.
struct Fragment {
  Values registers;
  std::map<Offsets, unsigned> byOffsets; // the first register of each

  Fragment(Values values, const LinearLayout &layout);
  /// Null if the thread has no such register.
  llvm::Value *find(uint64_t row, uint64_t column) const;
};

/// Integers side by side in one of 32 bits, the first lowest.
llvm::Value *packWord(KernelLowering &kernel, llvm::ArrayRef<llvm::Value *> parts);

/// One factor of a product, as it is read from shared memory.
struct Factor {
  /// So many neighbours in a row of the factor, the first at (batch, row, column), within a loop
  /// over k. The batch is null for matrices.
  using Fetch =
      std::function<Values(llvm::Value *batch, llvm::Value *row, llvm::Value *column, unsigned)>;

  mlir::Type element; // of what is fetched
  Fetch fetch;
  unsigned neighbours; // that are fetched at once, at most
};

/// `initial`, the registers of a tensor of this type (m x n, or a batch of them), plus the product
/// of `lhs` (m x k) and `rhs` (k x n).
Values multiplyAdd(KernelLowering &kernel, mlir::RankedTensorType type, const Values &initial,
                   int64_t extentK, const Factor &lhs, const Factor &rhs);

/// Number of an element in rows of a matrix or of a batch of them; `batch` may be null.
llvm::Value *flatIndex(KernelLowering &kernel, llvm::Value *batch, llvm::Value *row,
                       llvm::Value *column, int64_t rows, int64_t columns);

} // namespace tl::backend
