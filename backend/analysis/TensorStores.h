// SPDX-License-Identifier: MIT
//
// Through which shared memory TMA stores the blocks of a kernel, or adds them. All threads put a
// block there, and one starts the copy to global memory; then the memory must stay as it is until
// it has been read. In a loop whose other accesses leave the tensor alone nobody needs to wait for
// that: the copy goes on while the next iteration computes, and the memory is the operation's own.
// So it is for sums, and for stores that find no memory of rings that has become free. A block that
// is too large for it passes in parts, which lie side by side along its rows: the next one is
// written while those before it are read. Each thread holds columns of all parts, or the block
// stays whole.
#pragma once

#include "dialect/Dialect.h"
#include "layout/Queries.h"

#include <optional>

namespace tl::backend {

struct StorePath {
  bool goesOn = false;              ///< while the next iteration computes
  std::optional<ColumnParts> parts; ///< null: the whole at once
  unsigned places = 1;              ///< in shared memory, each for a part
  uint64_t placeBytes = 0;

  uint64_t bytes() const { return places * placeBytes; }
};

/// Of a tt.descriptor_store or tt.descriptor_reduce by TMA.
StorePath storePathOf(mlir::Operation *op);

/// Whether rings of buffers for the products of a program's `warps` are in use all the time in a
/// loop around the operation: producers run ahead to the next iteration of that.
bool isAmongLastingRings(mlir::Operation *op, unsigned warps);

/// Whether a store or a sum by TMA comes again, and nobody waits for it but itself then.
bool isAloneInLoop(mlir::Operation *op);

/// Whether the other operation accesses global memory where `op` may write, from `base` on.
bool mayMeet(mlir::Operation *op, mlir::Operation *other, mlir::Value base);

/// Whether the operation may run after itself.
bool comesAgain(mlir::Operation *op);

} // namespace tl::backend
