// SPDX-License-Identifier: MIT
//
// Blocks of a strided tensor as pointers and masks.
//
// The first element of the block gives a scalar pointer; what is added to it for the other elements
// depends on the strides alone, so that it can leave loops. An axis of extent 1 in the block takes
// part in the scalar pointer and in a scalar condition only:
//
//     pointer[i, j] = (base + y * stride0 + x * stride1) + i * stride0 + j * stride1
//     mask[i, j]    = 0 <= y + i < shape0  and  0 <= x + j < shape1
#pragma once

#include "dialect/Dialect.h"
#include "mlir/IR/Builders.h"

namespace tl::tt {

/// A tensor in memory.
struct StridedTensor {
  mlir::Value base;                          // pointer to the first element
  llvm::SmallVector<mlir::Value, 5> shape;   // i64, elements along each axis
  llvm::SmallVector<mlir::Value, 5> strides; // i64, elements between neighbours of each axis
};

/// Builds the pointers and the mask of one access, before the operation.
///
///     BlockAccess access(load, {32, 64}, block, tensor);
///     access.addressBlock({y, x});
///     LoadOp::create(access.builder, access.loc, access.pointers, access.mask, other);
class BlockAccess {
public:
  /// `extents` are those of the block along each axis of the tensor; the type `block`, in which it
  /// lies in registers, may lack leading ones.
  BlockAccess(mlir::Operation *op, llvm::ArrayRef<int64_t> extents, mlir::RankedTensorType block,
              StridedTensor tensor);

  /// A block whose first element has the given indices, i32 or i64. Where an axis is not checked
  /// all of the block is in bounds.
  void addressBlock(
      mlir::ValueRange indices,
      llvm::function_ref<bool(size_t axis)> isChecked = [](size_t) { return true; });
  /// Rows `rows` (a 1-D tensor) of a tensor with two axes, and consecutive columns from `column`
  /// on.
  void addressRows(mlir::Value rows, mlir::Value column);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::RankedTensorType block;
  mlir::Value pointers;
  mlir::Value mask; // null if nothing is checked

private:
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value wide(mlir::Value value);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value advance(mlir::Value pointer, mlir::Value offset);
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType like);
  mlir::Value range(int64_t extent);
  mlir::Value inBounds(mlir::Value coordinate, mlir::Value extent);
  mlir::Value spread(mlir::Value line, int64_t axis);
  void addOffsets(int64_t blockAxis, size_t axis, mlir::Value line);
  void check(int64_t blockAxis, size_t axis, mlir::Value coordinate);
  void narrow(mlir::Value condition);
  void finish(mlir::Value first);

  llvm::ArrayRef<int64_t> extents;
  StridedTensor tensor;
  mlir::Value offsets; // of the elements from the first one on
  mlir::Value whole;   // a condition that holds for the whole block or for nothing of it
};

} // namespace tl::tt
