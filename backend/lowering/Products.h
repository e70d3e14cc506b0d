// SPDX-License-Identifier: MIT
//
// Products by multiply-adds: operands lie in shared memory, and each thread computes its own
// elements of the result.
#pragma once

#include "lowering/KernelLowering.h"

#include <functional>

namespace tl::backend {

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
