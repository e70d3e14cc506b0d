// SPDX-License-Identifier: MIT
//
// Which accesses of memory a kernel may make before and after one of its operations, whatever way
// it takes: of loops every iteration counts, of branches every side.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/Dialect.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tl::backend {

/// Whether the operation by itself, not what it contains, reads or writes memory.
bool accessesMemory(mlir::Operation *op);
bool writesMemory(mlir::Operation *op);

/// Whether some operation that may run before (after) `op`, in the same function, has the property.
bool anyBefore(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> property);
bool anyAfter(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> property);

/// The parameters of the kernel from one of which a pointer, or each of a tensor of pointers, is
/// computed, whatever way the kernel takes; none if that is not certain.
llvm::SmallVector<mlir::Value> basesOf(mlir::Value pointer);

/// The only one of them; null if there may be several.
mlir::Value baseOf(mlir::Value pointer);

/// Bytes that the elements of a pointer or of a tensor of pointers may touch, [begin, end) after an
/// origin, which is a sum of scalars: a pointer, and numbers with their factors. Two accesses with
/// one origin, computed in the same iteration of all loops, do not meet if these are apart. That
/// numbers of 32 bits wrap around changes nothing: they become others by multiples of 2^32, and
/// spans are shorter.
struct Span {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> origin; // with factors, in an order of its own
  int64_t begin = 0, end = 0;
};
/// Nothing if the elements are not a known distance from one origin.
std::optional<Span> spanOf(mlir::Value pointer);

/// The parameter of the kernel to whose memory alone a pointer leads, where no other parameter
/// leads there; null if that is not certain.
mlir::Value ownParameterOf(mlir::Value pointer);

/// Whether an access may touch memory of the parameter, which is one that ownParameterOf gives;
/// null: any memory.
bool mayTouch(mlir::Operation *access, mlir::Value parameter);

/// Whether the operation by itself may write global memory of the parameter; null: any.
bool mayWrite(mlir::Operation *op, mlir::Value parameter);

/// Whether what follows an atomic sees what others have released, and the other way round.
bool acquires(tt::AtomicOpInterface atomic);
bool releases(tt::AtomicOpInterface atomic);

/// Whether a read of the parameter's memory (null: of any) may come before the operation instead of
/// after it: the operation by itself writes other memory alone, and does not order what follows it.
bool mayBePassedBy(mlir::Operation *op, mlir::Value parameter);

/// Whether it is certain that no two elements of an integer or pointer tensor are equal.
bool hasDistinctElements(mlir::Value value, const AxisInfoAnalysis &axes);

} // namespace tl::backend
