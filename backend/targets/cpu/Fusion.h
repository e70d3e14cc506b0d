// SPDX-License-Identifier: MIT
//
// What is known about the operations that may share a loop nest: the fusion roots, the slice of
// values that they need, and the hazards among their memory accesses. Fusion.cpp decides, Loops.cpp
// emits.
#pragma once

#include "dialect/Dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tl::backend::cpu {

struct ScratchBuffer;

/// Something that makes elements be computed.
struct FusionRoot {
  enum class Kind : uint8_t { store, materialise, reduce };
  Kind kind = Kind::materialise;
  mlir::Operation *operation = nullptr; // the store or reduction
  mlir::Value value;                    // what is materialised
  ScratchBuffer *buffer = nullptr;      // and where
  bool copy = false;                    // the value has another buffer already

  /// Whether it gives the value its buffer.
  bool storesValue() const { return kind == Kind::materialise && !copy; }
};

/// For each bit of a value's linear index, least significant first: the bit of the nest's linear
/// index that it is, or `fixed` when it does not come from the nest.
using Bits = llvm::SmallVector<int8_t, 24>;
inline constexpr int8_t fixed = -1;
/// Of a value that is read at the nest's own index.
Bits identityBits(unsigned count);

class FunctionLowering;

/// What a set of fusion roots needs, as seen from the index of their common loop nest.
struct Slice {
  unsigned bits = 0; // of the nest's index

  struct Use {
    mlir::Value value;
    Bits at;
    bool identity = false; // at the nest's own index
  };
  llvm::SmallVector<Use> loads;   // deferred loads, read from memory
  llvm::SmallVector<Use> buffers; // materialised values
  llvm::SmallVector<Use> values;  // deferred elementwise values
  llvm::SmallVector<Use> masks;   // of loads, stores and selects
  llvm::SmallVector<mlir::Value> scalars;
  uint32_t cuts = 0;        // bit p: the nest's digits must be cut below index bit p
  unsigned widestBytes = 1; // of an element that is computed with
  unsigned cost = 0;        // operations for each point
  bool scalarOnly = false;  // some region cannot run on vectors
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Bits, 1>> visited;
};

/// Adds what the value needs that is read at `bits` of the nest's index: itself if it has a buffer,
/// else what it is computed from.
void walk(FunctionLowering &f, Slice &slice, mlir::Value value, Bits bits);
/// Adds what computing a deferred value needs, whether it has a buffer or not. For each operand it
/// finds the bits that it is read at from those of the value, and where the nest's index has to be
/// cut for that. Of `%t = tt.trans %x : tensor<4x8xf32> -> tensor<8x4xf32>` read at bits 0 1 | 2 3
/// 4 (columns, rows), `%x` is read at 2 3 4 | 0 1, with cuts below bits 0 and 2.
void walkDefinition(FunctionLowering &f, Slice &slice, mlir::Value value, const Bits &bits);

struct Group {
  llvm::SmallVector<FusionRoot> roots;
  Slice slice;
  bool columns = false; // reductions that are not over the innermost axis
  bool empty() const { return roots.empty(); }
};

/// An access and a later write in one nest that are fused only if they turn out not to conflict.
struct Hazard {
  mlir::Operation *first = nullptr; // load or store
  mlir::Operation *write = nullptr;
  bool sameIndex = false; // both are accessed at the nest's index
};

} // namespace tl::backend::cpu
